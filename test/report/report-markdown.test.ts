import { describe, expect, it } from 'vitest';
import { type Report, reportMarkdown } from '../../src/report/index.js';
import { codeMarkdown, plainMarkdown } from '../../src/report/report-markdown.js';
import { STARVED, hotAnswer, pacedBreakdown } from './answers.js';

const REPORT: Report = {
  breakdown: pacedBreakdown({ findings: [STARVED] }),
  hot: hotAnswer({
    rows: [
      {
        stack: [{ name: 'Engine.step', kind: 'python', file: 'engine.py', line: 278 }],
        bucket: 'physics',
        share: 0.291,
        weight: 300,
      },
      { stack: [], bucket: 'unclassified', kind: 'lost', share: 0.001 },
    ],
    more: { rows: 3, weight: 12 },
  }),
  version: '0.1.0',
};

describe('reportMarkdown', () => {
  it('is the answer, its table, the hottest lines and how it was made', () => {
    expect(reportMarkdown(REPORT)).toMatchInlineSnapshot(`
      "**The physics thread (MainThread) is busy 41.2 % of the time. Its pacer sleeps 57.7 %: it keeps up with the pace it was given, unless single steps are much longer than the others.**

      While the pacer keeps up, a faster bucket raises no real-time factor. The real-time factor cannot be told from a profile. If you measured one below its target, look at the pacer and at single long steps, not at the mean step.

      - **Warning:** The sampler was held off. Function shares are unreliable. \`run it as root\`

      | MainThread | wall | 95 % | of work | unpaced, if free |
      |---|---:|---:|---:|---:|
      | physics | 29.1 % | 26.0–32.2 | 71 % | 3.2× |
      | raycast (lidar) | 5.8 % | 3.1–8.5 | 14 % | 1.16× |
      | publishing (LaserScan, /clock) | 5.8 % | 3.1–8.5 | 14 % | 1.16× |
      | waiting for the GIL | 0.2 % | exact |  |  |
      | waiting for a CPU | 1.3 % | exact |  |  |
      | pacer | 57.7 % | 56.4–59.0 |  |  |

      | hottest | bucket | line |
      |---:|---|---|
      | 29.1 % | physics | \`Engine.step (engine.py:278)\` |
      | 0.1 % | unclassified/lost | \`(no usable stack)\` |

      Reliability: totals from the kernel; samples agree with them (0.0 points); no change of its loop rate beyond chance while it was recorded (-0.5 to +0.1 %); 0 read errors; 1 warning above.

      <details><summary>How it was recorded</summary>

      - bridge · pid 48211, 27 inside (python3 run\\_bridge.py) · route: nsenter, no restart · 20.0 s at 250 Hz, real-time priority
      - 1,000 samples · 1 thread

      </details>
      "
    `);
  });
});

it('of a thread that does not step has no column for what its loop would gain', () => {
  const { breakdown } = REPORT;
  const threads = breakdown.threads.map((thread) => ({ ...thread, role: 'idle' as const }));
  const lines = reportMarkdown({
    ...REPORT,
    breakdown: { ...breakdown, threads, physicsKnown: false },
  }).split('\n');
  const at = lines.indexOf('| MainThread | wall | 95 % | of work |');
  expect(lines.slice(at + 1, at + 3)).toEqual([
    '|---|---:|---:|---:|',
    '| physics | 29.1 % | 26.0–32.2 | 71 % |',
  ]);
});

describe('text in Markdown', () => {
  it('stays text, whatever a name holds', () => {
    expect(plainMarkdown('a|b `c` <img> [d](http://e) _f_ *g* @h #1 \u202e')).toBe(
      'a\\|b \\`c\\` \\<img\\> \\[d\\](http\u2060://e) \\_f\\_ \\*g\\* @\u2060h #\u20601 \\\\u202e',
    );
  });

  it('names no issue, commit or picture', () => {
    expect(
      plainMarkdown('GH-1 gh-22 a/b#3 16c999e8c71134401a78d4d46435517b2271d6ac deadbee :boom: 10:20'),
    ).toBe(
      'GH\u2060-1 gh\u2060-22 a/b#\u20603 1\u20606c999e8c71134401a78d4d46435517b2271d6ac d\u2060eadbee :\u2060boom: 10:20',
    );
  });

  it('stays one piece of code with ticks in it, and in a table one cell', () => {
    expect(codeMarkdown('a')).toBe('`a`');
    expect(codeMarkdown('`a``b`')).toBe('``` `a``b` ```');
    expect(codeMarkdown('a\nb')).toBe('`a\\nb`');
    expect(codeMarkdown('a|b', true)).toBe('`a\\|b`');
  });
});
