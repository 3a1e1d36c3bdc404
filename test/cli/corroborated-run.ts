import { ProfileBuilder, SAMPLE_STATES, type SampleState } from '../../src/model/index.js';
import { corroborationOf } from '../../src/cli/corroborate.js';
import type { Recording } from '../../src/recording/index.js';
import type { Corroboration, CorroborationLine, Difference } from '../../src/report/index.js';
import { builtInPacks, compileRules, parseFoldedFrames } from '../../src/rules/index.js';
import { readTables } from '../../src/simulator/index.js';
import { loadedRecording } from '../loaded-recording.js';
import { recording, slice, threadAccounting } from '../recording/example.js';

const RULES = compileRules(builtInPacks);

/** So many samples of the physics thread in a state and a stack (as rules carry them as examples). */
export type Looks = readonly [count: number, state: SampleState, stack: string];

const LOOP = 'main (rover_sim/runner.py:9);Runner._tick (rover_sim/runner.py:60)';
export const STEP = `${LOOP};Engine.step (rover_sim/engine.py:107) #mujoco.mj_step(self.model, self.data)`;
export const HOOK = `${LOOP};Engine.step (rover_sim/engine.py:110);Engine._timed (rover_sim/engine.py:120)`;
export const WAIT = `${LOOP};Pacer.wait (rover_sim/clock.py:50) #time.sleep((due - now) / 1e9)`;
export const IMU = `${HOOK};ImuPlugin.post_step (rover_sim/plugins/imu.py:52)`;
export const LIDAR = `${HOOK};LidarPlugin.post_step (rover_sim/plugins/lidar.py:9)`;
export const COVERAGE = `${HOOK};CoveragePlugin.post_step (rover_sim/plugins/coverage.py:16)`;
export const BRIDGE = `${HOOK};BridgeBase.post_step (rover_sim/bridge.py:33)`;
export const DRIVE = `${HOOK};DiffDrivePlugin.pre_step (rover_sim/plugins/diff_drive.py:76)`;

/** 4 s at 500 Hz and 500 steps/s: a sample is 0.05 % of the time, or 1 µs of each step. */
export const HONEST: readonly Looks[] = [
  [400, 'running', STEP],
  [100, 'running', IMU],
  [60, 'running', `${LIDAR};RayCaster.cast_many (rover_sim/raycast.py:20)`],
  [40, 'running', COVERAGE],
  [200, 'running', BRIDGE],
  [100, 'running', DRIVE],
  [1100, 'sleep', WAIT],
];

/** A recording of 4 s whose kernel says what its samples say. */
export function recordedRun(looks: readonly Looks[], changes: Partial<Recording> = {}) {
  const builder = new ProfileBuilder('samples', { format: 'cpython' });
  const thread = builder.thread({ tid: 48211, name: 'MainThread' });
  const all = looks.reduce((sum, [count]) => sum + count, 0);
  const of = (state: SampleState): number =>
    looks.reduce((sum, [count, own]) => sum + (own === state ? count : 0), 0) / all;
  for (const [count, state, folded] of looks) {
    const stack = builder.stackOf(parseFoldedFrames(folded).map((frame) => builder.frame(frame)));
    builder.sample(stack, thread, count, undefined, SAMPLE_STATES.indexOf(state));
  }
  const wallNs = 4e9;
  const made = recording({
    backend: 'cpython',
    rateHz: 500,
    slices: [
      slice({
        file: 'slices/000.samples',
        format: 'cpython',
        startNs: '1000000000',
        endNs: '5000000000',
        samples: all,
        errors: 0,
        machineCpu: { busyNs: 4e9, stolenNs: 0 },
        accounting: [
          threadAccounting({
            wallNs,
            onCpuNs: Math.round(of('running') * wallNs),
            cpuWaitNs: Math.round(of('cpu-wait') * wallNs),
            voluntarySwitches: 2000,
          }),
        ],
      }),
    ],
    ...changes,
  });
  return loadedRecording(builder.build(), made);
}

/** Rows of roqsim's table of hooks. */
export function hookTable(rows: Readonly<Record<string, number>>): string {
  const lines = Object.entries(rows).map(([key, us]) => {
    const [name = '', hook = ''] = key.split('/');
    return `  ${name.padEnd(24)} ${hook.padEnd(10)} ${us.toFixed(2).padStart(10)} µs`;
  });
  return ['per-plugin hook timing (avg µs/call):', ...lines, ''].join('\n');
}

export const HONEST_HOOKS = {
  'diff_drive/pre_step': 99,
  'front_lidar/post_step': 61,
  'imu/configure': 9000,
  'imu/post_step': 98,
  'rear_scanner/post_step': 42,
  'ros2_bridge/post_step': 205,
};

/** The line of a loop of 4 s, all of which was sampled. */
export const LOOP_LINE = 'Simulated 2000 steps in 4.000s (500 steps/s, 1.00x realtime, whole loop).\n';

/** A dump of MuJoCo's timers: microseconds of each step, by phase. */
export function timers(us: Readonly<Record<string, number>>, more: object = {}): string {
  const steps = 2000;
  const timer = Object.fromEntries(
    Object.entries(us).map(([phase, each]) => [
      `mjTIMER_${phase}`,
      { number: steps, duration: (each * steps) / 1e6 },
    ]),
  );
  return `${JSON.stringify({
    mujoco_timer: 1,
    unit: 's',
    callback: false,
    mujoco: '4.0.0',
    python: '3.11.7',
    pid: 48211,
    kernel: '6.1.0',
    timestep: 0.002,
    timer,
    ...more,
  })}\n`;
}

type Asked = Parameters<typeof corroborationOf>[3];

/** The answer, or where both are not of one run. */
export function held(
  log: string,
  run: ReturnType<typeof recordedRun>,
  asked: Asked = {},
): Corroboration | readonly Difference[] {
  const result = corroborationOf(run, RULES, readTables(log), asked);
  if (result === undefined) throw new Error('a bare file');
  return 'answer' in result ? result.answer : result.differences;
}

export function answerOf(...args: Parameters<typeof held>): Corroboration {
  const found = held(...args);
  if (!('lines' in found)) throw new Error(JSON.stringify(found));
  return found;
}

function round(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Number(value.toPrecision(4));
}

/** `[name, verdict, table, samples]` of each line, figures rounded to what can be read. */
export function verdicts({ lines }: Pick<Corroboration, 'lines'>): readonly (readonly unknown[])[] {
  return lines.map(({ name, verdict, table, samples }) => [
    name,
    verdict,
    round(table?.value),
    round(samples?.value),
  ]);
}

export function lineOf({ lines }: Pick<Corroboration, 'lines'>, name: string): CorroborationLine {
  const found = lines.find((line) => line.name === name);
  if (found === undefined) throw new Error(`no line ${name}: ${lines.map((line) => line.name).join(', ')}`);
  return found;
}
