import type { Format, Sniffed } from './format.js';
import { parseFrame } from './perf-script-frame.js';
import { isTracepoint, parseHeader } from './perf-script-header.js';
import { readPerfScript } from './perf-script-profile.js';
import { dataLines, headText } from './sniff.js';

/**
 * Text of `perf script`, perf 3 to 6, with any of its fields (`-F`), and of simpleperf's `report-sample.py`. Defined by perf's
 * `tools/perf/builtin-script.c` and `util/evsel_fprintf.c`.
 */
export const PERF_SCRIPT: Format = {
  id: 'perf-script',
  title: 'perf script text',
  sniff,
  read: readPerfScript,
};

/** Beyond it nothing decides; arguments may be long. */
const LONGEST_LOOKED_AT = 4096;

function sniff(head: Uint8Array): Sniffed {
  const text = headText(head);
  if (text === undefined) return 'no';
  const lines = dataLines(head).map((line) => line.slice(0, LONGEST_LOOKED_AT));
  let sure = 0;
  let likely = 0;
  for (const [index, line] of lines.entries()) {
    const header = line.startsWith('\t') ? undefined : parseHeader(line);
    if (header === undefined) continue;
    const next = lines[index + 1] ?? '';
    const { record, event, rest, doubtful } = header;
    const below = /^\s/.test(next) && parseFrame(next.trim()) !== undefined;
    const beside = event !== undefined && !isTracepoint(event) && parseFrame(rest) !== undefined;
    if (record !== undefined || below || (beside && !doubtful)) sure += 1;
    else if (!doubtful && event !== undefined) likely += 1;
  }
  if (sure > 0) return 'yes';
  if (likely > 0) return 'unsure';
  const begins = /^# =+\r?$/m.test(text) && /^# cmdline : \S*perf\b/m.test(text);
  return begins ? 'unsure' : 'no';
}
