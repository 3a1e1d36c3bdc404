import { asRecord, asWhole } from './json-file.js';

/** A stack and how long it was there, neither of them checked. */
export interface FoundSpan {
  /** Indexes of frames, root first. */
  readonly stack: unknown;
  readonly weight: unknown;
  /** Place in the file's list. */
  readonly at: number;
}

/**
 * What stood on the stack between one event of an evented profile and the next. Time in which nothing was open is nobody's; a time that
 * runs backwards is a negative weight, and an end that does not fit ends what it names and all above it.
 */
export function* speedscopeSpans(events: readonly unknown[]): Generator<FoundSpan> {
  const open: number[] = [];
  let last = Number.NaN;
  for (const [at, one] of events.entries()) {
    const event = asRecord(one);
    const frame = asWhole(event?.['frame']) ?? -1;
    const time = Number(event?.['at']);
    const passed = time - last;
    if (open.length > 0 && passed !== 0) yield { stack: [...open], weight: passed, at };
    last = time;
    if (event?.['type'] === 'O') open.push(frame);
    else if (open.includes(frame)) open.length = open.lastIndexOf(frame);
  }
}
