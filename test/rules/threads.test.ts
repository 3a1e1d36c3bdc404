import { describe, expect, it } from 'vitest';
import { ProfilerError, type Profile } from '../../src/model/index.js';
import {
  builtInPacks,
  claimFindings,
  classifyProfile,
  compileRules,
  countRules,
  countSamples,
  findPhysicsThread,
  leafState,
  parseThreadSelector,
  roleOfName,
  selectThread,
  stacksInPools,
  threadRole,
} from '../../src/rules/index.js';
import { poolOf, profileOf } from './profile-of.js';

const ruleSet = compileRules(builtInPacks);
const STEP = 'main (a.py:1);step (a.py:2) #mujoco.mj_step(m, d)';
const PACE = 'main (a.py:1);pace (pacer.py:3)';

function withNsTid(profile: Profile, nsTids: readonly (number | undefined)[]): Profile {
  return {
    ...profile,
    threads: profile.threads.map((thread, i) => {
      const nsTid = nsTids[i];
      return nsTid === undefined ? thread : { ...thread, nsTid };
    }),
  };
}

describe('the physics thread', () => {
  it('is the one with most physics samples', () => {
    const profile = profileOf([
      `thread (1): A;${STEP} 3`,
      `thread (2): B;${STEP} 7`,
      `thread (3): C;${PACE} 50`,
    ]);
    expect(findPhysicsThread(profile, classifyProfile(ruleSet, profile))).toEqual({
      index: 1,
      because: 'physics',
      reason: 'B (2) enters the simulator’s step in 7 samples, most of 2 threads that do.',
    });
  });

  it('is the one that paces where nothing steps, and none where nothing paces', () => {
    const paced = profileOf(['thread (1): A;main (a.py:1) 90', `thread (2): B;${PACE} 5`]);
    expect(findPhysicsThread(paced, classifyProfile(ruleSet, paced))).toEqual({
      index: 1,
      because: 'pacer',
      reason: 'B (2) waits in a pacer in 5 samples.',
    });
    const neither = profileOf(['thread (1): A;main (a.py:1) 90']);
    expect(findPhysicsThread(neither, classifyProfile(ruleSet, neither)).index).toBeUndefined();
  });

  it('is the named one, whatever it does', () => {
    const profile = profileOf([`thread (1): A;${STEP} 3`, 'thread (2): B;main (a.py:1) 7']);
    const claims = classifyProfile(ruleSet, profile);
    expect(findPhysicsThread(profile, claims, { name: 'B' })).toEqual({
      index: 1,
      because: 'named',
      reason: 'B (2) was named.',
    });
  });
});

describe('a thread selector', () => {
  const profile = withNsTid(
    profileOf([
      'thread (10): spin;f (a.py:1) 1',
      'thread (11): spin_2;f (a.py:1) 1',
      'thread (12): spin;f (a.py:1) 1',
    ]),
    [undefined, 10, undefined],
  );

  it.each([
    ['12', { tid: 12 }],
    ['/spin/', { regex: /spin/ }],
    ['/SPIN/i', { regex: /SPIN/i }],
    ['/opt/x', { name: '/opt/x' }],
    ['spin', { name: 'spin' }],
  ])('%s is read', (text, expected) => {
    expect(parseThreadSelector(text)).toEqual(expected);
  });

  it('finds by name, pattern, TID of the host and of the container', () => {
    expect(selectThread(profile, { name: 'spin_2' })).toBe(1);
    expect(selectThread(profile, { regex: /_\d$/ })).toBe(1);
    expect(selectThread(profile, { tid: 12 })).toBe(2);
    expect(selectThread(withNsTid(profile, [undefined, undefined, 3]), { tid: 3 })).toBe(2);
  });

  it.each([
    [{ name: 'spin' }, 'ambiguous-thread', 2, '2 threads fit the name spin: spin (10), spin (12).'],
    [{ tid: 10 }, 'ambiguous-thread', 2, '2 threads fit the TID 10: spin (10), spin_2 (11, 10 inside).'],
    [{ name: 'nobody' }, 'no-such-thread', 1, 'No thread of 3 fits the name nobody.'],
  ])('that fits several or none is an error: %o', (selector, id, exitCode, what) => {
    const error = caught(() => selectThread(profile, selector));
    expect(error.finding.id).toBe(id);
    expect(error.finding.what).toBe(what);
    expect(error.exitCode).toBe(exitCode);
  });

  it('refuses a broken pattern', () => {
    expect(caught(() => parseThreadSelector('/(/')).finding.id).toBe('bad-thread');
  });
});

function caught(action: () => unknown): ProfilerError {
  try {
    action();
  } catch (error) {
    if (error instanceof ProfilerError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('counts of one thread', () => {
  const profile = profileOf([
    `thread (1): A;${STEP} 3`,
    `thread (1): A;${STEP};mju_dot (libmujoco.so) 2`,
    `thread (1): A;${PACE} 4`,
    'thread (1): A;main (a.py:1);odd (a.py:3) 5',
    'thread (1): A 6',
    `thread (2): B;${STEP} 100`,
  ]);
  const claims = classifyProfile(ruleSet, profile);

  it('add up to all its samples, those without a stack as lost', () => {
    expect(countSamples(profile, claims, 0)).toEqual([
      { bucket: 'physics', leaf: 'work', samples: 3 },
      { bucket: 'physics', kind: 'ambiguous', leaf: 'work', samples: 2 },
      { bucket: 'pacer', leaf: 'sleep', samples: 4 },
      { bucket: 'unclassified', leaf: 'work', samples: 5 },
      { bucket: 'unclassified', kind: 'lost', leaf: 'work', samples: 6 },
    ]);
  });

  it('by rule name the advice to give, most first', () => {
    expect(countRules(profile, claims, 0).map(({ rule, samples }) => [rule.id, samples])).toEqual([
      ['python/pace-unknown', 4],
      ['mujoco/step-line', 3],
      ['mujoco/shared-leaf', 2],
    ]);
  });

  it('take a pacer on an unknown line for asleep', () => {
    expect(leafState({ bucket: 'pacer', sourceUnknown: true, frame: 0 })).toBe('sleep');
    expect(leafState({ bucket: 'pacer', kind: 'spin', frame: 0 })).toBe('work');
    expect(leafState({ bucket: 'physics', sourceUnknown: true, frame: 0 })).toBe('work');
    expect(leafState({ bucket: 'idle', blocks: 'wait', frame: 0 })).toBe('wait');
  });

  it('say which lines are sorted by their function alone', () => {
    expect(claimFindings(profile, claims, 0)).toEqual([
      {
        level: 'note',
        id: 'source-unknown',
        what: '4 of 20 samples are sorted by their function alone, most of them in pace (pacer.py:3): the text of that line is not known, since only a recording of a live target keeps it.',
        why: 'Pace: sleep or work unknown (4 samples), and a step function may hold loop code beside physics.',
        fix: 'profiler attach --pid PID',
      },
    ]);
    expect(claimFindings(profile, claims, 1)).toEqual([]);
  });
});

describe('roles', () => {
  it('are told by names of drivers and middleware', () => {
    expect(
      ['llvmpipe-0', 'python3:disk$0', 'dds.ev', 'MainThread', 'recv', undefined].map(roleOfName),
    ).toEqual(['driver', 'driver', 'middleware', undefined, undefined, undefined]);
  });

  it.each([
    ['executor', 'spin (rclpy/executors.py:295);wait_for_ready_callbacks (rclpy/executors.py:723)'],
    ['executor', 'spin (rclpy/executors.py:295);_spin_once_impl (rclpy/executors.py:794);on_cmd (node.py:3)'],
    ['idle', 'run (threading.py:953);_worker (concurrent/futures/thread.py:81)'],
    ['idle', 'run (threading.py:953);wait (threading.py:331)'],
    ['driver', 'clone3 (libc.so.6);x (swrast_dri.so)'],
    ['middleware', 'clone3 (libc.so.6);recv (libddsc.so)'],
    ['other', 'run (threading.py:953);busy (gil.py:8)'],
    [
      'pool',
      'clone3 (libc.so.6);start_thread (libc.so.6);gomp_thread_start (libgomp.so.1);gomp_barrier_wait (libgomp.so.1)',
    ],
    ['pool', 'clone3 (libc.so.6);__kmp_launch_worker (libomp.so.5);mj_collideTree (libmujoco.so.4.0.0)'],
    ['pool', 'ThreadPoolContext::Worker (libmujoco.so.4.0.0);mj_fwdConstraint (libmujoco.so.4.0.0)'],
    [
      'pool',
      'clone3 (libc.so.6);start_thread (libc.so.6);[libgomp.so.1.0.0] (libgomp.so.1.0.0);main._omp_fn.0 (omp)',
    ],
    [
      'other',
      '_start (omp);__libc_start_main (libc.so.6);__libc_start_call_main (libc.so.6);main (omp);GOMP_parallel (libgomp.so.1.0.0);main._omp_fn.0 (omp)',
    ],
    ['pool', 'mujoco::user::ThreadPool::WorkerThread (libmujoco.so.4.0.0)'],
  ])('%s by its samples: %s', (role, stack) => {
    const profile = profileOf([`thread (1): T;${stack} 9`]);
    const claims = classifyProfile(ruleSet, profile);
    const isInPool = stacksInPools(profile);
    expect(threadRole(profile.threads[0]!, poolOf(profile, 0), (row) => claims[row]!, isInPool)).toBe(role);
  });

  it('are unknown for a thread without a stack', () => {
    const profile = profileOf(['thread (1): T 9']);
    const claim = { bucket: 'physics', frame: 0 } as const;
    expect(
      threadRole(
        profile.threads[0]!,
        poolOf(profile, 0),
        () => claim,
        () => false,
      ),
    ).toBe('unknown');
  });
});
