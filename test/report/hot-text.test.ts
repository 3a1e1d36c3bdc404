import { describe, expect, it } from 'vitest';
import type { Frame } from '../../src/model/index.js';
import { type Hot, displayWidth, hotJson, hotText } from '../../src/report/index.js';

const frame = (name: string, file: string, line: number): Frame => ({ name, kind: 'python', file, line });
const MAIN = { tid: 7, name: 'MainThread' };

function hot(changes: Partial<Hot> = {}): Hot {
  return {
    source: { path: 'x.raw', format: 'pyspy-raw' },
    by: 'stack',
    window: {},
    total: { weight: 100, unit: 'samples', samples: 100, stacks: 4, threads: 1 },
    lost: { samples: 0, lines: 0, examples: [] },
    selection: [],
    rows: [
      {
        stack: [frame('main', 'app.py', 3), frame('run', 'app.py', 9), frame('step', 'engine.py', 278)],
        thread: MAIN,
        bucket: 'physics',
        weight: 60,
        share: 0.6,
        low: 0.5,
        high: 0.7,
      },
      { stack: [], thread: MAIN, bucket: 'unclassified', weight: 5, share: 0.05, low: 0.02, high: 0.11 },
    ],
    more: { rows: 2, weight: 35 },
    denominator: 'samples',
    physicsKnown: true,
    findings: [],
    ...changes,
  };
}

const FUNCTIONS: Partial<Hot> = {
  by: 'function',
  physicsKnown: false,
  rows: [
    {
      name: 'cast',
      file: 'b.py',
      self: 60,
      total: 60,
      share: 0.6,
      low: 0.5,
      high: 0.7,
      totalShare: 0.6,
      lines: [
        { line: 51, self: 40 },
        { line: 52, self: 20 },
      ],
    },
    { name: 'loop', file: 'b.py', self: 0, total: 100, share: 0, low: 0, high: 0, totalShare: 1 },
  ],
  more: { rows: 0, weight: 0 },
};

describe('hotText', () => {
  it('shows stacks at 100 columns, says what is left out and whose time the shares are of', () => {
    expect(hotText(hot(), { width: 100, color: false })).toMatchInlineSnapshot(`
      "  x.raw · pyspy-raw
        100 samples · 1 thread
        By whole stack. Shares are of the samples of MainThread. The longest bar is 60.0 %.

        samples   share                   95 %  bucket        stack
             60  60.0 %  ██████████  50.0–70.0  physics       step (engine.py:278) < run:9 < main:3
              5   5.0 %  ▉            2.0–11.0  unclassified  (no usable stack)
        2 more rows, 35 samples not shown (--top 4)
      "
    `);
  });

  it('cuts stacks between root and leaf at 60 columns', () => {
    expect(hotText(hot(), { width: 60, color: false })).toMatchInlineSnapshot(`
      "  x.raw · pyspy-raw
        100 samples · 1 thread
        By whole stack. Shares are of the samples of MainThread.

        samples   share  bucket        stack
             60  60.0 %  physics       step (engine.py:278) < …
              5   5.0 %  unclassified  (no usable stack)
        2 more rows, 35 samples not shown (--top 4)
        Whole stacks: --tsv or --folded, or a wider terminal
        (COLUMNS=200).
      "
    `);
  });

  it('advises no wider terminal to one of 200 columns', () => {
    const deep = Array.from({ length: 40 }, (_, at) => frame(`caller_${at}`, 'app.py', at));
    const text = hotText(hot({ rows: [{ ...hot().rows[0]!, stack: deep }] }), { width: 200, color: false });
    expect(text).toContain('\n  Whole stacks: --tsv or --folded.\n');
  });

  it('shows functions with their lines below', () => {
    expect(hotText(hot(FUNCTIONS), { width: 100, color: false })).toMatchInlineSnapshot(`
      "  x.raw · pyspy-raw
        100 samples · 1 thread
        By function; the lines below each are those executed in it (--by line makes them rows). Shares are
        of each thread's own samples. The longest bar is 60.0 %.

        self   share                   95 %  total           function
          60  60.0 %  ██████████  50.0–70.0     60   60.0 %  cast (b.py)
                                                               :51 40  :52 20
           0   0.0 %                0.0–0.0    100  100.0 %  loop (b.py)
      "
    `);
  });

  it('shows what waits in a column of its own, and not among the samples that shares are of', () => {
    const [stack] = hot().rows;
    const waits = hot({
      total: { weight: 100, unit: 'samples', samples: 100, waiting: 45, stacks: 4, threads: 1 },
      rows: [{ ...stack!, waiting: 40 }, { ...hot().rows[1]! }],
      more: { rows: 2, weight: 35, waiting: 5 },
    });
    expect(hotText(waits, { width: 100, color: false })).toMatchInlineSnapshot(`
      "  x.raw · pyspy-raw
        100 samples · 1 thread
        By whole stack. Shares are of the samples of MainThread; 45 of the 100 samples wait for the GIL or
        a CPU, and are in no share (profiler waits). The longest bar is 60.0 %.

        samples  waiting   share                   95 %  bucket        stack
             20       40  60.0 %  ██████████  50.0–70.0  physics       step (engine.py:278) < run:9 < …
              5            5.0 %  ▉            2.0–11.0  unclassified  (no usable stack)
        2 more rows, 30 samples and 5 waiting not shown (--top 4)
        Whole stacks: --tsv or --folded, or a wider terminal (COLUMNS=200).
      "
    `);
    const functions = hot({
      ...FUNCTIONS,
      total: { weight: 100, unit: 'samples', samples: 100, waiting: 25, stacks: 4, threads: 1 },
      rows: [
        {
          ...FUNCTIONS.rows![0]!,
          waiting: 25,
          totalWaiting: 25,
          lines: [
            { line: 51, self: 40, waiting: 25 },
            { line: 52, self: 20 },
          ],
        },
        { ...FUNCTIONS.rows![1]!, totalWaiting: 25 },
      ],
    });
    expect(hotText(functions, { width: 100, color: false })).toMatchInlineSnapshot(`
      "  x.raw · pyspy-raw
        100 samples · 1 thread
        By function; the lines below each are those executed in it (--by line makes them rows). Shares are
        of each thread's own samples; 25 of the 100 samples wait for the GIL or a CPU, and are in no share
        (profiler waits). The longest bar is 60.0 %.

        self  waiting   share                   95 %  total           function
          35       25  60.0 %  ██████████  50.0–70.0     35   60.0 %  cast (b.py)
                                                                        :51 15  :52 20
           0            0.0 %                0.0–0.0     75  100.0 %  loop (b.py)
      "
    `);
  });

  it('says that nothing waits where samples would tell', () => {
    const none = { weight: 100, unit: 'samples', samples: 100, waiting: 0, stacks: 4, threads: 1 } as const;
    expect(hotText(hot({ total: none }), { width: 100, color: false })).toContain(
      '\n  By whole stack. Shares are of the samples of MainThread; no sample waits for the GIL or a CPU. The\n',
    );
  });

  it('says what was selected and what could not be read', () => {
    const text = hotText(
      hot({
        selection: ['bucket raycast', '60 of 100 in all'],
        lost: { samples: 2, lines: 1, examples: ['line 4: count is no number: a;c x'] },
      }),
      { width: 100, color: false },
    );
    expect(text).toContain('\n  Only bucket raycast, 60 of 100 in all.\n');
    expect(text).toContain(
      '\n  Not counted: 1 line could not be read, 2 samples lost by the sampler.\n    line 4: count is no number: a;c x\n',
    );
  });

  it.each([72, 80, 100, 200])('fits %i columns with hostile and wide names', (width) => {
    const nasty = frame(`\u001b[31m${'名'.repeat(200)}\u202e`, 'a\nb.py', 1);
    const text = hotText(
      hot({ rows: [{ ...hot().rows[0]!, stack: [nasty, nasty], thread: { name: '名'.repeat(90) } }] }),
      { width, color: false },
    );
    expect(Math.max(...text.split('\n').map(displayWidth))).toBeLessThanOrEqual(width);
    // oxlint-disable-next-line no-control-regex -- none may be left
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });
});

describe('hotJson', () => {
  it('has the documented shape, raw names, and nothing unknown', () => {
    const answer = hot({ rows: [{ ...hot().rows[0]!, stack: [frame('a\u202e', 'b.py', 1)] }] });
    expect(JSON.parse(hotJson(answer))).toEqual({
      schema: 'sim-profiler/v1',
      kind: 'hot',
      source: { path: 'x.raw', format: 'pyspy-raw' },
      by: 'stack',
      window: {},
      total: { weight: 100, unit: 'samples', samples: 100, stacks: 4, threads: 1 },
      lost: { samples: 0, lines: 0, examples: [] },
      rows: [
        {
          stack: ['a\u202e (b.py:1)'],
          thread: 'MainThread',
          tid: 7,
          bucket: 'physics',
          weight: 60,
          share: 0.6,
          low: 0.5,
          high: 0.7,
        },
      ],
      more: { rows: 2, weight: 35 },
      findings: [],
    });
    expect(hotJson(answer)).not.toContain('\u202e');
  });

  it('has places instead of stacks in other groupings', () => {
    expect(JSON.parse(hotJson(hot(FUNCTIONS))).rows[0]).toEqual({
      name: 'cast',
      file: 'b.py',
      self: 60,
      total: 60,
      share: 0.6,
      low: 0.5,
      high: 0.7,
      totalShare: 0.6,
      lines: [
        { line: 51, self: 40 },
        { line: 52, self: 20 },
      ],
    });
  });
});
