import { describe, expect, it } from 'vitest';
import type { Snapshot, ThreadReading } from '../../src/capture/index.js';
import { stepEvidence } from '../../src/cli/step-evidence.js';
import { evidenceJudge } from '../../src/cli/step-judge.js';
import { stillSteady, steadyThread, worksOn } from '../../src/cli/steady-thread.js';
import { builtInPacks, classifyProfile, compileRules } from '../../src/rules/index.js';
import { profileOf } from '../rules/profile-of.js';

const RULES = compileRules(builtInPacks);
const evidence = (...lines: string[]): ReturnType<typeof stepEvidence> => {
  const profile = profileOf(lines);
  return stepEvidence(profile, classifyProfile(RULES, profile));
};

const STEP = '<module> (walk.py:9);step (walk.py:4) #mujoco.mj_step(model, data) 5';
const PACE = '<module> (walk.py:10);pace (walk.py:6) #time.sleep(dt) 5';
const LATE_PACE = '<module> (walk.py:20);pace (walk.py:6) #time.sleep(dt) 5';
const PLOT = '<module> (walk.py:14);plot (walk.py:7) 5';
const NOTHING = { physics: 0, pacers: new Set<string>() };

describe('what samples show of a loop', () => {
  it('is its steps, and the waits of its pacer', () => {
    expect(evidence(STEP, PLOT)).toEqual({ physics: 5, pacers: new Set() });
    const { physics, pacers } = evidence(PACE, PLOT);
    expect({ physics, waits: pacers.size }).toEqual({ physics: 0, waits: 1 });
  });

  it('is neither a step while a module is imported nor the forward pass of a model that is built', () => {
    expect(
      evidence(
        '<module> (walk.py:1);_find_and_load (<frozen importlib._bootstrap>:1176);step (warm.py:4) #mujoco.mj_step(model, data) 5',
        '<module> (walk.py:3);build (walk.py:4) #mujoco.mj_forward(model, data) 5',
      ),
    ).toEqual(NOTHING);
  });

  it('tells a wait from the same wait called from another line', () => {
    expect([...evidence(PACE).pacers]).not.toEqual([...evidence(LATE_PACE).pacers]);
  });
});

describe('the verdict on a slice', () => {
  const loop = { pacers: new Set<string>(), recognised: true };

  it('follows the steps, and then rests', () => {
    const judge = evidenceJudge(loop);
    expect([evidence(STEP), evidence(STEP, PLOT), evidence(PLOT)].map((one) => judge(one, false))).toEqual([
      'steps',
      'steps',
      'rests',
    ]);
  });

  it('does not take a wait after the loop for the loop', () => {
    const judge = evidenceJudge({ ...loop, pacers: evidence(PACE).pacers });
    expect(judge(evidence(PACE), false)).toBe('steps');
    expect(judge(evidence(PACE, LATE_PACE), false)).toBe('steps');
    expect(judge(evidence(LATE_PACE), false)).toBe('rests');
  });

  it('learns a wait after which the loop went on', () => {
    const judge = evidenceJudge({ ...loop, pacers: evidence(PACE).pacers });
    for (const one of [evidence(PACE, LATE_PACE), evidence(PACE)]) judge(one, false);
    expect(judge(evidence(LATE_PACE), false)).toBe('steps');
  });

  it('takes the first wait for the loop where nothing was known before', () => {
    const judge = evidenceJudge({ ...loop, recognised: false });
    expect(judge(evidence(PLOT), false)).toBe('unknown');
    expect(judge(evidence(PACE), false)).toBe('steps');
    expect(judge(evidence(LATE_PACE), false)).toBe('rests');
  });

  it('rests where a loop that was recognised shows nothing', () => {
    expect(evidenceJudge(loop)(NOTHING, false)).toBe('rests');
  });

  it('goes by the even sleeps of a thread where no rule knows the loop', () => {
    const judge = evidenceJudge({ ...loop, recognised: false, steady: { tid: 1, perS: 100 } });
    expect([judge(NOTHING, true), judge(NOTHING, false)]).toEqual(['steps', 'rests']);
  });
});

/** One reading every quarter of a second. */
function snapshotsOf(perS: readonly number[], cpu = 0.3): readonly Snapshot[] {
  let switches = 0;
  const rates = perS.flatMap((rate) => [rate, rate, rate, rate]);
  return [0, ...rates].map((rate, index) => {
    switches += rate / 4;
    const atNs = BigInt(index) * 250_000_000n;
    const reading: ThreadReading = {
      tid: 1,
      comm: 'x',
      atNs,
      onCpuNs: Number(atNs) * cpu,
      cpuWaitNs: 0,
      voluntarySwitches: switches,
      involuntarySwitches: 0,
    };
    return { atNs, threads: new Map([[1, reading]]) };
  });
}

const recording = (voluntarySwitches: number): Parameters<typeof stillSteady>[1] =>
  ({
    slices: [{ accounting: [{ tid: 1, wallNs: 2e9, voluntarySwitches }] }],
  }) as unknown as Parameters<typeof stillSteady>[1];

describe('a thread that sleeps at an even rate', () => {
  it('is told after three seconds', () => {
    expect(steadyThread(snapshotsOf([0, 200, 200, 200]), 1)).toEqual({ tid: 1, perS: 200 });
    expect(steadyThread(snapshotsOf([200, 200]), 1)).toBeUndefined();
  });

  it('is none where the rate is uneven or low, or hardly any work is done between', () => {
    expect(steadyThread(snapshotsOf([200, 400, 200]), 1)).toBeUndefined();
    expect(steadyThread(snapshotsOf([10, 10, 10]), 1)).toBeUndefined();
    expect(steadyThread(snapshotsOf([200, 200, 200], 0.01), 1)).toBeUndefined();
    expect(steadyThread(snapshotsOf([200, 200, 200]), 2)).toBeUndefined();
  });

  it('still does so in a slice with at least half of its sleeps', () => {
    expect(stillSteady({ tid: 1, perS: 100 }, recording(100))).toBe(true);
    expect(stillSteady({ tid: 1, perS: 100 }, recording(99))).toBe(false);
    expect(stillSteady({ tid: 2, perS: 100 }, recording(200))).toBe(false);
  });

  it('works where it is on a CPU for two seconds', () => {
    expect(worksOn(snapshotsOf([0, 0]))).toBe(true);
    expect(worksOn(snapshotsOf([0]))).toBe(false);
    expect(worksOn(snapshotsOf([0, 0], 0.05))).toBe(false);
  });
});
