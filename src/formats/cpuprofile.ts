import { cpuprofileOf } from './cpuprofile-reader.js';
import { cpuprofileText } from './cpuprofile-writer.js';
import type { Format, Sniffed } from './format.js';
import { readJson } from './json-file.js';
import { headText } from './sniff.js';

const RECORD = 'node --cpu-prof app.js';

/**
 * V8's CPU profile: `node --cpu-prof`, `Profiler.stop` of the DevTools protocol, Chrome's "save profile". Defined by the type
 * `Profiler.Profile` of the protocol (js_protocol.json); the older shape with nodes hanging in each other below `head` is read too.
 */
export const CPUPROFILE: Format = {
  id: 'cpuprofile',
  title: 'V8 CPU profile (.cpuprofile)',
  sniff,
  record: RECORD,
  read: async (chunks, origin) => {
    const kind = {
      what: 'a .cpuprofile',
      record: RECORD,
      smaller: 'node --cpu-prof --cpu-prof-interval 10000 app.js',
    };
    return cpuprofileOf(await readJson(chunks, origin.path, kind), origin);
  },
  write: cpuprofileText,
};

/** Chrome traces and speedscope files hold some of the same words. */
function sniff(head: Uint8Array): Sniffed {
  const text = headText(head);
  if (text === undefined || !/^\s*\{/.test(text)) return 'no';
  if (/"traceEvents"|"\$schema"|"shared"\s*:\s*\{/.test(text.slice(0, 4096))) return 'no';
  if (/"callFrame"\s*:/.test(text) && /"nodes"\s*:/.test(text)) return 'yes';
  if (/"head"\s*:\s*\{/.test(text) && /"functionName"\s*:/.test(text)) return 'yes';
  // The lists of numbers may stand before the nodes and be longer than the head.
  return /"timeDeltas"\s*:/.test(text) || /^\s*\{\s*"(?:nodes|samples|startTime)"\s*:/.test(text)
    ? 'unsure'
    : 'no';
}
