import type { Chunks } from './format.js';
import type { PerfEvent } from './perf-script-event.js';
import { PerfLines } from './perf-script-lines.js';
import { peek, utf8Chunks } from './source-bytes.js';

/**
 * The events of `perf script` text, in their order, without keeping any: samples with their stacks and the arguments of tracepoints,
 * switches, losses, records, and the lines that are none of perf's.
 */
export async function* perfEvents(chunks: Chunks): AsyncGenerator<PerfEvent> {
  let events: PerfEvent[] = [];
  const lines = new PerfLines((event) => events.push(event));
  for await (const chunk of utf8Chunks(await peek(chunks))) {
    lines.feed(chunk);
    const complete = events;
    events = [];
    yield* complete;
  }
  lines.end();
  yield* events;
}
