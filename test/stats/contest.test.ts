import { expect, it } from 'vitest';
import { type Contestant, contest } from '../../src/stats/index.js';

/** Shares in percent. */
function wants(onCpu: number, cpuWait: number, gilWait: number, forOther = 1): Contestant {
  return { onCpu: onCpu / 100, cpuWait: cpuWait / 100, gilWait: gilWait / 100, forOther };
}

it.each([
  ['one step a call beside a busy thread', wants(2, 1, 97), wants(95, 4, 1), 'other-delays-first', true],
  ['the other way round', wants(95, 4, 1), wants(2, 1, 97), 'first-delays-other', true],
  ['a thread that asks now and then', wants(40, 0, 10), wants(30, 0, 2), 'other-delays-first', false],
  ['two that ask alike', wants(31, 4, 20), wants(59, 6, 31), 'each-other', false],
  ['two that ask always', wants(45, 0, 55), wants(45, 0, 55), 'each-other', true],
  ['a batched call', wants(42, 57, 1), wants(46, 54, 0), 'neither', false],
  ['waits for a third thread', wants(2, 1, 97, 0.05), wants(20, 0, 1), 'neither', false],
] as const)('%s', (_, first, other, verdict, starves) => {
  expect(contest(first, other)).toMatchObject({ verdict, starves });
});

it('tells parts of the time that each wants to run', () => {
  expect(contest(wants(10, 5, 5, 0.8), wants(50, 0, 0))).toEqual({
    first: { wanted: 0.2, ran: 0.5, withoutCpu: 0.25, waited: expect.closeTo(0.2, 12) },
    other: { wanted: 0.5, ran: 1, withoutCpu: 0, waited: 0 },
    verdict: 'other-delays-first',
    starves: false,
  });
});

it('has nothing to say of a thread that never wants to run', () => {
  expect(contest(wants(50, 0, 0), wants(0, 0, 0))).toBeUndefined();
});
