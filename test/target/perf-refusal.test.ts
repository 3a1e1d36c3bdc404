import { describe, expect, it } from 'vitest';
import { explainPerf } from '../../src/target/perf/perf-refusal.js';
import type { Target } from '../../src/target/index.js';

const target: Target = {
  pid: 7,
  startTicks: 1,
  command: ['sim'],
  runtime: 'native',
  uid: 1000,
  gid: 1000,
  passedOver: [],
};
const LIMITED = 'Access to performance monitoring and observability operations is limited.';

describe('what perf says where it may not measure', () => {
  it.each([
    [
      'of a kernel that forbids it',
      { uid: 1000, mayMeasure: false, perfParanoid: 4, seccomp: 0 },
      'perf-paranoid',
    ],
    [
      'of root without the right',
      { uid: 0, mayMeasure: false, perfParanoid: 2, seccomp: 2 },
      'perf-capability',
    ],
    ['of a filter', { uid: 0, mayMeasure: true, perfParanoid: 2, seccomp: 2 }, 'perf-seccomp'],
  ] as const)('is recognised by its first line alone, %s', (_, facts, id) => {
    expect(explainPerf(LIMITED, target, facts).id).toBe(id);
  });
});
