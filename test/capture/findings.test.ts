import { describe, expect, it } from 'vitest';
import { parseThrottling } from '../../src/capture/cpu-quota.js';
import {
  policyFinding,
  slicesFindings,
  stoppedFinding,
  threadsFinding,
  throttlingFinding,
} from '../../src/capture/findings.js';
import { isDiskFull } from '../../src/capture/recording-folder.js';
import type { Slice } from '../../src/recording/index.js';
import { requestFor } from './live.js';

const LONG = { endNs: '4000000000' };
const REQUEST = requestFor(process.pid);

function slice(facts: Partial<Slice>): Slice {
  return {
    file: 'slices/000.raw',
    format: 'pyspy-raw',
    startNs: '0',
    endNs: '1',
    exit: 0,
    accounting: [],
    ...facts,
  };
}

describe('findings of a capture', () => {
  it('says how late the sampler was, with a rate that it can keep', () => {
    const findings = slicesFindings(
      [slice({ behindS: 1.5, endNs: '10000000000' }), slice({ behindS: 6.2, endNs: '10000000000' })],
      REQUEST,
    );
    expect(findings).toEqual([
      expect.objectContaining({
        id: 'sampler-behind',
        what: 'The sampler fell up to 6.2 s behind its 250 Hz.',
        fix: 'profiler attach … --rate 55',
      }),
    ]);
  });

  it('says for how much of the window somebody held the target', () => {
    expect(stoppedFinding(7, { looks: 40, stopped: 0 })).toEqual([]);
    expect(stoppedFinding(7, { looks: 40, stopped: 10 })).toEqual([
      expect.objectContaining({
        level: 'warning',
        id: 'target-stopped',
        what: 'Process 7 was stopped (state T) in 10 of 40 looks at it, about 25 % of the window.',
        fix: 'kill -CONT 7',
      }),
    ]);
  });

  it('asks for no rate of nothing', () => {
    const [finding] = slicesFindings([slice({ behindS: 1.1, endNs: '1000000000' })], REQUEST);
    expect(finding?.fix).toBe('profiler attach … --rate 5');
  });

  it.each([
    [250, 18, undefined],
    [250, 19, 'profiler attach … --rate 235'],
    [50, 121, 'profiler attach … --rate 35'],
    [35, 121, undefined],
    [50, 2000, 'profiler attach … --rate 5'],
  ])('notes what %d Hz cost where %d threads were read in time', (rateHz, threads, fix) => {
    const half = { endNs: '2000000000', samples: 2 * rateHz * threads };
    const slices = [slice(half), slice(half)];
    expect(
      slicesFindings(slices, { ...REQUEST, rateHz }).map(({ level, id, fix: line }) => [level, id, line]),
    ).toEqual(fix === undefined ? [] : [['note', 'many-threads-read', fix]]);
    expect(slicesFindings(slices, { ...REQUEST, rateHz, native: true })).toEqual([]);
  });

  it('says how many threads were read, and what that took', () => {
    const slices = [slice({ endNs: '8000000000', samples: 48_400 })];
    expect(slicesFindings(slices, { ...REQUEST, rateHz: 50 })[0]?.what).toBe(
      'Reading 121 threads 50 times a second took the sampler about 67 % of a core.',
    );
  });

  it('counts read errors over all slices, and speaks above one in twenty', () => {
    expect(slicesFindings([slice({ ...LONG, samples: 950, errors: 50 })], REQUEST)).toEqual([]);
    expect(
      slicesFindings(
        [slice({ ...LONG, samples: 900, errors: 0 }), slice({ ...LONG, samples: 40, errors: 60 })],
        REQUEST,
      ),
    ).toEqual([
      expect.objectContaining({
        id: 'sampler-errors',
        what: 'The sampler failed to read 60 of 1000 stacks.',
      }),
    ]);
  });

  it('names the gate that refused real-time priority', () => {
    expect(policyFinding('fifo:50', undefined)).toEqual([]);
    const refusal = {
      level: 'warning',
      id: 'realtime-limit',
      what: 'The limit is 0.',
      why: '-',
      fix: 'sudo x',
    } as const;
    expect(policyFinding('other', refusal)).toEqual([
      {
        level: 'warning',
        id: 'sampler-normal-priority',
        what: 'The limit is 0.',
        why: 'It gets its turn when the target sleeps: function shares may be off by 20 points; the totals from the kernel are exact.',
        fix: 'sudo x',
      },
    ]);
    expect(policyFinding('batch', undefined)[0]?.what).toBe(
      'The sampler did not run at real-time priority: the kernel says batch.',
    );
  });

  it('warns of stopping many threads for every sample', () => {
    expect(threadsFinding({ ...REQUEST, native: true }, 33)[0]?.what).toBe(
      'Every sample stopped all 33 threads of the target.',
    );
    expect(threadsFinding({ ...REQUEST, native: true }, 32)).toEqual([]);
    expect(threadsFinding(REQUEST, 500)).toEqual([]);
  });

  it('tells of a CPU quota that was used up in the window, in both kinds of control groups', () => {
    const v2 = parseThrottling('usage_usec 5\nnr_periods 9\nnr_throttled 3\nthrottled_usec 1500000\n');
    const v1 = parseThrottling('nr_periods 9\nnr_throttled 7\nthrottled_time 4000000000\n');
    expect([v2, v1]).toEqual([
      { times: 3, seconds: 1.5 },
      { times: 7, seconds: 4 },
    ]);
    expect(throttlingFinding(v2, v1)[0]?.what).toBe(
      "The kernel held the target's control group back 4 times, 2.50 s in all, because its CPU quota was used up.",
    );
    expect(throttlingFinding(v1, v1)).toEqual([]);
    expect(throttlingFinding(undefined, undefined)).toEqual([]);
  });
});

describe('a full disk', () => {
  it('is told from other errors, also in the words of a sampler and behind another error', () => {
    expect(isDiskFull(Object.assign(new Error('x'), { code: 'ENOSPC' }))).toBe(true);
    expect(isDiskFull(new Error('x', { cause: Object.assign(new Error('y'), { code: 'EDQUOT' }) }))).toBe(
      true,
    );
    expect(isDiskFull('Error: No space left on device (os error 28)')).toBe(true);
    expect(isDiskFull(Object.assign(new Error('x'), { code: 'EACCES' }))).toBe(false);
    expect(isDiskFull('Error: Permission denied (os error 13)')).toBe(false);
  });
});
