import { describe, expect, it } from 'vitest';
import { withoutLoop } from '../../src/cli/load-over.js';
import { breakdownText } from '../../src/report/index.js';
import type { Breakdown } from '../../src/report/index.js';
import type { SampleCount } from '../../src/stats/index.js';
import { pacedBreakdown, threadAnswer } from '../report/answers.js';

const STEPS: SampleCount = { bucket: 'physics', leaf: 'work', samples: 30 };
const PACES: SampleCount = { bucket: 'pacer', leaf: 'sleep', samples: 70 };

/** What `run --load` makes of these samples. */
function startUp(...counts: readonly SampleCount[]): Breakdown {
  const { run, ...answer } = pacedBreakdown({ threads: [threadAnswer({}, counts)], findings: [] });
  if (run === undefined) throw new Error('no recording');
  return { ...answer, run: { ...run, phase: 'load' } };
}

describe('the start-up of a program that stepped before sampling began', () => {
  it('has no row of the loop, and says so first', () => {
    const { threads, findings } = withoutLoop(startUp(STEPS, PACES));
    expect(threads.map(({ buckets }) => buckets)).toEqual([[]]);
    expect(findings.map(({ level, id, what }) => [level, id, what])).toEqual([
      ['warning', 'load-over', 'Start-up was over before sampling began: the loop stepped already.'],
    ]);
  });

  it('is called no start-up in the answer', () => {
    const text = breakdownText(
      withoutLoop(startUp(STEPS, PACES)),
      { width: 200, color: false },
      { allThreads: false },
    );
    expect(text).toContain('Warning: Start-up was over before sampling began');
    expect(text).toContain(
      'Nothing of the start-up (MainThread) was sampled; what was, is of the loop, and no row here.',
    );
    expect(text).not.toContain('up to the first step');
    expect(text).not.toContain('pacer');
  });

  it.each([
    ['loading was seen', [{ bucket: 'load', kind: 'imports', leaf: 'work', samples: 5 }, STEPS, PACES]],
    ['no step was seen', [{ bucket: 'python', leaf: 'work', samples: 50 }]],
    ['a model was built', [{ bucket: 'physics', kind: 'forward', leaf: 'work', samples: 50 }]],
  ] satisfies readonly (readonly [string, readonly SampleCount[]])[])(
    'is left as it is where %s',
    (_, counts) => {
      const answer = startUp(...counts);
      expect(withoutLoop(answer)).toBe(answer);
    },
  );

  it('is no matter of a loop that was asked for', () => {
    const loop = pacedBreakdown();
    expect(withoutLoop(loop)).toBe(loop);
  });
});
