import { describe, expect, it } from 'vitest';
import { fixtureText } from '../simulator/fixture.js';
import { corroborationJson, corroborationText } from '../../src/report/index.js';
import {
  BRIDGE,
  COVERAGE,
  HONEST,
  HONEST_HOOKS,
  HOOK,
  IMU,
  LIDAR,
  LOOP_LINE,
  type Looks,
  STEP,
  WAIT,
  answerOf,
  held,
  hookTable,
  lineOf,
  recordedRun,
  timers,
  verdicts,
} from './corroborated-run.js';

const LOG = `${hookTable(HONEST_HOOKS)}${LOOP_LINE}${timers({ STEP: 395 })}`;

/** The honest run with other looks in place of some of its sleep. */
function instead(looks: readonly Looks[]): readonly Looks[] {
  const taken = looks.reduce((sum, [count]) => sum + count, 0);
  return [...HONEST.slice(0, -1), ...looks, [1100 - taken, 'sleep', WAIT]];
}

const factor = (value: string, looks: readonly Looks[], command: readonly string[] = ['python3', 'sim.py']) =>
  lineOf(
    answerOf(
      LOOP_LINE.replace('1.00x', `${value}x`),
      recordedRun(looks, { target: { pid: 48211, startTicks: 1, command, runtime: 'python', uid: 0 } }),
    ),
    'real-time factor',
  );

const loadTable = (compileMs: number): string =>
  [
    'load-phase timing (totals, ms):',
    '  resolve_plugins               401.0',
    '  world_load                    198.0',
    `  compile                  ${compileMs.toFixed(1).padStart(10)}`,
    '  setup_total                  2810.0',
    '  spare_parts                     1.0',
    'per-plugin build/configure (count / total ms / max ms):',
    '  imu                      configure      1      603.0     603.0',
    '',
  ].join('\n');

const odometryLog = (us: number): string =>
  `${hookTable({ 'imu/post_step': 100, 'odometry/post_step': us })}${LOOP_LINE}`;

const countedLine = (steps: number) =>
  lineOf(
    answerOf(`${LOOP_LINE.replace('2000', String(steps))}${timers({ STEP: 400 })}`, recordedRun(HONEST)),
    'steps counted',
  );

const stepped = (us: number, looks: readonly Looks[] = HONEST, more: object = {}) =>
  lineOf(answerOf(`${LOOP_LINE}${timers({ STEP: us }, more)}`, recordedRun(looks)), 'mj_step');

const lib = (name: string): string => `${STEP};${name} (mujoco/libmujoco.so.4.0.0)`;

describe('an honest log of one run', () => {
  it('agrees line by line, in microseconds of each step', () => {
    const found = answerOf(LOG, recordedRun(HONEST));
    expect(verdicts(found)).toEqual([
      ['steps counted', 'agrees', 2000, 2000],
      ['real-time factor', 'agrees', 1, undefined],
      ['mj_step', 'agrees', 395, 400],
      ['diff_drive pre_step', 'agrees', 99, 100],
      ['front_lidar post_step', 'agrees', 61, 60],
      ['imu post_step', 'agrees', 98, 100],
      ['rear_scanner post_step', 'agrees', 42, 40],
      ['ros2_bridge post_step', 'agrees', 205, 200],
    ]);
    expect(found.findings).toEqual([]);
    expect(found.rate).toEqual({ value: 500, low: 500, high: 500, from: 'loop' });
  });

  it('has intervals of counting for twenty lines, with the bias of a paced loop', () => {
    const { low = 0, high = 0 } = lineOf(answerOf(LOG, recordedRun(HONEST)), 'imu post_step').samples ?? {};
    const counting = 3.02 * Math.sqrt((0.05 * 0.95 + 1 / 2004) / 2000);
    expect(low).toBeCloseTo(100 - (counting + 0.013) * 2000, 6);
    expect(high).toBeCloseTo(100 + (counting + 0.013) * 2000, 6);
  });

  it('of a run that was sampled in part has wider ones, since its other part may differ', () => {
    // Half of the run: 100 µs a step in it, and from 50 to 200 in the other.
    const whole = answerOf(LOG, recordedRun(HONEST));
    const half = answerOf(LOG.replace('2000 steps in 4.000s', '4000 steps in 8.000s'), recordedRun(HONEST));
    const [of, ofHalf] = [whole, half].map((found) => lineOf(found, 'imu post_step').samples);
    expect(ofHalf?.value).toBeCloseTo(100, 6);
    expect(ofHalf?.low).toBeCloseTo((of?.low ?? 0) * 0.75, 6);
    expect(ofHalf?.high).toBeCloseTo((of?.high ?? 0) * 1.5, 6);
    expect(lineOf(half, 'real-time factor').samples?.low).toBeCloseTo(
      (lineOf(whole, 'real-time factor').samples?.low ?? 0) / 2,
      6,
    );
    expect(half.findings.map(({ id }) => id)).toEqual(['steps-disagrees', 'part-of-run-sampled']);
  });

  it('names functions, each by its row', () => {
    const { lines } = answerOf(LOG, recordedRun(HONEST));
    expect(lines.flatMap(({ place }) => place ?? [])).toEqual([
      'DiffDrivePlugin.pre_step (rover_sim/plugins/diff_drive.py)',
      'LidarPlugin.post_step (rover_sim/plugins/lidar.py)',
      'ImuPlugin.post_step (rover_sim/plugins/imu.py)',
      // Told by nothing but that one row and one function are left.
      'CoveragePlugin.post_step (rover_sim/plugins/coverage.py)',
      'BridgeBase.post_step (rover_sim/bridge.py)',
    ]);
  });
});

describe('a hook that lies', () => {
  it('is found where it sleeps outside its timer, with the function that sleeps', () => {
    const nap = `${IMU};ImuPlugin._settle (rover_sim/plugins/imu.py:40) #time.sleep(self._lie)`;
    const found = answerOf(LOG, recordedRun(instead([[300, 'sleep', nap]])));
    expect(found.lines.filter(({ verdict }) => verdict === 'disagrees')).toMatchObject([
      {
        name: 'imu post_step',
        table: { value: 98 },
        samples: { value: 400 },
        reason:
          'it sleeps or blocks for 300 µs of each step, most in ImuPlugin._settle (rover_sim/plugins/imu.py), and the timer of the hook does not hold all of that',
      },
    ]);
    expect(found.findings[0]).toMatchObject({
      level: 'warning',
      id: 'hook-disagrees',
      what: 'imu post_step: the table and the samples disagree.',
    });
  });

  it('is found by what its sleep brings with it, where it waits far more than the rest of the work', () => {
    const nap = `${IMU};ImuPlugin._settle (rover_sim/plugins/imu.py:40)`;
    const looks = instead([
      [50, 'sleep', nap],
      [450, 'cpu-wait', nap],
      [40, 'cpu-wait', STEP],
    ]);
    expect(lineOf(answerOf(LOG, recordedRun(looks)), 'imu post_step').reason).toBe(
      'it sleeps or blocks for 50.0 µs of each step, most in ImuPlugin._settle (rover_sim/plugins/imu.py), then waits 450 µs for a CPU or the GIL, and the timer of the hook does not hold all of that',
    );
    const busy = instead([
      [50, 'sleep', nap],
      [150, 'cpu-wait', nap],
      [500, 'cpu-wait', STEP],
    ]);
    expect(lineOf(answerOf(LOG, recordedRun(busy)), 'imu post_step').reason).toContain(
      'the machine was busier',
    );
  });

  it.each([
    ['gil-wait', 'it waits for the GIL for 300 µs of each step'],
    ['cpu-wait', 'it waits for a CPU for 300 µs of each step'],
    ['running', 'its function does more than its timer holds, most in work (rover_sim/plugins/imu.py)'],
  ] as const)('is told from one that shows more of %s', (state, reason) => {
    const found = answerOf(
      LOG,
      recordedRun(instead([[300, state, `${IMU};work (rover_sim/plugins/imu.py:60)`]])),
    );
    expect(lineOf(found, 'imu post_step').reason).toContain(reason);
  });

  it('is found where its table says more than there is', () => {
    const log = `${hookTable({ ...HONEST_HOOKS, 'imu/post_step': 500 })}`;
    expect(lineOf(answerOf(`${log}${LOOP_LINE}`, recordedRun(HONEST)), 'imu post_step')).toMatchObject({
      verdict: 'disagrees',
      reason: expect.stringContaining('its mean is amortised over calls') as string,
    });
    // Of a short part of a run the mean says little.
    const long = LOOP_LINE.replace('2000 steps in 4.000s', '15000 steps in 30.000s');
    expect(lineOf(answerOf(`${log}${long}`, recordedRun(HONEST)), 'imu post_step').reason).toContain(
      'the recording holds 4.0 of its 30.0 s',
    );
  });
});

describe('rows and functions of hooks', () => {
  it('instances that share a function are compared together', () => {
    const log = `${hookTable({ 'front_lidar/post_step': 31, 'rear_lidar/post_step': 30 })}${LOOP_LINE}`;
    expect(verdicts(answerOf(log, recordedRun(HONEST))).at(-1)).toEqual([
      'front_lidar + rear_lidar post_step',
      'agrees',
      61,
      60,
    ]);
  });

  it('where names tell nothing, all rows are compared with all functions', () => {
    const log = `${hookTable({ 'alpha/post_step': 100, 'beta/post_step': 210, 'imu/post_step': 98 })}${LOOP_LINE}`;
    const found = answerOf(log, recordedRun(HONEST));
    expect(verdicts(found).slice(1)).toEqual([
      ['alpha post_step', 'not-comparable', 100, undefined],
      ['beta post_step', 'not-comparable', 210, undefined],
      ['imu post_step', 'agrees', 98, 100],
      ['all post_step', 'agrees', 408, 400],
    ]);
  });

  it('a row that is called nothing but a plugin fits none of them', () => {
    const log = `${hookTable({ 'Plugin/post_step': 100, 'imu/post_step': 98 })}${LOOP_LINE}`;
    expect(lineOf(answerOf(log, recordedRun(HONEST)), 'Plugin post_step').verdict).toBe('not-comparable');
  });

  it('a row that fits two functions equally well is compared with neither', () => {
    const looks: readonly Looks[] = [
      [400, 'running', STEP],
      [100, 'running', LIDAR],
      [100, 'running', LIDAR.replace('rover_sim/plugins', 'other_sim/plugins')],
      [1400, 'sleep', WAIT],
    ];
    const log = `${hookTable({ 'lidar/post_step': 200 })}${LOOP_LINE}`;
    expect(verdicts(answerOf(log, recordedRun(looks))).slice(1)).toEqual([
      ['lidar post_step', 'not-comparable', 200, undefined],
      ['all post_step', 'agrees', 200, 200],
    ]);
  });

  it('a hook that no sample was in agrees as long as it is short', () => {
    const looks: readonly Looks[] = [
      [400, 'running', STEP],
      [100, 'running', IMU],
      [1500, 'sleep', WAIT],
    ];
    expect(verdicts(answerOf(odometryLog(3), recordedRun(looks))).at(-1)).toEqual([
      'odometry post_step',
      'agrees',
      3,
      0,
    ]);
    expect(lineOf(answerOf(odometryLog(300), recordedRun(looks)), 'odometry post_step')).toMatchObject({
      verdict: 'disagrees',
      reason: 'no sample was in it: it may run in a function of another name, or in another thread',
    });
  });

  it('a hook that another hook calls is part of the outer one', () => {
    const looks: readonly Looks[] = [
      [400, 'running', STEP],
      [200, 'running', `${BRIDGE};ImuPlugin.post_step (rover_sim/plugins/imu.py:52)`],
      [1400, 'sleep', WAIT],
    ];
    const log = `${hookTable({ 'ros2_bridge/post_step': 200, 'imu/post_step': 2 })}${LOOP_LINE}`;
    expect(verdicts(answerOf(log, recordedRun(looks))).slice(1)).toEqual([
      ['ros2_bridge post_step', 'agrees', 200, 200],
      ['imu post_step', 'agrees', 2, 0],
    ]);
  });
});

describe('how many steps there were', () => {
  it('without any count nothing of a step is compared', () => {
    expect(verdicts(answerOf(hookTable({ 'imu/post_step': 98 }), recordedRun(HONEST)))).toEqual([
      ['imu post_step', 'not-comparable', 98, undefined],
    ]);
  });

  it('is taken from --step-rate before anything else', () => {
    const found = answerOf(hookTable({ 'imu/post_step': 198 }), recordedRun(HONEST), { stepRate: 250 });
    expect(verdicts(found)).toEqual([['imu post_step', 'agrees', 198, 200]]);
    expect(found.rate?.from).toBe('given');
  });

  it('is that of the probe on its steps, where the log has none: then mj_step is held against it too', () => {
    const log = `${hookTable({ 'imu/post_step': 198 })}${timers({ STEP: 800 })}`;
    const during = { phase: 'during', startNs: '1000000000', endNs: '5000000000', steps: 1000 } as const;
    const steps = { symbol: 'mj_step', tid: 48211, worlds: 1, stepsPerS: 249, phases: [during] };
    const found = answerOf(log, recordedRun(HONEST, { steps }));
    expect(verdicts(found)).toEqual([
      ['mj_step', 'agrees', 800, 800],
      ['imu post_step', 'agrees', 198, 200],
    ]);
    expect(found.rate).toEqual({ value: 250, low: 250, high: 250, from: 'probe' });
  });

  it('is told by the timers of MuJoCo with the samples of physics, which then prove nothing about mj_step', () => {
    const log = `${hookTable({ 'imu/post_step': 98 })}${timers({ STEP: 400 })}`;
    const found = answerOf(log, recordedRun(HONEST));
    expect(verdicts(found)).toEqual([
      ['mj_step', 'not-comparable', 400, undefined],
      ['imu post_step', 'agrees', 98, 100],
    ]);
    expect(found.rate).toMatchObject({ from: 'timers' });
    expect(found.rate?.value).toBeCloseTo(500, 6);
    // How well the rate is known goes into every time of a step.
    const { low = 0, high = 0 } = found.rate ?? {};
    const exact = lineOf(answerOf(LOG, recordedRun(HONEST)), 'imu post_step').samples;
    const imu = lineOf(found, 'imu post_step').samples;
    expect(low).toBeLessThan(410);
    expect(imu?.low).toBeCloseTo(((exact?.low ?? 0) * 500) / high, 6);
    expect(imu?.high).toBeCloseTo(((exact?.high ?? 0) * 500) / low, 6);
  });

  it('counts of two sources have to be the same', () => {
    expect(countedLine(2002).verdict).toBe('agrees');
    expect(countedLine(2100)).toMatchObject({
      verdict: 'disagrees',
      reason: 'the data were reset, which clears the timers, or the loop counts a step of several as more',
    });
    expect(countedLine(500).reason).toBe('the loop makes 4.0 steps of physics in each of its own');
  });
});

describe('a step of physics', () => {
  it('leaves out the wait for the GIL that follows it', () => {
    const looks = instead([[500, 'gil-wait', STEP]]);
    expect(stepped(400, looks)).toMatchObject({ verdict: 'agrees' });
    expect(stepped(900, looks)).toMatchObject({ verdict: 'disagrees' });
  });

  it('holds waits for a CPU, as the clock does', () => {
    expect(stepped(900, instead([[500, 'cpu-wait', STEP]])).verdict).toBe('agrees');
  });

  it('is told from a clock in Python', () => {
    expect(stepped(700, HONEST, { callback: true }).reason).toBe(
      'the clock of MuJoCo is a callback in Python here, whose own time and waits for the GIL are in every phase',
    );
    expect(stepped(700).reason).toContain('the timers are of all of the run');
  });
});

describe('phases of a step', () => {
  /** Of 400 samples of a step by PGS: its projection is in functions that other phases use, too. */
  const PGS: readonly Looks[] = [
    [100, 'running', lib('mj_collision')],
    [120, 'running', lib('solPGS')],
    [40, 'running', lib('mj_rne')],
    [140, 'running', lib('mju_sqrMatTDSparse')],
    [1600, 'sleep', WAIT],
  ];
  const US = {
    STEP: 400,
    POSITION: 240,
    POS_COLLISION: 100,
    COL_NARROW: 80,
    POS_PROJECT: 134,
    CONSTRAINT: 120,
  };

  it('of a PGS run agree on the projection of constraints, which unambiguous leaves have nothing of', () => {
    const found = answerOf(`${LOOP_LINE}${timers(US)}`, recordedRun(PGS));
    expect(verdicts(found).slice(3)).toEqual([
      ['mjTIMER_POSITION', 'agrees', 0.6, 0.25],
      ['mjTIMER_POS_COLLISION', 'agrees', 0.25, 0.25],
      ['mjTIMER_COL_NARROW', 'not-comparable', 0.2, undefined],
      ['mjTIMER_POS_PROJECT', 'agrees', 0.335, 0],
      ['mjTIMER_CONSTRAINT', 'agrees', 0.3, 0.3],
    ]);
    // From none of the ambiguous samples to all of them.
    const { low, high } = lineOf(found, 'mjTIMER_POS_PROJECT').samples ?? {};
    const counting = 3.02 * Math.sqrt((0.35 * 0.65 + 1 / 404) / 400);
    expect(low).toBe(0);
    expect(high).toBeCloseTo(0.35 + counting + 0.013, 6);
  });

  it('disagree where a timer says more than all leaves that it could have', () => {
    const found = answerOf(`${LOOP_LINE}${timers({ ...US, POS_COLLISION: 280 })}`, recordedRun(PGS));
    expect(lineOf(found, 'mjTIMER_POS_COLLISION')).toMatchObject({
      verdict: 'disagrees',
      table: { value: 0.7 },
    });
    const less = answerOf(`${LOOP_LINE}${timers({ ...US, POS_COLLISION: 20 })}`, recordedRun(PGS));
    expect(lineOf(less, 'mjTIMER_POS_COLLISION').reason).toContain('what MuJoCo does not time');
  });

  it('of the table that FlyGym prints are the same phases', () => {
    // Its loop was far shorter than this recording, which is refused.
    const [, , ...log] = fixtureText('flygym-2.1/timing.txt').split('\n');
    const lines = answerOf(log.join('\n'), recordedRun(PGS)).lines.filter(
      ({ subject }) => subject === 'phase',
    );
    expect(lines.map(({ name }) => name)).toEqual([
      'forward dynamics',
      'position',
      'kinematics',
      'inertia',
      'collision',
      'broad-phase',
      'narrow-phase',
      'make constraints',
      'project constraints',
      'velocity',
      'actuation',
      'constraint solve',
      'integrate (advance)',
    ]);
    expect(lines.filter(({ samples }) => samples === undefined).map(({ name }) => name)).toEqual([
      'broad-phase',
      'narrow-phase',
    ]);
  });

  it('are one line that says why where no native function was sampled', () => {
    const found = answerOf(`${LOOP_LINE}${timers(US)}`, recordedRun(HONEST));
    expect(lineOf(found, 'phases of the step')).toEqual({
      subject: 'phase',
      name: 'phases of the step',
      unit: 'share',
      verdict: 'not-comparable',
      reason:
        'no native function of MuJoCo is in the samples: record with --native, or --backend py-spy+perf',
    });
  });

  it('are of the release that the native frames name', () => {
    expect(held(timers(US, { mujoco: '3.14.0' }), recordedRun(PGS))).toEqual([
      { field: 'mujoco', table: '3.14.0', recording: '4.0.0' },
    ]);
  });
});

describe('the real-time factor', () => {
  const BUSY: readonly Looks[] = [[2000, 'running', STEP]];

  it('is never less than what the pacer rests of the pace', () => {
    expect(factor('0.60', HONEST).verdict).toBe('agrees');
    expect(factor('0.50', HONEST)).toMatchObject({
      verdict: 'disagrees',
      reason:
        'the pacer rests 55.0 % of the time, with which the run cannot have been so slow: the factor holds a start-up or a pause that was not sampled, or the run kept another pace than 1',
    });
  });

  it('is never more than the pace', () => {
    expect(factor('1.50', HONEST).reason).toContain('faster than the pace of 1');
    expect(factor('1.50', BUSY, ['rover', '--pacing', '1']).reason).toContain(
      'faster than the pace of 1 that its command line tells',
    );
    expect(factor('1.50', HONEST, ['rover', '--pacing', '1.5']).verdict).toBe('agrees');
    expect(factor('1.50', HONEST, ['rover', '--pacing=1.5']).verdict).toBe('agrees');
  });

  it('of a loop that has no pacer, and is told of none, may be any', () => {
    expect(factor('7.31', BUSY)).toMatchObject({
      verdict: 'not-comparable',
      reason: 'no sample is in a pacer, and the command line names no pace: any factor may be',
    });
  });

  it('of a loop without a pace may be any, as long as nothing rests', () => {
    expect(factor('7.31', BUSY, ['rover', '--pacing', 'asap'])).toMatchObject({
      verdict: 'not-comparable',
      reason: 'the command line says that nothing is paced: any factor may be',
    });
    expect(factor('1.00', HONEST, ['rover', '--pacing', 'asap']).reason).toBe(
      'the pacer rests 55.0 % of the time, though the command line says that nothing is paced',
    );
  });
});

describe('a log of another run', () => {
  it.each([
    ['pid', { pid: 7 }, '7', '48211'],
    ['kernel', { kernel: '5.15.0' }, '5.15.0', '6.1.0'],
    ['python', { python: '3.12.1' }, '3.12.1', '3.11.7'],
  ])('is told by its %s', (field, more, table, other) => {
    expect(held(timers({ STEP: 400 }, more), recordedRun(HONEST))).toEqual([
      { field, table, recording: other },
    ]);
  });

  it('is told by its timestep, and by a run that was shorter than what was sampled', () => {
    expect(held(timers({ STEP: 400 }), recordedRun(HONEST), { timestep: 0.004 })).toEqual([
      { field: 'timestep', table: '0.002', recording: '0.004' },
    ]);
    expect(held(LOOP_LINE.replace('4.000s', '2.900s'), recordedRun(HONEST))).toEqual([
      { field: 'wall', table: '2.9 s of the whole loop', recording: '4.0 s of it sampled' },
    ]);
  });

  it('is not told by the pid that a container gives it', () => {
    const target = { pid: 48211, nsPid: 27, startTicks: 1, command: ['x'], runtime: 'python', uid: 0 };
    expect(
      verdicts(answerOf(timers({ STEP: 400 }, { pid: 27 }), recordedRun(HONEST, { target }))),
    ).toHaveLength(1);
  });

  it('after another in the same log is the one that is compared', () => {
    const log = `${hookTable({ 'imu/post_step': 5000 })}${LOOP_LINE}${hookTable({ 'imu/post_step': 98 })}`;
    const found = answerOf(log, recordedRun(HONEST));
    expect(lineOf(found, 'imu post_step').verdict).toBe('agrees');
    expect(found.findings.map(({ id }) => id)).toContain('several-runs');
  });
});

describe('a start-up', () => {
  const SETUP = 'main (rover_sim/runner.py:9);Engine.setup (rover_sim/engine.py:60)';
  const LOADING: readonly Looks[] = [
    [
      200,
      'running',
      'main (rover_sim/runner.py:9);Engine.__init__ (rover_sim/engine.py:30);resolve_plugins (rover_sim/registry.py:20)',
    ],
    [1000, 'running', `${SETUP} #self.model = mujoco.MjModel.from_xml_string(text)`],
    [100, 'blocked', `${SETUP};load_world (rover_sim/world.py:9)`],
    [
      300,
      'running',
      `${SETUP};Engine._call_all (rover_sim/engine.py:90);ImuPlugin.configure (rover_sim/plugins/imu.py:14)`,
    ],
    [400, 'running', '<module> (rover_sim/__main__.py:1)'],
  ];

  it('is compared phase by phase with a recording of it', () => {
    const found = answerOf(loadTable(2005), recordedRun(LOADING, { phase: 'load' }));
    expect(verdicts(found)).toEqual([
      ['resolve_plugins', 'agrees', 401_000, 400_000],
      ['world_load', 'agrees', 198_000, 200_000],
      ['compile', 'agrees', 2_005_000, 2_000_000],
      ['setup_total', 'agrees', 2_810_000, 2_800_000],
      ['spare_parts', 'not-comparable', 1000, undefined],
      ['imu configure', 'agrees', 603_000, 600_000],
    ]);
    const wrong = answerOf(loadTable(900), recordedRun(LOADING, { phase: 'load' }));
    expect(lineOf(wrong, 'compile').reason).toContain('the timer ends before the work does');
  });

  it('is not compared with a recording of the loop', () => {
    expect(lineOf(answerOf(loadTable(2005), recordedRun(HONEST)), 'start-up').reason).toBe(
      'the recording is of the loop: record the start-up with profiler run --load',
    );
  });
});

describe('the lag of an event loop', () => {
  const RUN_ONCE = 'main (robot.py:9);BaseEventLoop._run_once (asyncio/base_events.py:1936)';
  const CALLBACK = `${RUN_ONCE};Handle._run (asyncio/events.py:84)`;
  const looped = (blocked: number): readonly Looks[] => [
    [blocked, 'blocked', `${CALLBACK};Servo.set_position (raccoon/hal.py:40)`],
    [100, 'running', `${CALLBACK};drive (robot.py:4)`],
    [1900 - blocked, 'sleep', `${RUN_ONCE};EpollSelector.select (selectors.py:468)`],
  ];
  /** A trace of 4 s in which the loop was late for 8 times 50 ms. */
  const trace = JSON.stringify({
    traceEvents: [
      { ph: 'M', pid: 1, tid: 9, name: 'thread_name', args: { name: 'event-loop-lag' } },
      {
        ph: 'X',
        pid: 1,
        tid: 0,
        cat: 'step',
        name: 'Drive',
        ts: 1000,
        dur: 3_999_000,
        args: { path: 'Drive', execute_ms: 3999 },
      },
      ...Array.from({ length: 8 }, (_, at) => ({
        ph: 'C',
        pid: 1,
        tid: 9,
        name: 'loop_lag',
        ts: 400_000 * (at + 1),
        args: { ms: 50 },
      })),
    ],
  });

  it('agrees with the callbacks that held the loop, and names the heaviest', () => {
    const line = lineOf(answerOf(trace, recordedRun(looped(250))), 'event-loop lag');
    expect(line).toMatchObject({
      verdict: 'agrees',
      place: 'Servo.set_position (raccoon/hal.py)',
    });
    expect(line.table?.value).toBeCloseTo(0.1, 6);
    expect(line.samples?.value).toBeCloseTo(0.175, 6);
  });

  it('names the garbage collector where it is most of that', () => {
    const collected: readonly Looks[] = [
      [240, 'running', `${CALLBACK};main (robot.py:9);<GC>`],
      [60, 'running', `${CALLBACK};drive (robot.py:4)`],
      [1700, 'sleep', `${RUN_ONCE};EpollSelector.select (selectors.py:468)`],
    ];
    const found = answerOf(trace, recordedRun(collected));
    expect(lineOf(found, 'event-loop lag').place).toBe('the garbage collector (80.0 % of it)');
    expect(found.findings.map(({ id }) => id)).toEqual(['run-not-told']);
  });

  it('disagrees where nothing in the samples held it for so long', () => {
    const quiet: readonly Looks[] = [
      [20, 'running', `${CALLBACK};drive (robot.py:4)`],
      [1980, 'sleep', `${RUN_ONCE};EpollSelector.select (selectors.py:468)`],
    ];
    expect(lineOf(answerOf(trace, recordedRun(quiet)), 'event-loop lag')).toMatchObject({
      verdict: 'disagrees',
      reason: expect.stringContaining('held the loop for 1.0 % of the recording') as string,
    });
  });

  it('is not compared with a program that has no event loop', () => {
    expect(lineOf(answerOf(trace, recordedRun(HONEST)), 'event-loop lag').verdict).toBe('not-comparable');
  });
});

describe('what is printed', () => {
  const nap = `${IMU};ImuPlugin._settle (rover_sim/plugins/imu.py:40)`;
  const found = {
    ...answerOf(
      `${hookTable(HONEST_HOOKS)}${LOOP_LINE}${timers({ STEP: 395, ADVANCE: 20 })}`,
      recordedRun(instead([[300, 'sleep', nap]])),
    ),
    source: 'sim.log',
    recording: { path: 'recordings/run1', format: 'recording' },
  };

  it('has both figures, the interval and the verdict of each line, and says why', () => {
    expect(corroborationText(found, { width: 80, color: false })).toBe(
      `  sim.log against recordings/run1: 4.0 s sampled of a run of 4.0 s; 500 steps/s,
  as the loop counted them.
  Warning: imu post_step: the table and the samples disagree. Likeliest: it
    sleeps or blocks for 300 µs of each step, most in ImuPlugin._settle
    (rover_sim/plugins/imu.py), and the timer of the hook does not hold all of
    that.
                            table  samples              95 %
  steps counted             2,000    2,000     1,998 – 2,002  agrees
  real-time factor           1.00                0.35 – 1.02  agrees
  mj_step                  395 µs   400 µs   320 µs – 480 µs  agrees
  phases of the step                                          not comparable
  diff_drive pre_step     99.0 µs   100 µs  44.4 µs – 156 µs  agrees
  front_lidar post_step   61.0 µs  60.0 µs  10.8 µs – 109 µs  agrees
  imu post_step           98.0 µs   400 µs   320 µs – 480 µs  DISAGREES
  rear_scanner post_step  42.0 µs  40.0 µs    0 µs – 85.1 µs  agrees
  ros2_bridge post_step    205 µs   200 µs   133 µs – 267 µs  agrees
  7 lines agree, 1 disagrees, 1 cannot be compared. Times of hooks and of
  mj_step are of one step.
  Not compared: phases of the step: no native function of MuJoCo is in the
    samples: record with --native, or --backend py-spy+perf.
`,
    );
  });

  it('is the same in JSON', () => {
    const json = JSON.parse(corroborationJson(found)) as Record<string, unknown>;
    expect(json).toMatchObject({
      schema: 'sim-profiler/v1',
      kind: 'corroboration',
      source: { path: 'sim.log' },
      recording: { path: 'recordings/run1', format: 'recording' },
      window: { recordedS: 4, runS: 4 },
      stepRate: { value: 500, low: 500, high: 500, from: 'loop' },
    });
    expect((json['lines'] as readonly unknown[])[0]).toEqual({
      subject: 'steps',
      name: 'steps counted',
      unit: 'steps',
      table: { value: 2000 },
      samples: { value: 2000, low: 1998, high: 2002 },
      verdict: 'agrees',
    });
  });
});

describe('a hook that is not the physics thread’s', () => {
  it('keeps to Python functions: a native one of the same name is none', () => {
    const looks: readonly Looks[] = [
      [400, 'running', STEP],
      [200, 'running', `${HOOK};post_step (libplugin.so)`],
      [100, 'running', COVERAGE],
      [1300, 'sleep', WAIT],
    ];
    const log = `${hookTable({ 'coverage/post_step': 100 })}${LOOP_LINE}`;
    expect(verdicts(answerOf(log, recordedRun(looks))).at(-1)).toEqual([
      'coverage post_step',
      'agrees',
      100,
      100,
    ]);
  });
});
