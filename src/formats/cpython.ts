import { readSamples } from './cpython-file.js';
import { CPYTHON_KIND } from './cpython-record.js';
import type { Format, Sniffed } from './format.js';
import { decodedHead } from './sniff.js';

/**
 * What our own sampler of CPython writes: text, one record a line, each sample with its stack, the state of its thread, its time and who
 * held the GIL. Defined by docs/samples-file.md.
 */
export const CPYTHON: Format = {
  id: 'cpython',
  title: 'samples of our own sampler (backend cpython; *.samples)',
  record: 'profiler attach --pid PID --backend cpython',
  pidOf,
  sniff,
  read: (chunks, origin) => readSamples(chunks, origin),
};

/** Of the header, which is the second line. */
function pidOf(head: Uint8Array): number | undefined {
  const pid = /^[^\n]*\nh \{[^\n]*?"pid": ?([1-9]\d{0,9})[,}]/.exec(decodedHead(head))?.[1];
  return pid === undefined ? undefined : Number(pid);
}

function sniff(head: Uint8Array): Sniffed {
  // Its first line decides, whatever damage follows.
  return decodedHead(head).startsWith(`${CPYTHON_KIND} `) ? 'yes' : 'no';
}
