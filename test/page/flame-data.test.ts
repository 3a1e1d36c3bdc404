import { describe, expect, it } from 'vitest';
import { frameWords, nested, shareText } from '../../src/page/flame-data.js';
import type { FlameData } from '../../src/page/index.js';

const DATA: FlameData = {
  names: ['MainThread', 'run (a.py)', 'step (b.py)', 'wait (c.py)'],
  nodes: [-1, 0, 1000, -1, 0, 1, 1000, 2, 1, 2, 300, 0, 1, 3, 600, 1],
  buckets: ['physics', 'pacer', 'python'],
  bucketTexts: ['physics', 'pacer', 'python'],
  fills: ['#1', '#2', '#3'],
  seconds: 20,
  of: 'wall time',
};

describe('the data of a flame graph', () => {
  it('becomes a tree, the widest child first', () => {
    expect(nested(DATA)).toEqual({
      n: 'MainThread',
      v: 1000,
      b: -1,
      c: [
        {
          n: 'run (a.py)',
          v: 1000,
          b: 2,
          c: [
            { n: 'wait (c.py)', v: 600, b: 1, c: [] },
            { n: 'step (b.py)', v: 300, b: 0, c: [] },
          ],
        },
      ],
    });
  });

  it('is told in words: share, seconds, what a frame holds itself, bucket', () => {
    const root = nested(DATA);
    const run = root.c[0]!;
    expect(frameWords({ data: root }, DATA)).toBe('MainThread: 100.0 % of the wall time, 20.00 s');
    expect(frameWords({ data: run }, DATA)).toBe(
      'run (a.py): 100.0 % of the wall time, 20.00 s, 10.0 % itself · python',
    );
    expect(frameWords({ data: run.c[1]! }, DATA)).toBe(
      'step (b.py): 30.0 % of the wall time, 6.00 s · physics',
    );
    const { seconds: _, ...bare } = DATA;
    expect(frameWords({ data: run.c[0]! }, { ...bare, of: 'samples' })).toBe(
      'wait (c.py): 60.0 % of the samples · pacer',
    );
  });

  it('never says 0.0 % of what is there', () => {
    expect([shareText(0), shareText(0.0001), shareText(0.5)]).toEqual(['0.0 %', '<0.1 %', '50.0 %']);
  });
});
