import type { Format, Sniffed } from './format.js';
import { readFolded } from './folded-reader.js';
import { isPyspyChatter, PYSPY_GRAMMAR } from './pyspy-line.js';
import { splitUnnamedThreads } from './unnamed-threads.js';
import { dataLines, endsInCount, hasPyspyShape, headText } from './sniff.js';

/**
 * `py-spy record -f raw`, 0.3 to 0.4, with --threads, --subprocesses, --native, --nolineno or none of them. Defined by py-spy's
 * `src/stack_trace.rs` and `src/flamegraph.rs`.
 */
export const PYSPY_RAW: Format = {
  id: 'pyspy-raw',
  title: 'py-spy raw (py-spy record -f raw)',
  sniff,
  read: async (chunks, origin) => {
    const profile = await readFolded(chunks, origin, (head) => {
      // Written by us above counts that are times.
      const timed = /^# unit: nanoseconds\r?$/m.test(headText(head) ?? '');
      return { grammar: PYSPY_GRAMMAR, unit: timed ? 'nanoseconds' : 'samples', worth: 1 };
    });
    return splitUnnamedThreads(profile);
  },
};

function sniff(head: Uint8Array): Sniffed {
  if (headText(head) === undefined) return 'no';
  const lines = dataLines(head).filter((line) => !isPyspyChatter(line));
  if (lines.length === 0) return 'no';
  const counted = lines.filter(endsInCount);
  const shaped = lines.filter(hasPyspyShape);
  // A single line longer than the head has no count in sight.
  const ends = counted.some(hasPyspyShape) || lines.length === 1;
  if (ends && shaped.length * 4 >= lines.length) return 'yes';
  if (shaped.length > 0 && counted.length > 0) return 'unsure';
  return lines.every((line) => /^\s+\d+\s*$/.test(line)) ? 'unsure' : 'no';
}
