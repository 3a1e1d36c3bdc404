import { readProfile } from '../src/formats/index.js';
import type { Loaded } from '../src/cli/source.js';
import { loadedRecording } from './loaded-recording.js';
import { recording, slice, threadAccounting } from './recording/example.js';
import { SamplesFile } from './samples-file.js';

const TICK_NS = 2_000_000;

const STEP = '<module> /app/run.py:9;Engine.step /app/roqsim/engine.py:278';
const PUBLISH = '<module> /app/run.py:9;Publisher.publish /opt/rclpy/publisher.py:70';
const PACE = '<module> /app/run.py:9;Pacer.wait /app/roqsim/pacer.py:31';
const SPIN = 'Thread.run /usr/lib/threading.py:982;Planner.spin /app/planner.py:40';
const REST = 'Thread.run /usr/lib/threading.py:982;Planner.rest /app/planner.py:50';
/** A call that the program cannot make: it was read while the stack changed. */
const TORN =
  '<module> /app/run.py:9;Pacer.wait /app/roqsim/pacer.py:31;Publisher.publish /opt/rclpy/publisher.py:70';

/** So many looks with the holder of the GIL (`main`, `planner`, nobody), and what the two threads do. */
type Looks = readonly [
  count: number,
  holder: 'main' | 'planner' | '',
  main: readonly [state: string, stack: string],
  planner: readonly [state: string, stack: string],
];

/**
 * 1000 looks at a loop beside a planner that keeps the GIL. Of them the loop runs 310 (3 without a stack), waits 200 for the GIL and 40 for a
 * CPU, sleeps 350 and is blocked 100; the planner runs 590, waits 307 for the GIL and 60 for a CPU, and sleeps 43.
 */
const LOOKS: readonly Looks[] = [
  [200, 'main', ['R', STEP], ['G', SPIN]],
  [100, 'planner', ['G', STEP], ['R', SPIN]],
  [60, 'planner', ['G', STEP], ['W', SPIN]],
  [40, '', ['W', STEP], ['S', REST]],
  [107, 'main', ['R', PUBLISH], ['G', SPIN]],
  [100, 'planner', ['B', PUBLISH], ['R', SPIN]],
  [345, 'planner', ['S', PACE], ['R', SPIN]],
  [5, 'planner', ['S', TORN], ['R', SPIN]],
  [40, 'planner', ['G', PACE], ['P', SPIN]],
  [3, 'main', ['R', ''], ['S', REST]],
];

/** The file of it; TORN alone is never verified. */
export function contendedSamples(): string {
  const file = new SamplesFile();
  const [main, planner] = [
    file.thread({ tid: 11, name: 'MainThread' }),
    file.thread({ tid: 12, name: 'planner' }),
  ];
  const holders = { main, planner, '': undefined };
  const entry = (thread: number, [state, stack]: readonly [string, string]): string =>
    `${thread}${state}${stack === '' ? '-' : `${file.stack(stack)}${stack === TORN ? '' : 'v'}`}`;
  for (const [count, holder, own, other] of LOOKS) {
    const entries = [entry(main, own), entry(planner, other)];
    for (let look = 0; look < count; look += 1) file.tick(TICK_NS, holders[holder], ...entries);
  }
  return file.text({ ticks: 1000, dueTicks: 1000 });
}

/** The same read as a bare file. */
export async function contendedFile(): Promise<Loaded> {
  const profile = await readProfile([new TextEncoder().encode(contendedSamples())], { path: 'gil.samples' });
  return { profile, source: { path: 'gil.samples', format: 'cpython' }, findings: [] };
}

function account(tid: number, name: string, on: number, wait: number) {
  const wallNs = 2e9;
  return threadAccounting({ tid, name, wallNs, onCpuNs: on * wallNs, cpuWaitNs: wait * wallNs });
}

/** And as a recording whose kernel says the same as its samples: 31 % on a CPU, 4 % without one, and 59 % and 6 % of the planner. */
export async function contendedRecording(): Promise<Loaded> {
  const { profile } = await contendedFile();
  const made = recording({
    backend: 'cpython',
    rateHz: 500,
    slices: [
      slice({
        file: 'slices/000.samples',
        format: 'cpython',
        machineCpu: { busyNs: 3e9, stolenNs: 0 },
        accounting: [account(11, 'MainThread', 0.31, 0.04), account(12, 'planner', 0.59, 0.06)],
      }),
    ],
  });
  return loadedRecording(profile, made);
}
