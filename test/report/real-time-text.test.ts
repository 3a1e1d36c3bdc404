import { describe, expect, it } from 'vitest';
import { headline, type RealTime } from '../../src/report/index.js';
import type { SampleCount } from '../../src/rules/index.js';
import { pacedBreakdown, threadAnswer } from './answers.js';

const MEASURED: RealTime = { factor: 1, low: 0.9999, high: 1.0001, measured: 'during', wallS: 20, resets: 0 };

type Count = Pick<SampleCount, 'bucket' | 'leaf' | 'samples'>;

/** All that the answer says in its head. */
function said(realTime: Partial<RealTime> | undefined, counts: readonly Count[]): string {
  const thread = threadAnswer({}, counts);
  const known = realTime === undefined ? {} : { realTime: { ...MEASURED, ...realTime } };
  return headline(pacedBreakdown({ threads: [thread], ...known })).join(' ');
}

const HALF: readonly Count[] = [
  { bucket: 'physics', leaf: 'work', samples: 400 },
  { bucket: 'raycast', leaf: 'work', samples: 100 },
  { bucket: 'pacer', leaf: 'sleep', samples: 500 },
];
const UNPACED: readonly Count[] = [
  { bucket: 'physics', leaf: 'work', samples: 600 },
  { bucket: 'raycast', leaf: 'work', samples: 400 },
];
const behind = { factor: 0.82, low: 0.8199, high: 0.8201 };

describe('a real-time factor that was measured', () => {
  it('is told instead of the sentence that a profile does not tell it', () => {
    expect(said(undefined, HALF)).toContain('The real-time factor cannot be told from a profile.');
    const text = said({}, HALF);
    expect(text).toContain('Real-time factor 1.0000 ± 0.0001 (while it was sampled): it keeps up.');
    expect(text).not.toContain('cannot be told');
    expect(text).not.toContain('If you measured one below its target');
    // What is true all the same stays.
    expect(text).toContain('While the pacer keeps up, a faster bucket raises no real-time factor.');
  });

  it('below 1 comes with what would have to shrink, and by how much', () => {
    expect(said(behind, UNPACED)).toContain(
      'it falls behind by 18.0 %. To keep up it would need physics (60.0 %) to shrink by 30.0 %.',
    );
    expect(said({ factor: 0.3, low: 0.3, high: 0.3 }, UNPACED)).toContain(
      'it falls behind by 70.0 %. To keep up, 70.0 % of its time would have to go; the largest part, physics, has 60.0 %.',
    );
  });

  it('below 1 is waiting, where there is more of that than is missing, and no pacer to spare', () => {
    const waiting: readonly Count[] = [
      { bucket: 'physics', leaf: 'work', samples: 700 },
      { bucket: 'gil-wait', leaf: 'wait', samples: 300 },
    ];
    expect(said(behind, waiting)).toContain(
      'It waits for the GIL or a CPU for 30.0 % of its time, more than it lacks: without that it would keep up.',
    );
  });

  it('below 1 says what of it is waiting, where that alone is not all', () => {
    const counts: readonly Count[] = [
      { bucket: 'physics', leaf: 'work', samples: 300 },
      { bucket: 'raycast', leaf: 'work', samples: 100 },
      { bucket: 'gil-wait', leaf: 'wait', samples: 600 },
    ];
    expect(said({ factor: 0.3, low: 0.3, high: 0.3 }, counts)).toContain(
      'To keep up, 70.0 % of its time would have to go: waiting for the GIL or a CPU takes 60.0 %, and the largest part of its work, physics, 30.0 %.',
    );
    const some: readonly Count[] = [
      { bucket: 'physics', leaf: 'work', samples: 900 },
      { bucket: 'gil-wait', leaf: 'wait', samples: 100 },
    ];
    expect(said(behind, some)).toContain(
      'To keep up it would need physics (90.0 %) to shrink by 20.0 %; waiting for the GIL or a CPU takes 10.0 %.',
    );
  });

  it('below 1 is the pace where the pacer sleeps more than is missing', () => {
    expect(said(behind, HALF)).toContain(
      'it falls behind by 18.0 %. Its pacer takes 50.0 %, more than it lacks: what holds it back is the pace that it was given, or single late steps after which the pacer starts afresh (profiler buckets --by-step).',
    );
    // What a pacer tells where nothing was measured is not said beside it.
    expect(said(behind, HALF)).toMatch(/Its pacer sleeps 50\.0 %\. Real-time factor/);
    expect(said(behind, HALF)).not.toContain('keeps up');
    expect(said(behind, [...HALF, { bucket: 'gil-wait', leaf: 'wait', samples: 500 }])).toContain(
      'starts afresh (profiler buckets --by-step), and waiting for the GIL or a CPU makes steps late.',
    );
  });

  it('above 1 is ahead', () => {
    expect(said({ factor: 3.2, low: 3.19, high: 3.21 }, UNPACED)).toContain(
      'Real-time factor 3.200 ± 0.010 (while it was sampled): it is ahead of real time.',
    );
  });

  it('says where it was measured, and what was set back', () => {
    expect(said({ measured: 'beside' }, HALF)).toContain('(before and after it was sampled): it keeps up.');
    expect(said({ resets: 1 }, HALF)).toContain(
      'it keeps up. Its time was set back once, which is not counted.',
    );
    expect(said({ resets: 3 }, HALF)).toContain('Its time was set back 3 times, which is not counted.');
  });
});
