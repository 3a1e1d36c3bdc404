import { asList, asRecord, asText } from '../formats/index.js';

export type TraceEvent = Readonly<Record<string, unknown>>;

/** The events of a Chrome trace: of its object, or of its bare list. Undefined where a document is neither. */
export function traceEvents(document: unknown): readonly unknown[] | undefined {
  const named = asList(asRecord(document)?.['traceEvents']);
  if (named !== undefined) return named;
  const bare = asList(document);
  return bare?.some((event) => asText(asRecord(event)?.['ph']) !== undefined) === true ? bare : undefined;
}

/** Times are numbers of microseconds, whatever `displayTimeUnit` says; some programs write them as text. */
export function asTime(value: unknown): number | undefined {
  const time = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof time === 'number' && Number.isFinite(time) ? time : undefined;
}
