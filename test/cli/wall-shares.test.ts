import { describe, expect, it } from 'vitest';
import { wallShares } from '../../src/cli/wall-shares.js';
import { estimateThread } from '../../src/stats/index.js';
import { PACED_TOTALS } from '../report/answers.js';

const claim = (bucket: 'physics' | 'gil-wait') => ({ bucket, frame: 0 }) as const;

describe('wallShares', () => {
  it('splits a wait that stacks show among them, and no more of it', () => {
    const estimate = estimateThread({
      counts: [
        { bucket: 'physics', leaf: 'work', samples: 300 },
        { bucket: 'gil-wait', leaf: 'wait', samples: 40 },
        { bucket: 'pacer', leaf: 'sleep', samples: 660 },
      ],
      totals: { ...PACED_TOTALS, gilWait: 0.04 },
      lostTicks: 0,
      priority: 'fifo',
    });
    const { shareOf, besides } = wallShares(estimate);
    expect(shareOf(claim('gil-wait')) * 40).toBeCloseTo(0.04, 12);
    expect(besides).toEqual([{ bucket: 'cpu-wait', share: 0.013 }]);
    const physics = estimate.rows.find((row) => row.bucket === 'physics');
    expect(shareOf(claim('physics')) * 300).toBeCloseTo(physics!.share, 12);
  });

  it('names what no stack stands for: samples without one, and a time without samples', () => {
    const lost = estimateThread({
      counts: [{ bucket: 'physics', leaf: 'work', samples: 90 }],
      lostTicks: 10,
      priority: 'unknown',
    });
    expect(wallShares(lost).besides).toEqual([{ bucket: 'unclassified', kind: 'lost', share: 0.1 }]);
    const unseen = estimateThread({
      counts: [{ bucket: 'pacer', leaf: 'sleep', samples: 100 }],
      totals: PACED_TOTALS,
      lostTicks: 0,
      priority: 'fifo',
    });
    expect(wallShares(unseen).besides.map(({ bucket, kind }) => [bucket, kind])).toContainEqual([
      'unclassified',
      'not-sampled',
    ]);
  });
});
