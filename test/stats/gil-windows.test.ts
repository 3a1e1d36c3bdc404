import { expect, it } from 'vitest';
import { readProfile } from '../../src/formats/index.js';
import type { Profile, StateWeights } from '../../src/model/index.js';
import { gilUse, windowUse } from '../../src/stats/index.js';
import { SamplesFile } from '../samples-file.js';

/** So many looks; who holds the GIL (0 steps, 1 plans, 2 logs), and what the three do (`-`: it runs no Python). */
type Looks = readonly [count: number, holder: number | undefined, steps: string, plans: string, logs: string];

const LOOKS: readonly Looks[] = [
  [10, 0, 'R', 'G', 'S'],
  [20, undefined, 'R', 'R', 'S'],
  [30, undefined, 'R', 'G', 'S'],
  [40, 1, 'R', 'W', 'S'],
  [50, 2, 'R', 'G', 'R'],
  [60, 1, 'G', 'R', 'S'],
  // The GIL was given to it between the two words of one look.
  [70, 0, 'G', 'R', 'S'],
  [80, 0, 'W', 'G', '-'],
  [90, 1, 'S', 'R', 'S'],
  [15, undefined, 'B', 'S', 'S'],
  [25, undefined, 'U', 'R', 'S'],
  [35, undefined, 'G', 'S', 'S'],
];

async function threeThreads(looks: readonly Looks[] = LOOKS): Promise<Profile> {
  const file = new SamplesFile();
  const threads = [1, 2, 3].map((tid) => file.thread({ tid }));
  const stack = file.stack('<module> /app/run.py:9;Engine.step /app/engine.py:278');
  for (const [count, holder, ...states] of looks) {
    const entries = states.map((state, at) =>
      state === '-' ? `${threads[at]}Sn` : `${threads[at]}${state}${at === 0 ? `${stack}v` : '-'}`,
    );
    for (let look = 0; look < count; look += 1) file.tick(2_000_000, holder, ...entries);
  }
  return readProfile([new TextEncoder().encode(file.text())], {});
}

/** Only what is there. */
function some(states: StateWeights): Record<string, number> {
  return Object.fromEntries(Object.entries(states).filter(([, weight]) => weight > 0));
}

it('splits what a thread did by whether it held the GIL', async () => {
  const profile = await threeThreads();
  const [step, ...more] = gilUse(profile, 0)!;
  expect(more).toEqual([]);
  expect(step!.stack).toBe(1);
  expect(some(step!.holding)).toEqual({ running: 10, 'cpu-wait': 80 });
  expect(some(step!.without)).toEqual({
    running: 140,
    'gil-wait': 165,
    sleep: 90,
    blocked: 15,
    unknown: 25,
  });
  expect(gilUse(profile, 1)!.map(({ stack, holding }) => [stack, some(holding)])).toEqual([
    [-1, { 'cpu-wait': 40, running: 150 }],
  ]);
});

it('looks at both threads at once: when the GIL was free for the other, and who was in whose way', async () => {
  const use = windowUse(await threeThreads(), 0);
  const { inOpen, ...planner } = use.get(1)!;
  expect(planner).toEqual({
    // All but the 25 looks at which nobody knows what the first one did.
    looks: 500,
    both: 20,
    // Running, with the GIL free or with the planner: 20 + 30 + 40. The third thread closed 50 more.
    open: 90,
    firstWaits: 165,
    // 60 by holding it. 70 belong to the first itself; at 35 nobody held it, and the planner slept.
    firstWaitsForOther: 60,
    otherWaits: 170,
    // 10 and 80 by holding it, 30 by running while nobody did; 50 belong to the third.
    otherWaitsForFirst: 120,
  });
  expect(some(inOpen)).toEqual({ running: 20, 'gil-wait': 30, 'cpu-wait': 40 });
  const logs = use.get(2)!;
  expect([logs.looks, logs.both, logs.open, logs.otherWaits]).toEqual([420, 50, 100, 0]);
  expect(use.has(0)).toBe(false);
});

it('knows nothing where no look tells who held the GIL', async () => {
  const profile = await threeThreads(LOOKS.filter(([, holder]) => holder === undefined));
  expect(gilUse(profile, 0)).toBeUndefined();
  expect(windowUse(profile, 0).size).toBe(0);
});
