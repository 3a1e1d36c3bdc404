import { ProfileBuilder, ProfilerError } from '../model/index.js';
import type { Origin, Profile } from '../model/index.js';
import type { Format, Sniffed } from './format.js';
import { asList, asRecord, readJson } from './json-file.js';
import { headText } from './sniff.js';
import { codeFrame } from './v8-code.js';

const RECORD = '0x --write-ticks -- node app.js';

/**
 * `ticks.json` in an output folder of 0x (`--write-ticks`): a list of stacks, each a list of `{name, type, kind}` from the root to
 * the leaf. Defined by 0x's `lib/v8-log-to-ticks.js`. It has no times, and 0x drops what V8 said of a tick without frames: the
 * `isolate-*-v8.log.json` beside it tells more.
 */
export const ZERO_X_TICKS: Format = {
  id: '0x-ticks',
  title: 'ticks of 0x (ticks.json)',
  sniff,
  record: RECORD,
  read: async (chunks, origin) => {
    const kind = { what: 'a ticks.json of 0x', record: RECORD, smaller: 'node --cpu-prof app.js' };
    return ticksProfile(await readJson(chunks, origin.path, kind), origin);
  },
};

/** Empty stacks come first: a program that starts has none. */
function sniff(head: Uint8Array): Sniffed {
  const text = headText(head)?.trimStart() ?? '';
  if (!text.startsWith('[')) return 'no';
  const stack = text.indexOf('{');
  const before = text.slice(0, Math.max(0, stack)).replaceAll(/\s/g, '');
  // A frame stands in a list of a list; Chrome's traces are lists of events.
  if (before.length < 2 || !before.endsWith('[') || /[^[\],]/.test(before)) return 'no';
  if (!/^\{\s*"name"\s*:/.test(text.slice(stack, stack + 100))) return 'no';
  return /"type"\s*:/.test(text) ? 'yes' : 'unsure';
}

function ticksProfile(value: unknown, origin: Origin): Profile {
  const ticks = asList(value);
  if (ticks === undefined) {
    throw new ProfilerError({
      id: 'not-0x-ticks',
      what: `${origin.path ?? 'The input'} is JSON, but no list of stacks, as a ticks.json of 0x is.`,
      why: 'It is another kind of JSON.',
      fix: RECORD,
    });
  }
  const builder = new ProfileBuilder('samples', origin);
  const thread = builder.thread({});
  ticks.forEach((each, index) => {
    const list = asList(each);
    if (list === undefined) {
      builder.lostLine(index + 1, 'tick that is no list of frames', JSON.stringify(each) ?? '');
      return;
    }
    let stack = -1;
    for (const fields of list) {
      const frame = codeFrame(asRecord(fields) ?? {});
      if (frame !== undefined) stack = builder.stack(stack, builder.frame(frame));
    }
    builder.sample(stack, thread, 1);
  });
  return builder.build();
}
