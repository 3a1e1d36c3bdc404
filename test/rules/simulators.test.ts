import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readProfile } from '../../src/formats/index.js';
import type { Profile } from '../../src/model/index.js';
import { attachSources } from '../../src/recording/attach-sources.js';
import {
  builtInPacks,
  classifyProfile,
  compileRules,
  countSamples,
  findPhysicsThread,
} from '../../src/rules/index.js';

// Recorded with py-spy 0.4.3 from the programs in test/targets/simulators/ and scripts/flygym/ on CPython 3.11 (3.12 for FlyGym), two busy CPUs and no GPU. Folders of
// packages are taken off the paths. The text of lines is known of our own programs alone, as where a target's packages cannot be read.

const ruleSet = compileRules(builtInPacks);

async function recorded(fixture: string, program: string): Promise<Profile> {
  const raw = readFileSync(new URL(`../fixtures/simulators/${fixture}.raw`, import.meta.url));
  const source = readFileSync(new URL(`../targets/simulators/${program}`, import.meta.url), 'utf8');
  const short = basename(program);
  const lines = Object.fromEntries(source.split('\n').map((text, i) => [String(i + 1), text]));
  const profile = await readProfile([raw], { path: `${fixture}.raw` });
  return attachSources(profile, {
    sources: { [`/sim/${short}`]: { short, lines } },
    slices: [],
  });
}

/** Samples of the physics thread by `bucket/kind`; those that wait or sleep have `(wait)` or `(sleep)` after it. */
async function breakdown(fixture: string, program: string): Promise<Readonly<Record<string, number>>> {
  const profile = await recorded(fixture, program);
  const claims = classifyProfile(ruleSet, profile);
  const { index } = findPhysicsThread(profile, claims);
  if (index === undefined) throw new Error(`${fixture}: no physics thread`);
  const counts: Record<string, number> = {};
  for (const { bucket, kind, leaf, samples } of countSamples(profile, claims, index)) {
    const key = `${bucket}${kind === undefined ? '' : `/${kind}`}${leaf === 'work' ? '' : ` (${leaf})`}`;
    counts[key] = (counts[key] ?? 0) + samples;
  }
  return counts;
}

const RECORDINGS: readonly {
  readonly title: string;
  readonly fixture: string;
  readonly program: string;
  readonly counts: Readonly<Record<string, number>>;
}[] = [
  {
    title: 'PyBullet: step, rays, camera, reads and the sleep of the loop',
    fixture: 'pybullet-3.2.7/paced',
    program: 'pybullet_loop.py',
    counts: {
      physics: 61,
      raycast: 49,
      render: 111,
      'python/control': 5,
      'python/read': 13,
      'pacer/sleep (sleep)': 253,
      unclassified: 4,
    },
  },
  {
    title: 'PyBullet with native frames: collision, solver, rays and software rendering',
    fixture: 'pybullet-3.2.7/native',
    program: 'pybullet_loop.py',
    counts: {
      physics: 1,
      'physics/collision': 4,
      'physics/constraint': 2,
      raycast: 96,
      render: 135,
      'python/command': 8,
      'idle/sleep (sleep)': 253,
    },
  },
  {
    title: 'dm_control: step, observation and reward of a task of the suite',
    fixture: 'dm_control-1.0.50/suite',
    program: 'dm_control_loop.py',
    counts: {
      physics: 217,
      'physics/check': 12,
      'plugin/hook': 2,
      'plugin/observation': 76,
      'plugin/reward': 117,
      'python/environment': 2,
      'python/wrapping': 13,
      unclassified: 31,
    },
  },
  {
    title: 'dm_control: a composer environment, which builds its model anew at each reset',
    fixture: 'dm_control-1.0.50/composer',
    program: 'dm_control_composer_loop.py',
    counts: {
      physics: 66,
      'physics/check': 4,
      'physics/forward': 41,
      'plugin/hook': 19,
      'plugin/observation': 23,
      'plugin/reset': 6,
      'plugin/reward': 3,
      'load/assets': 134,
      'load/building': 175,
      'python/environment': 3,
      unclassified: 2,
      'unclassified/lost': 1,
    },
  },
  {
    title: 'Gymnasium: step and environment of Ant-v5',
    fixture: 'gymnasium-1.4.0/ant',
    program: 'gymnasium_loop.py',
    counts: {
      physics: 299,
      'plugin/action': 48,
      'plugin/environment': 80,
      'plugin/observation': 19,
      'plugin/reward': 22,
      'python/wrapping': 3,
      unclassified: 1,
    },
  },
  {
    title: 'MuJoCo Warp on a CPU: the phases of the step, and rays',
    fixture: 'mujoco-warp-4.0.0/cpu',
    program: 'mujoco_warp_loop.py',
    counts: {
      physics: 44,
      'physics/actuation': 2,
      'physics/advance': 24,
      'physics/collision': 125,
      'physics/constraint': 165,
      'physics/inertia': 10,
      'physics/kinematics': 40,
      'physics/make-constraint': 58,
      'physics/sensors': 1,
      'physics/velocity': 18,
      raycast: 5,
      'load/compiling': 4,
    },
  },
  {
    title: 'Drake without native frames: one line steps and paces; systems in Python stand below it',
    fixture: 'drake-1.58.0/lines',
    program: 'drake_loop.py',
    counts: { physics: 503, 'plugin/system': 9 },
  },
  {
    title: 'Drake with native frames: its pacer, contacts and solver',
    fixture: 'drake-1.58.0/native',
    program: 'drake_loop.py',
    counts: {
      physics: 15,
      'physics/collision': 6,
      'physics/constraint': 41,
      'physics/kinematics': 5,
      'plugin/system': 3,
      'pacer/sleep (sleep)': 179,
    },
  },
  {
    title: 'FlyGym: step, software rendering, observation and action of a fly that walks',
    fixture: 'flygym-2.1.1/walk',
    program: '../../../scripts/flygym/replay.py',
    counts: {
      physics: 142,
      'plugin/action': 1,
      'plugin/observation': 2,
      python: 1,
      render: 350,
      unclassified: 3,
    },
  },
  {
    title: 'FlyGym with native frames: phases of the step',
    fixture: 'flygym-2.1.1/native',
    program: '../../../scripts/flygym/replay.py',
    counts: {
      physics: 1,
      'physics/advance': 2,
      'physics/ambiguous': 28,
      'physics/blocked (wait)': 1,
      'physics/collision': 4,
      'physics/constraint': 29,
      'physics/kinematics': 5,
      'physics/make-constraint': 1,
      'physics/position': 1,
      'physics/project-constraint': 7,
      'physics/sensors': 2,
      'plugin/action': 2,
      'plugin/observation': 6,
      python: 5,
      render: 32,
      'render/blocked (wait)': 125,
      unclassified: 9,
    },
  },
  {
    title: 'Newton on a CPU: solver, collision, state, viewer',
    fixture: 'newton-1.8.0/xpbd',
    program: 'newton_loop.py',
    counts: {
      physics: 164,
      'physics/collision': 214,
      'physics/gpu-wait (wait)': 1,
      'physics/state': 79,
      'render/viewer': 11,
      'load/compiling': 10,
      unclassified: 13,
    },
  },
];

describe('recordings of simulators', () => {
  it.each(RECORDINGS)('$title', async ({ fixture, program, counts }) => {
    expect(await breakdown(fixture, program)).toEqual(counts);
  });

  it.each(RECORDINGS)('$fixture leaves little unclassified', ({ counts }) => {
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
    expect((counts['unclassified'] ?? 0) / all).toBeLessThan(0.07);
  });
});
