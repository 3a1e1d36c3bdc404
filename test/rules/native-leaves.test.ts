import { describe, expect, it } from 'vitest';
import { foldedLines, type Frame, type Profile, ProfileBuilder } from '../../src/model/index.js';
import { builtInPacks, compileRules, withNativeLeaves } from '../../src/rules/index.js';

const RULES = compileRules(builtInPacks);

type Row = readonly [tid: number, frames: readonly Frame[], weight: number];

function profile(rows: readonly Row[], lost = 0): Profile {
  const builder = new ProfileBuilder('samples', { format: 'pyspy-raw' });
  for (const [tid, frames, weight] of rows) {
    const thread = builder.thread({ tid, name: tid === 1 ? 'MainThread' : `dds-${tid}` });
    builder.sample(builder.stackOf(frames.map((frame) => builder.frame(frame))), thread, weight);
  }
  builder.lostSamples(lost);
  return builder.build();
}

const python = (name: string, file: string, line: number, sourceText?: string): Frame => ({
  name,
  kind: 'python',
  file,
  line,
  ...(sourceText === undefined ? {} : { sourceText }),
});
const c = (name: string, module = 'mujoco/libmujoco.so.4.0.0'): Frame => ({ name, kind: 'native', module });

const RUN = python('run', 'rover_sim/runner.py', 10, 'self.engine.step()');
const STEP = [RUN, python('step', 'rover_sim/engine.py', 94, 'mujoco.mj_step(self.model, self.data)')];
const PLUGIN = [RUN, python('update', 'rover_sim/plugins/imu.py', 7, 'noise = self.rng.normal(0, 1)')];
const SLEEP = [RUN, python('wait', 'rover_sim/clock.py', 50, 'time.sleep(left)')];

const EVAL = c('_PyEval_EvalFrameDefault', 'libpython3.11.so.1.0');
const BELOW = [c('_start', 'python3.11'), c('Py_BytesMain', 'libpython3.11.so.1.0'), EVAL];
const CALL = c('_PyObject_Vectorcall', 'libpython3.11.so.1.0');
const BINDING = c('[_functions.so]', 'mujoco/_functions.so');
const COLLIDE = [...BELOW, CALL, BINDING, c('mj_step'), c('mj_collision')];
const SOLVE = [...BELOW, CALL, BINDING, c('mj_step'), c('mj_fwdConstraint')];
const NUMERICS = [...BELOW, CALL, c('random_normal', 'numpy/random/_generator.so')];
const SLEEPING = [...BELOW, CALL, c('clock_nanosleep', 'libc.so.6'), c('do_nanosleep', '[kernel]')];

function joined(sampled: Profile, native: Profile, options = {}): readonly string[] {
  const facts = { profile: native, rateHz: 500, wall: true, ...options };
  return [...foldedLines(withNativeLeaves(sampled, facts, RULES, 250))]
    .map((line) => line.replace(/^thread \((\d+)\): [^;]*;/, '$1;').replaceAll(/ \([^)]*\)/g, ''))
    .sort();
}

describe('native frames below lines of Python', () => {
  // 40 of 100 samples step, 20 are in a plugin, 40 sleep.
  const sampled = profile([
    [1, STEP, 40],
    [1, PLUGIN, 20],
    [1, SLEEP, 40],
  ]);

  it('are dealt out by bucket and share, below the last frame of the interpreter and its calling', () => {
    // As often as the lines: 40 % in physics, three quarters of it in collision; all of the plugin in numerics.
    const native = profile([
      [1, COLLIDE, 60],
      [1, SOLVE, 20],
      [1, NUMERICS, 40],
      [1, SLEEPING, 80],
    ]);
    expect(joined(sampled, native)).toEqual([
      '1;run;step;[_functions.so];mj_step;mj_collision 30',
      '1;run;step;[_functions.so];mj_step;mj_fwdConstraint 10',
      '1;run;update;random_normal 20',
      '1;run;wait 40',
    ]);
  });

  it('leave a line its own samples where perf saw less of its bucket, and never exceed it where perf saw more', () => {
    expect(
      joined(
        sampled,
        profile([
          [1, COLLIDE, 20],
          [1, SLEEPING, 180],
        ]),
      ),
    ).toEqual([
      '1;run;step 30',
      '1;run;step;[_functions.so];mj_step;mj_collision 10',
      '1;run;update 20',
      '1;run;wait 40',
    ]);
    expect(
      joined(
        sampled,
        profile([
          [1, COLLIDE, 190],
          [1, SLEEPING, 10],
        ]),
      ),
    ).toEqual(['1;run;step;[_functions.so];mj_step;mj_collision 40', '1;run;update 20', '1;run;wait 40']);
  });

  it('are held against the working lines alone where perf saw running threads alone', () => {
    // 30 of 60 running samples are physics; of the 60 working lines that is 30.
    const running = profile([
      [1, COLLIDE, 30],
      [1, BELOW, 30],
    ]);
    expect(joined(sampled, running, { wall: false })).toEqual([
      '1;run;step 10',
      '1;run;step;[_functions.so];mj_step;mj_collision 30',
      '1;run;update 20',
      '1;run;wait 40',
    ]);
  });

  it('belong to the thread that they were seen on; a thread without Python comes in samples of the same rate', () => {
    const native = profile([
      [1, SLEEPING, 200],
      [2, COLLIDE.slice(-2), 50],
      [2, [c('ddsrt_cond_wait', 'libddsc.so')], 150],
    ]);
    expect(joined(sampled, native)).toEqual([
      '1;run;step 40',
      '1;run;update 20',
      '1;run;wait 40',
      '2;ddsrt_cond_wait 75',
      '2;mj_step;mj_collision 25',
    ]);
  });

  it('begin at the first frame that a rule knows where the interpreter is out of sight; others are left', () => {
    const cut = [c('0x7f01', 'libc.so.6'), c('mj_step'), c('mj_collision')];
    const native = profile([
      [1, cut, 80],
      [1, [c('deflate', 'libz.so.1')], 40],
      [1, SLEEPING, 80],
    ]);
    expect(joined(sampled, native)).toEqual([
      '1;run;step;mj_collision 40',
      '1;run;update 20',
      '1;run;wait 40',
    ]);
  });

  it('never move a sample to another bucket: what a rule would claim otherwise keeps its line alone', () => {
    // A ray cast by the plugin itself: its line is the plugin’s, the leaf would make it a ray cast.
    const rays = [...BELOW, CALL, c('mj_multiRay')];
    const lines = joined(
      profile([
        [1, PLUGIN, 60],
        [1, SLEEP, 40],
      ]),
      profile([
        [1, rays, 120],
        [1, SLEEPING, 80],
      ]),
    );
    expect(lines).toEqual(['1;run;update 60', '1;run;wait 40']);
  });

  it('keep losses and samples without a stack, and say that they are an estimate', () => {
    const native = profile([
      [1, COLLIDE, 80],
      [1, SLEEPING, 120],
    ]);
    const facts = { profile: native, rateHz: 500, wall: true };
    const found = withNativeLeaves(
      profile(
        [
          [1, STEP, 40],
          [1, SLEEP, 60],
          [1, [], 3],
        ],
        7,
      ),
      facts,
      RULES,
      250,
    );
    expect(found.lost.samples).toBe(7);
    expect([...found.samples.weight].reduce((sum, weight) => sum + weight, 0)).toBe(103);
    expect(found.findings).toMatchObject([
      {
        level: 'note',
        id: 'native-by-share',
        what: '40 samples of Python lines got native frames of perf below them.',
      },
    ]);
  });

  it('take no longer for counts of any size', () => {
    const huge = profile([
      [1, STEP, 4e11],
      [1, SLEEP, 6e11],
    ]);
    const native = profile([
      [1, COLLIDE, 30],
      [1, SOLVE, 10],
      [1, SLEEPING, 60],
    ]);
    expect(joined(huge, native)).toEqual([
      '1;run;step;[_functions.so];mj_step;mj_collision 300000000000',
      '1;run;step;[_functions.so];mj_step;mj_fwdConstraint 100000000000',
      '1;run;wait 600000000000',
    ]);
  });

  it('even out over many stacks of few samples', () => {
    const lines = Array.from({ length: 200 }, (_, at): Row => [1, [RUN, { ...STEP[1]!, line: at + 1 }], 1]);
    const found = joined(
      profile(lines),
      profile([
        [1, COLLIDE, 30],
        [1, SOLVE, 10],
      ]),
    );
    expect(found.filter((line) => line.includes('mj_collision')).length).toBeGreaterThanOrEqual(148);
    expect(found.filter((line) => line.includes('mj_collision')).length).toBeLessThanOrEqual(152);
    expect(found).toHaveLength(200);
  });

  it('change nothing where perf saw nothing', () => {
    expect(joined(sampled, profile([]))).toEqual(['1;run;step 40', '1;run;update 20', '1;run;wait 40']);
    const facts = { profile: profile([]), rateHz: 500, wall: true };
    expect(withNativeLeaves(sampled, facts, RULES, 250).findings).toMatchObject([
      { what: 'No native frame of perf could be placed below a line of Python.' },
    ]);
  });
});
