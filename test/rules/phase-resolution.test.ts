import { describe, expect, it } from 'vitest';
import {
  builtInPacks,
  classifyProfile,
  compileRules,
  phaseResolution,
  uncheckedVersionFindings,
} from '../../src/rules/index.js';
import { libraryVersion } from '../../src/rules/library-version.js';
import { poolOf, profileOf } from './profile-of.js';

const ruleSet = compileRules(builtInPacks);
const STEP = 'main (sim.py:3);step (sim.py:9) #mujoco.mj_step(model, data)';

function resolutionOf(lines: readonly string[]) {
  const profile = profileOf(lines);
  const claims = classifyProfile(ruleSet, profile);
  return phaseResolution(builtInPacks, profile, poolOf(profile, 0), (row) => claims[row]!);
}

const warnings = (lines: readonly string[]) => uncheckedVersionFindings(builtInPacks, resolutionOf(lines));

describe('how much of physics has a phase', () => {
  it('counts phases, shared leaves and stacks without a frame of the engine', () => {
    expect(
      resolutionOf([
        `${STEP};mj_collision (mujoco/libmujoco.so.4.0.0) 5`,
        `${STEP};mj_solPrimal (mujoco/libmujoco.so.4.0.0);0x7f (libc.so.6) 4`,
        `${STEP};mj_ray (mujoco/libmujoco.so.4.0.0) 1`,
        `${STEP};mju_dot (mujoco/libmujoco.so.4.0.0) 3`,
        `${STEP};mj_step (mujoco/libmujoco.so.4.0.0) 2`,
        `${STEP} 7`,
        'main (sim.py:3);other (x.py:1) 11',
        'main (sim.py:3);cast (x.py:2) #mujoco.mj_ray(m, d);mj_ray (mujoco/libmujoco.so.4.0.0) 13',
      ]),
    ).toEqual([
      { program: 'MuJoCo', version: '4.0.0', checked: true, inPhase: 10, shared: 5, withoutFrame: 7 },
    ]);
  });

  it('says nothing without a native leaf', () => {
    expect(resolutionOf([`${STEP} 7`, 'main (sim.py:3);other (x.py:1) 11'])).toEqual([]);
  });

  it('does not count the phases of other engines as MuJoCo’s', () => {
    expect(
      resolutionOf([
        'main (sim.py:3);step (mujoco_warp/_src/forward.py:9);solve (mujoco_warp/_src/solver.py:9) 7',
        'main (sim.py:3);pybullet_stepSimulation (pybullet.so);btCollisionDispatcher::findAlgorithm (pybullet.so) 5',
      ]),
    ).toEqual([]);
  });

  it('tells releases apart, oldest first, and leaves the release of a bare line open where there are two', () => {
    const rows = resolutionOf([
      `${STEP};mj_collision (mujoco/libmujoco.so.3.14.0) 5`,
      `${STEP};mju_dot (mujoco/libmujoco.so.3.9.1) 3`,
      `${STEP} 7`,
    ]);
    expect(rows).toEqual([
      { program: 'MuJoCo', inPhase: 0, shared: 0, withoutFrame: 7 },
      { program: 'MuJoCo', version: '3.9.1', checked: false, inPhase: 0, shared: 3, withoutFrame: 0 },
      { program: 'MuJoCo', version: '3.14.0', checked: true, inPhase: 5, shared: 0, withoutFrame: 0 },
    ]);
  });

  it('does without a release where no frame names it', () => {
    expect(resolutionOf(['main;simulate;mj_step;mj_collision 5', 'main;simulate;mju_dot 2'])).toEqual([
      { program: 'MuJoCo', inPhase: 5, shared: 2, withoutFrame: 0 },
    ]);
  });
});

describe('the release of a library', () => {
  it.each([
    ['mujoco/libmujoco.so.3.14.0', '3.14.0'],
    ['/opt/venv/lib/python3.11/site-packages/mujoco/libmujoco.so.4.0.0', '4.0.0'],
    ['libmujoco.3.2.3.dylib', '3.2.3'],
    ['/opt/mujoco-3.3.7/lib/libmujoco.so', '3.3.7'],
    ['/site-packages/mujoco-3.3.7.dist-info/libmujoco.so', '3.3.7'],
    ['libmujoco.so', undefined],
    ['libmujoco.so.3', undefined],
    ['notlibmujoco.so.3.14.0', undefined],
    ['/opt/mujoco-next/libother.so.1.2.3', undefined],
    [`${'mujoco-'.repeat(100_000)}1.2.3`, undefined],
    [`${'mujoco-1.2/'.repeat(100_000)}libmujoco.so.1.2.3`, undefined],
  ])('%.60s: %s', (module, version) => {
    expect(libraryVersion({ name: 'f', kind: 'native', module }, 'libmujoco', 'MuJoCo')).toBe(version);
  });

  it('is taken from the file of a frame that has no library', () => {
    const frame = { name: 'f', kind: 'native', file: '/build/mujoco-3.9.0/src/engine.c' } as const;
    expect(libraryVersion(frame, 'libmujoco', 'MuJoCo')).toBe('3.9.0');
  });
});

describe('a release that the rules were not checked against', () => {
  it('is a warning with what, why and fix', () => {
    expect(warnings([`${STEP};mj_collision (mujoco/libmujoco.so.3.9.1) 5`])).toEqual([
      {
        level: 'warning',
        id: 'mujoco-version-unchecked',
        what: 'This is MuJoCo 3.9.1; the phases of physics were checked against 3.2.3, 3.3.7, 3.14.0, 3.16.0, 3.17.0 and 4.0.0.',
        why: 'A function that one phase alone calls in one release may serve several in another, so parts of physics may be mistaken for each other. Its sum and the other buckets do not depend on it.',
        fix: 'profiler hot --bucket physics --by leaf  (the functions themselves)',
      },
    ]);
  });

  it('is none where it was checked, is unknown, or where no phase is told', () => {
    expect(warnings([`${STEP};mj_collision (mujoco/libmujoco.so.3.14.0) 5`])).toEqual([]);
    expect(warnings(['main;simulate;mj_step;mj_collision 5'])).toEqual([]);
    expect(warnings([`${STEP};mju_dot (mujoco/libmujoco.so.3.9.1) 5`, `${STEP} 5`])).toEqual([]);
  });
});
