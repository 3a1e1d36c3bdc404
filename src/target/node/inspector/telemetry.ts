import type { InspectorSession } from './connect.js';
import { fieldsOf, textOf } from './json.js';

/** What `sim-profiler/telemetry` in a thread said, before a slice and after it; its own JSON, unread. */
export interface TelemetryTexts {
  readonly begin: string;
  readonly end: string;
}

/** How far a thread's telemetry is; undefined where it has none. */
export type TelemetryBegin = { readonly text: string; readonly atMs: number } | undefined;

type Session = Pick<InspectorSession, 'call'>;

/** As `INSPECTED` of the telemetry's `inspected.ts`. */
const INSPECTED = 'sim-profiler.inspected.1';
/** What ended between two slices is asked for by the second. */
const BETWEEN_MS = 2000;
/** So long one that has ended waits for the next slice. */
const KEPT_MS = 10_000;
/** Base64 of all that can be kept is far below. */
const LONGEST = 256 * 1024 * 1024;

export async function beginTelemetry(session: Session, seconds: number): Promise<TelemetryBegin> {
  const text = await ask(session, undefined, seconds * 2000 + KEPT_MS);
  return text === undefined ? undefined : { text, atMs: performance.now() };
}

/** All that ended since: a thread that began to measure meanwhile has told nothing before. */
export async function endTelemetry(
  session: Session,
  begin: TelemetryBegin,
  seconds: number,
): Promise<TelemetryTexts | undefined> {
  const sinceBeginMs = begin === undefined ? seconds * 1000 : performance.now() - begin.atMs;
  const end = await ask(session, sinceBeginMs + BETWEEN_MS, KEPT_MS);
  return end === undefined ? undefined : { begin: begin?.text ?? '', end };
}

async function ask(session: Session, agoMs: number | undefined, keepMs: number): Promise<string | undefined> {
  try {
    const said = await session.call('Runtime.evaluate', {
      expression: `globalThis[Symbol.for('${INSPECTED}')]?.answer(${agoMs}, ${keepMs})`,
      returnByValue: true,
      silent: true,
    });
    const text = textOf(fieldsOf(said['result'])?.['value']);
    return said['exceptionDetails'] !== undefined || (text?.length ?? 0) > LONGEST ? undefined : text;
  } catch {
    return undefined;
  }
}
