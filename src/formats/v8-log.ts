import { ProfileBuilder, ProfilerError } from '../model/index.js';
import type { Origin, Profile } from '../model/index.js';
import type { Format, Sniffed } from './format.js';
import { asList, asRecord, asWhole, readJson } from './json-file.js';
import { timedSamples } from './sample-times.js';
import { headText } from './sniff.js';
import { ATOMICS_STATE, GC_STATE, IDLE_STATE, codeFrame } from './v8-code.js';

const RECORD = 'node --prof app.js && node --prof-process --preprocess isolate*.log > FILE.json';

/**
 * V8's log after its own processor: `node --prof-process --preprocess`, and the `isolate-*-v8.log.json` in an output folder of 0x.
 * Defined by V8's `tools/profile.mjs` (`writeJson`): codes, and ticks with a time in microseconds, the state of the engine, and pairs
 * of code and offset from the leaf to the root.
 */
export const V8_LOG: Format = {
  id: 'v8-log',
  title: 'V8 log, preprocessed (node --prof-process --preprocess; 0x: isolate-*-v8.log.json)',
  sniff,
  record: RECORD,
  read: async (chunks, origin) => {
    const kind = {
      what: 'a preprocessed log of V8',
      record: RECORD,
      smaller: 'node --cpu-prof app.js, which is read as .cpuprofile and takes a tenth of the space',
    };
    return logProfile(await readJson(chunks, origin.path, kind), origin);
  },
};

function sniff(head: Uint8Array): Sniffed {
  const text = headText(head);
  return text !== undefined && /^\s*\{\s*"code"\s*:\s*\[/.test(text) ? 'yes' : 'no';
}

function logProfile(value: unknown, origin: Origin): Profile {
  const fields = asRecord(value);
  const code = asList(fields?.['code']);
  const ticks = asList(fields?.['ticks']);
  if (code === undefined || ticks === undefined) {
    throw new ProfilerError({
      id: 'not-a-v8-log',
      what: `${origin.path ?? 'The input'} is JSON, but has no lists code and ticks, which every preprocessed log of V8 has.`,
      why: 'It is another kind of JSON, or the processor of V8 failed.',
      fix: RECORD,
    });
  }
  const builder = new ProfileBuilder('nanoseconds', origin);
  const thread = builder.thread({});
  const frames = code.map((each) => codeFrame(asRecord(each) ?? {}));
  const program = builder.frame({ name: '(program)', kind: 'marker' });
  const idle = builder.stack(-1, builder.frame({ name: '(idle)', kind: 'marker' }));
  const gc = builder.frame({ name: '(garbage collector)', kind: 'marker' });
  const waiting = builder.frame({ name: '(Atomics.wait)', kind: 'marker' });

  const taken: { readonly stack: number; readonly timeNs: number }[] = [];
  ticks.forEach((each, index) => {
    const tick = asRecord(each);
    const pairs = asList(tick?.['s']);
    const time = asWhole(tick?.['tm']);
    if (pairs === undefined || time === undefined || !Number.isSafeInteger(time * 1000)) {
      builder.lostLine(index + 1, 'tick without time or stack', JSON.stringify(each) ?? '');
      return;
    }
    const state = tick?.['vm'];
    if (state === IDLE_STATE) {
      taken.push({ stack: idle, timeNs: time * 1000 });
      return;
    }
    let stack = -1;
    // Pairs of code and offset; -1 is an address of no known code.
    for (let at = pairs.length - 2 + (pairs.length % 2); at >= 0; at -= 2) {
      const frame = frames[asWhole(pairs[at]) ?? -1];
      if (frame !== undefined) stack = builder.stack(stack, builder.frame(frame));
    }
    if (state === GC_STATE) stack = builder.stack(stack, gc);
    else if (state === ATOMICS_STATE) stack = builder.stack(stack, waiting);
    else if (stack === -1) stack = builder.stack(-1, program);
    taken.push({ stack, timeNs: time * 1000 });
  });

  // Times count from the start of the process; the last tick stands for the usual gap.
  const times = Float64Array.from(taken, ({ timeNs }) => timeNs);
  const { order, timeNs, weightNs } = timedSamples(times, undefined, false);
  for (let at = 0; at < order.length; at += 1) {
    const { stack } = taken[order[at] as number] ?? { stack: -1 };
    builder.sample(stack, thread, weightNs[at] as number, timeNs[at] as number);
  }
  return builder.build();
}
