import { ProfileBuilder, SAMPLE_STATES, type SampleState } from '../../src/model/index.js';
import { parseFoldedFrames } from '../../src/rules/index.js';
import { loadedRecording } from '../loaded-recording.js';
import { recording, slice, threadAccounting } from '../recording/example.js';

const RUN_ONCE = 'main (robot.py:9);BaseEventLoop._run_once (asyncio/base_events.py:1936)';
export const WAIT = `${RUN_ONCE};EpollSelector.select (selectors.py:468)`;
const DRIVE = `${RUN_ONCE};Handle._run (asyncio/events.py:84);<task drive>;drive (robot.py:40)`;
export const SERVO = `${DRIVE};Servo.read (raccoon/hal.py:12)`;
export const PLAN = `${DRIVE};plan (robot.py:60)`;
export const MAP = `${DRIVE};load_map (robot.py:70);loads (json/__init__.py:359);JSONObject (json/decoder.py:200)`;
export const COLLECT = `${PLAN};<GC>`;

/** A loop that is held, in milliseconds since the window began. */
export interface Held {
  readonly from: number;
  readonly to: number;
  readonly stack: string;
  readonly state?: SampleState;
}

const LENGTH_MS = 4000;
const INTERVAL_MS = 2;

/** A recording of 4 s with a sample each 2 ms, of a loop that is held now and then and waits otherwise. */
export function lateRun(
  held: readonly Held[],
  {
    timed = true,
    node,
    unseen = { from: 0, to: 0 },
  }: {
    readonly timed?: boolean;
    /** How Node's loop waits: then its samples have no states. */
    readonly node?: string;
    readonly unseen?: { readonly from: number; readonly to: number };
  } = {},
) {
  const builder = new ProfileBuilder('samples', { format: 'cpython' });
  const loop = builder.thread({ tid: 48211, name: 'MainThread' });
  const other = builder.thread({ tid: 48212, name: 'camera' });
  const stackOf = (folded: string): number =>
    builder.stackOf(parseFoldedFrames(folded).map((frame) => builder.frame(frame)));
  for (let ms = 0; ms <= LENGTH_MS; ms += INTERVAL_MS) {
    if (ms >= unseen.from && ms < unseen.to) continue;
    const now = held.find(({ from, to }) => ms >= from && ms < to) ?? { stack: node ?? WAIT, state: 'sleep' };
    const { stack, state = 'running' } = now;
    const time = timed ? ms * 1e6 : undefined;
    const holder = state === 'gil-wait' ? other : -1;
    if (node !== undefined) builder.sample(stackOf(stack), loop, 1, time);
    else builder.sample(stackOf(stack), loop, 1, time, SAMPLE_STATES.indexOf(state), holder);
  }
  const made = recording({
    backend: 'cpython',
    rateHz: 500,
    slices: [
      slice({
        file: 'slices/000.samples',
        format: 'cpython',
        startNs: '1000000000',
        endNs: '5000000000',
        samples: LENGTH_MS / INTERVAL_MS,
        errors: 0,
        accounting: [threadAccounting({ wallNs: 4e9, onCpuNs: 8e8, voluntarySwitches: 800 })],
      }),
    ],
    sources: {
      '/usr/lib/python3.11/json/decoder.py': { short: 'json/decoder.py', lines: {} },
      '/usr/lib/python3.11/json/__init__.py': { short: 'json/__init__.py', lines: {} },
      '/usr/lib/python3.11/asyncio/events.py': { short: 'asyncio/events.py', lines: {} },
      '/usr/lib/python3.11/asyncio/base_events.py': { short: 'asyncio/base_events.py', lines: {} },
      '/home/u/robot.py': { short: 'robot.py', lines: {} },
    },
  });
  return loadedRecording(builder.build(), made);
}

/** A spike of a trace: when the loop was back and how late it was, in milliseconds. */
export type Spike = readonly [at: number, lag: number];

/** Monitor of the lag: looks each 5 ms. */
const LOOK_MS = 5;

/** A trace of raccoon with these spikes and looks between them that were on time. */
export function trace(spikes: readonly Spike[], lengthMs: number): string {
  const row = { pid: 1, tid: 9 };
  const looks: Spike[] = [];
  let at = 0;
  for (const [back, lag] of [...spikes, [lengthMs, 0] as const]) {
    while (at + LOOK_MS < back - lag) {
      at += LOOK_MS;
      looks.push([at, 0]);
    }
    looks.push([back, lag]);
    at = back;
  }
  return JSON.stringify({
    traceEvents: [
      { ph: 'M', ...row, name: 'thread_name', args: { name: 'event-loop-lag' } },
      ...looks.map(([ms, lag]) => ({ ph: 'C', ...row, name: 'loop_lag', ts: ms * 1000, args: { ms: lag } })),
    ],
  });
}
