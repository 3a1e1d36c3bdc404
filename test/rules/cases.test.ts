import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  builtInPacks,
  classifyProfile,
  compileRules,
  countSamples,
  findPhysicsThread,
  stacksInPools,
  threadRole,
} from '../../src/rules/index.js';
import { poolOf, profileOf } from './profile-of.js';

const ruleSet = compileRules(builtInPacks);

/** `bucket/kind label (leaf): samples` of every thread, by its name. */
function sorted(fixture: string, threadNames: readonly string[] = []) {
  const text = readFileSync(new URL(`../fixtures/${fixture}`, import.meta.url), 'utf8');
  const profile = profileOf(text.trimEnd().split('\n'), threadNames);
  const claims = classifyProfile(ruleSet, profile);
  const physics = findPhysicsThread(profile, claims);
  const threads = profile.threads.map((thread, index) => ({
    name: thread.name ?? '',
    role:
      physics.index === index
        ? 'physics'
        : threadRole(thread, poolOf(profile, index), (row) => claims[row]!, stacksInPools(profile)),
    counts: Object.fromEntries(
      countSamples(profile, claims, index).map(({ bucket, kind, label, leaf, samples }) => [
        `${bucket}${kind === undefined ? '' : `/${kind}`}${label === undefined ? '' : ` ${label}`} (${leaf})`,
        samples,
      ]),
    ),
  }));
  return { threads, physics };
}

describe('stacks that name no simulator package', () => {
  it('01: takes only the sleep under the pacer for pacing, not the one of a DDS thread', () => {
    expect(sorted('classify/01-pacer-vs-dds-sleep.txt', ['MainThread', 'dds.ev']).threads).toEqual([
      { name: 'MainThread', role: 'physics', counts: { 'physics (work)': 50, 'pacer/sleep (sleep)': 40 } },
      { name: 'dds.ev', role: 'middleware', counts: { 'idle/middleware (sleep)': 100 } },
    ]);
  });

  it('03: finds the pacer by its function and leaves open whether it sleeps', () => {
    const { threads, physics } = sorted('classify/03-python-sleep-has-no-frame.txt');
    expect(threads[0]?.counts).toEqual({ 'python (work)': 40, 'pacer (sleep)': 60 });
    expect(physics.because).toBe('pacer');
  });

  it('04: takes waiting for the GIL out of physics and out of the executor', () => {
    expect(sorted('classify/04-gil-wait.txt').threads[0]?.counts).toEqual({
      'physics (work)': 40,
      'gil-wait (wait)': 50,
    });
  });

  it('06: keeps a publish that blocks in the middleware in publishing', () => {
    expect(sorted('classify/06-publish-blocks.txt').threads[0]?.counts).toEqual({
      'physics (work)': 55,
      'publishing/blocked-in-dds Img (wait)': 45,
    });
  });

  it('07: tells executor overhead, /clock handling, user callbacks and idle workers apart', () => {
    const { threads, physics } = sorted('classify/07-executor-overhead.txt');
    expect(threads[0]).toEqual({
      name: '',
      role: 'executor',
      counts: {
        'executor (work)': 40,
        'executor/clock (work)': 20,
        'executor/callback (work)': 10,
        'idle/pool (wait)': 30,
      },
    });
    expect(physics).toEqual({
      index: undefined,
      because: 'unknown',
      reason: 'No thread enters a known simulator step or waits in a pacer.',
    });
  });

  it('10: finds rendering on the loop thread and the threads that draw in software', () => {
    expect(sorted('classify/10-render-on-loop-thread.txt', ['llvmpipe-3']).threads).toEqual([
      {
        name: '',
        role: 'other',
        counts: { 'render (work)': 40, 'render/viewer (work)': 30, 'python (work)': 30 },
      },
      { name: 'llvmpipe-3', role: 'driver', counts: { 'render/driver (work)': 200 } },
    ]);
  });

  it('11: claims nothing by a common verb alone', () => {
    expect(sorted('classify/11-name-collisions.txt').threads[0]?.counts).toEqual({
      'unclassified (work)': 100,
    });
  });
});

describe('recordings of a real simulator', () => {
  it('sorts a paced robot with a lidar, torn stacks included', () => {
    const { threads, physics } = sorted('rules/husky-idle.raw');
    expect(threads).toEqual([
      {
        name: 'MainThread',
        role: 'physics',
        counts: {
          'physics (work)': 32,
          'raycast lidar_common (work)': 9,
          'plugin diff_drive (work)': 22,
          'plugin lidar_common (work)': 5,
          'python (work)': 30,
          'pacer (sleep)': 681,
          'unclassified (work)': 5,
          'unclassified/lost (work)': 1,
        },
      },
    ]);
    expect(physics).toEqual({
      index: 0,
      because: 'physics',
      reason: 'MainThread (2071) enters the simulator’s step in 32 samples.',
    });
  });

  it('sorts a robot that renders two cameras, and names the plugin that asked for each', () => {
    expect(sorted('rules/turtle-idle.raw').threads[0]?.counts).toEqual({
      'physics (work)': 19,
      'render camera_common (work)': 372,
      'render depth_camera (work)': 22,
      'plugin depth_camera (work)': 1,
      'plugin diff_drive (work)': 14,
      'plugin lidar_common (work)': 1,
      'python (work)': 21,
      'pacer (sleep)': 344,
      'unclassified (work)': 2,
    });
  });

  it('takes 73 % of the stepping thread for GIL wait where native frames show it', () => {
    const { threads } = sorted('rules/native-gil.raw');
    const main = threads.find(({ name }) => name === 'MainThread');
    expect(main).toEqual({
      name: 'MainThread',
      role: 'physics',
      counts: {
        'physics (work)': 10,
        'physics/advance (work)': 8,
        'physics/ambiguous (work)': 53,
        'physics/check (work)': 1,
        'physics/collision (work)': 7,
        'physics/constraint (work)': 40,
        'physics/kinematics (work)': 4,
        'physics/make-constraint (work)': 17,
        'physics/position (work)': 1,
        'physics/velocity (work)': 16,
        'python (work)': 1,
        'gil-wait (wait)': 437,
      },
    });
    expect(threads.find(({ name }) => name === 'worker')?.counts).toEqual({
      'gil-wait (wait)': 35,
      'unclassified (work)': 560,
    });
  });

  it('tells phases, rays and sensors apart by native leaves', () => {
    expect(sorted('rules/native-mujoco.raw').threads[0]?.counts).toEqual({
      'physics (work)': 12,
      'physics/advance (work)': 9,
      'physics/ambiguous (work)': 134,
      'physics/collision (work)': 29,
      'physics/constraint (work)': 78,
      'physics/inertia (work)': 17,
      'physics/kinematics (work)': 6,
      'physics/make-constraint (work)': 31,
      'physics/position (work)': 1,
      'physics/sensors (work)': 8,
      'physics/velocity (work)': 14,
      'raycast (work)': 97,
      'python (work)': 1,
      'idle/sleep (sleep)': 192,
      'unclassified (work)': 15,
    });
  });
});
