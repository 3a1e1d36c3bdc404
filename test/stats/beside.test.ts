import { expect, it } from 'vitest';
import { readProfile } from '../../src/formats/index.js';
import { ProfileBuilder, SAMPLE_STATES } from '../../src/model/index.js';
import { besideThread, rawInterval } from '../../src/stats/index.js';
import { SamplesFile } from '../samples-file.js';

it('counts what others did at the looks at which a thread ran, and at no other', async () => {
  const file = new SamplesFile();
  const [main, other, third] = [1, 2, 3].map((tid) => file.thread({ tid }));
  const looks: readonly (readonly [number, string, string, string])[] = [
    [40, 'R', 'R-', 'S-'],
    [30, 'P', 'G-', 'B-'],
    [20, 'R', 'W-', 'Rn'],
    [10, 'R', 'U-', 'Rn'],
    [500, 'S', 'R-', 'R-'],
    [500, 'G', 'R-', 'R-'],
  ];
  for (const [count, own, two, three] of looks) {
    for (let look = 0; look < count; look += 1)
      file.tick(5, main, `${main}${own}-`, `${other}${two}`, `${third}${three}`);
  }
  const profile = await readProfile([new TextEncoder().encode(file.text())], {});
  const found = besideThread(profile, 0);
  const parts = (index: number): number[] => {
    const { states, absent } = found.get(index)!;
    return [...SAMPLE_STATES.map((state) => states[state].share), absent.share];
  };
  // unknown, running, cpu-wait, gil-wait, sleep, blocked, absent
  expect(parts(1)).toEqual([0.1, 0.4, 0.2, 0.3, 0, 0, 0]);
  expect(parts(2)).toEqual([0, 0, 0, 0, 0.4, 0.3, 0.3]);
  expect([found.has(0), found.get(1)!.looks]).toEqual([false, 100]);
  expect(found.get(1)!.states.running).toEqual(rawInterval(40, 100));
});

it('knows nothing where samples have no states, and nothing of a thread that never runs', () => {
  const builder = new ProfileBuilder('samples', { format: 'x' });
  builder.sample(-1, builder.thread({ tid: 1 }), 1, 0);
  expect(besideThread(builder.build(), 0).size).toBe(0);
  const resting = new ProfileBuilder('samples', { format: 'x' });
  resting.sample(-1, resting.thread({ tid: 1 }), 1, 0, SAMPLE_STATES.indexOf('sleep'));
  expect(besideThread(resting.build(), 0).size).toBe(0);
});
