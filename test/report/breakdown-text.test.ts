import { describe, expect, it } from 'vitest';
import { headline } from '../../src/report/headline.js';
import { breakdownText, displayWidth } from '../../src/report/index.js';
import type { ThreadAnswer } from '../../src/report/index.js';
import { PACED_COUNTS, PACED_TOTALS, STARVED, pacedBreakdown, threadAnswer } from './answers.js';

const PLAIN = { width: 100, color: false };

/** The text of one answer, plain, at 100 columns. */
function textOf(answer: Parameters<typeof breakdownText>[0], allThreads = false): string {
  return breakdownText(answer, PLAIN, { allThreads });
}

/** A thread of 1000 samples that works in some of them; with `onCpu`, the kernel says otherwise. */
const resting = (name: string, index: number, working: number, onCpu?: number): ThreadAnswer =>
  threadAnswer(
    { thread: { name }, index, role: 'unknown' },
    [
      { bucket: 'python', leaf: 'work', samples: working },
      { bucket: 'idle', leaf: 'sleep', samples: 1000 - working },
    ],
    onCpu === undefined ? {} : { totals: { ...PACED_TOTALS, onCpu, blocked: 0.987 - onCpu } },
  );

describe('breakdownText', () => {
  it('is the screen of attach at 100 columns', () => {
    expect(textOf(pacedBreakdown())).toMatchInlineSnapshot(`
      "  bridge · pid 48211, 27 inside (python3 run_bridge.py) · route: nsenter, no restart · 20.0 s at 250
        Hz, real-time priority
        1,000 samples · 1 thread

        The physics thread (MainThread) is busy 41.2 % of the time. Its pacer sleeps 57.7 %: it keeps up
        with the pace it was given, unless single steps are much longer than the others.
        While the pacer keeps up, a faster bucket raises no real-time factor. The real-time factor cannot
        be told from a profile. If you measured one below its target, look at the pacer and at single long
        steps, not at the mean step.

        MainThread                      wall                   95 %  of work  unpaced, if free
        physics                       29.1 %  ██▉         26.0–32.2     71 %              3.2×
        raycast    lidar               5.8 %  ▋             3.1–8.5     14 %             1.16×
        publishing LaserScan, /clock   5.8 %  ▋             3.1–8.5     14 %             1.16×
          /message-build LaserScan     3.9 %  ▍             1.4–6.3     10 %             1.10×
          /serialize /clock            1.9 %  ▎             0.0–4.1      5 %             1.05×
        waiting for the GIL            0.2 %  ▏               exact
        waiting for a CPU              1.3 %  ▏               exact
        pacer                         57.7 %  █████▊      56.4–59.0
        Shares are of the wall time of MainThread (1,000 samples). A full bar is 100 %.

        Reliability: totals from the kernel; samples agree with them (0.0 points); no change of its loop
        rate beyond chance while it was recorded (-0.5 to +0.1 %); 0 read errors.
        Recording: recordings/bridge
        Next: profiler hot · profiler view · profiler report
      "
    `);
  });

  it('is the screen of attach at 60 columns, with the alarm first', () => {
    const text = breakdownText(
      pacedBreakdown({ findings: [STARVED] }),
      { width: 60, color: false },
      { allThreads: false },
    );
    expect(text).toMatchInlineSnapshot(`
      "  bridge · pid 48211, 27 inside (python3 run_bridge.py) ·
        route: nsenter, no restart · 20.0 s at 250 Hz, real-time
        priority
        1,000 samples · 1 thread

        Warning: The sampler was held off. Function shares are
          unreliable.
          -> run it as root
        The physics thread (MainThread) is busy 41.2 % of the
        time. Its pacer sleeps 57.7 %: it keeps up with the pace
        it was given, unless single steps are much longer than the
        others.
        While the pacer keeps up, a faster bucket raises no
        real-time factor. The real-time factor cannot be told from
        a profile. If you measured one below its target, look at
        the pacer and at single long steps, not at the mean step.

        MainThread               wall       95 %  of work  if free
        physics                29.1 %  26.0–32.2     71 %     3.2×
        raycast    lidar        5.8 %    3.1–8.5     14 %    1.16×
        publishing…an, /clock   5.8 %    3.1–8.5     14 %    1.16×
          /message… LaserScan   3.9 %    1.4–6.3     10 %    1.10×
          /serialize /clock     1.9 %    0.0–4.1      5 %    1.05×
        waiting for the GIL     0.2 %      exact
        waiting for a CPU       1.3 %      exact
        pacer                  57.7 %  56.4–59.0
        Shares are of the wall time of MainThread (1,000 samples).

        Reliability: totals from the kernel; samples agree with
        them (0.0 points); no change of its loop rate beyond
        chance while it was recorded (-0.5 to +0.1 %); 0 read
        errors; 1 warning above.
        Recording: recordings/bridge
        Next: profiler hot · profiler view · profiler report
      "
    `);
  });

  it.each([40, 48, 60, 80, 120, 200])('fits %i columns', (width) => {
    const text = breakdownText(pacedBreakdown(), { width, color: false }, { allThreads: true });
    expect(Math.max(...text.split('\n').map(displayWidth))).toBeLessThanOrEqual(width);
  });

  it('has no escape sequence without colour and some with it', () => {
    const warned = pacedBreakdown({ findings: [STARVED] });
    expect(textOf(warned)).not.toContain('\u001b');
    expect(breakdownText(warned, { width: 100, color: true }, { allThreads: false })).toContain(
      '\u001b[33mWarning',
    );
  });

  it('says that it works unpaced when no pacer was seen, and tells no real-time factor', () => {
    const busy = threadAnswer({}, [{ bucket: 'physics', leaf: 'work', samples: 100 }]);
    const text = textOf(pacedBreakdown({ threads: [busy] }));
    expect(text).toContain('busy 100.0 % of its samples. No pacer was seen');
    expect(text).toContain('The real-time factor cannot be told from a profile.');
    expect(text).not.toMatch(/real-time factor (is|of|[0-9])/);
  });

  it('says what to do about rest that paces the loop beside that rest, not beside a wait for a CPU', () => {
    const totals = { ...PACED_TOTALS, cpuWait: 0.1, sleep: 0.485 };
    const unpaced = threadAnswer(
      {},
      [
        { bucket: 'physics', leaf: 'work', samples: 500 },
        { bucket: 'idle', kind: 'sleep', leaf: 'sleep', samples: 500 },
      ],
      { totals },
    );
    const [first, second] = headline(pacedBreakdown({ threads: [unpaced] }));
    expect(first).toMatch(
      / No pacer was seen, but it rests \d+\.\d % of the time elsewhere\. If that is what paces it, teach the rules \(--rules FILE\)\.$/,
    );
    expect(second).toBe(
      'It waits 10.0 % for a CPU, taken by other work on this machine. The real-time factor cannot be told from a profile.',
    );
  });

  it('tells half a thread of pacer sleep as keeping up, and points to the pacer for a low factor', () => {
    const half = threadAnswer({}, [
      { bucket: 'physics', leaf: 'work', samples: 50 },
      { bucket: 'pacer', leaf: 'sleep', samples: 50 },
    ]);
    const text = textOf(pacedBreakdown({ threads: [half] })).replaceAll(/\s+/g, ' ');
    expect(text).toContain('Its pacer sleeps 50.0 %: it keeps up with the pace it was given, unless');
    expect(text).toContain('a faster bucket raises no real-time factor');
    expect(text).toContain('look at the pacer and at single long steps');
  });

  it('never says that a loop keeps up that waits for a CPU or the GIL, and says what to do about it', () => {
    const totals = {
      ...PACED_TOTALS,
      onCpu: 0.2,
      cpuWait: 0.45,
      gilWait: 0.05,
      sleep: 0.3,
      otherBlocked: 0,
      blocked: 0.35,
    };
    const late = threadAnswer({}, PACED_COUNTS, { totals });
    const text = textOf(pacedBreakdown({ threads: [late] })).replaceAll(/\s+/g, ' ');
    expect(text).not.toContain('keeps up with');
    expect(text).not.toContain('single long steps');
    expect(text).toContain(
      'Its pacer sleeps 30.0 % (58.0 % with the waiting after its sleeps), which is no proof that it keeps up',
    );
    expect(text).toContain('It waits 5.0 % for the GIL, held by other Python threads, and 45.0 % for a CPU');
    expect(text).toContain('Try: waiting for a CPU: end or move what else keeps the CPUs busy');
    expect(text).not.toContain('Try: waiting for the GIL');
  });

  it('says nothing about the pacer of a handful of samples, or of lines whose text is not known', () => {
    const few = threadAnswer({}, [{ bucket: 'pacer', leaf: 'sleep', samples: 2 }], { totals: PACED_TOTALS });
    expect(textOf(pacedBreakdown({ threads: [few] })).replaceAll(/\s+/g, ' ')).toContain(
      'With 2 samples nothing more can be said.',
    );
    const unknown = { level: 'note', id: 'source-unknown', what: 'w', why: 'y' } as const;
    expect(textOf(pacedBreakdown({ findings: [unknown] })).replaceAll(/\s+/g, ' ')).toContain(
      'whether it sleeps or works there is not known.',
    );
  });

  it.each([
    [
      -0.02,
      -0.03,
      -0.01,
      'the loop slept 2.0 % less often while it was recorded (-3.0 to -1.0 %); its rate fell by no more than that',
    ],
    [0.02, 0.01, 0.03, 'the loop slept 2.0 % more often while it was recorded (+1.0 to +3.0 %); 0 read'],
    [-0.002, -0.01, 0.006, 'no change of its loop rate beyond chance while it was recorded (-1.0 to +0.6 %)'],
    [-0.05, -0.3, 0.2, 'whether recording slowed the loop cannot be told from its noise (-30.0 to +20.0 %)'],
    [
      -0.47,
      -0.82,
      -0.12,
      'the loop slept less often while it was recorded, by how much is uncertain (-82.0 to -12.0 %); its rate fell by no more than that',
    ],
  ])('tells a change of %d, between %d and %d, for what it is', (change, low, high, text) => {
    const effect = { change, low, high, measure: 'voluntary-switches' } as const;
    expect(textOf(pacedBreakdown({ effect })).replaceAll(/\s+/g, ' ')).toContain(text);
  });

  it('takes no change for that of the loop where waiting makes steps late', () => {
    const effect = { change: -0.2, low: -0.312, high: -0.067, measure: 'voluntary-switches' } as const;
    const waiting = threadAnswer({}, PACED_COUNTS, {
      totals: { ...PACED_TOTALS, cpuWait: 0.2, blocked: 0.388 },
    });
    expect(textOf(pacedBreakdown({ effect, threads: [waiting] })).replaceAll(/\s+/g, ' ')).toContain(
      'how often it gave up its CPU changed by -31.2 to -6.7 % while it was recorded, which on a machine this busy is not its loop rate',
    );
  });

  it('calls a spinning pacer spinning', () => {
    const spin = threadAnswer({}, [
      { bucket: 'physics', leaf: 'work', samples: 50 },
      { bucket: 'pacer', kind: 'spin', leaf: 'work', samples: 50 },
    ]);
    expect(textOf(pacedBreakdown({ threads: [spin] }))).toContain('Its pacer spins 50.0 %');
  });

  it('names no physics thread that nobody knows, and then shows those that there are', () => {
    const threads = ['a', 'b'].map((name, index) =>
      threadAnswer({ thread: { name }, index, role: 'unknown' }, [
        { bucket: 'python', leaf: 'work', samples: 10 },
      ]),
    );
    const text = textOf(pacedBreakdown({ threads, physicsKnown: false }));
    expect(text).toContain('so no thread is called the\n  physics thread.');
    expect(text).toMatch(/^ {2}a +samples/m);
    expect(text).toMatch(/^ {2}b +samples/m);
  });

  it('shows the five busiest threads where none is known, by the kernel before the samples', () => {
    const idle = Array.from({ length: 300 }, (_, index) => resting(`idle-${index}`, index, 1));
    const threads = [
      ...idle,
      resting('few', 300, 20),
      resting('most', 301, 10, 0.5),
      resting('some', 302, 300),
    ];
    for (const all of [false, true]) {
      const text = textOf(pacedBreakdown({ threads, physicsKnown: false }), all);
      const heads = text
        .match(/^ *\S+ +(?:samples|wall) +95 %.*$/gm)
        ?.map((line) => line.trim().split(' ')[0]);
      expect(heads).toEqual(['most', 'some', 'few', 'idle-0', 'idle-1']);
      expect(text).toMatch(/^ {2}298 more: profiler threads$/m);
      expect(text.split('\n').length).toBeLessThan(70);
    }
  });

  it('shows unclassified with its hottest frames, and what has no stack', () => {
    const thread = threadAnswer(
      {
        unclassified: [
          { frame: { name: 'solve', kind: 'python', file: 'ik.py', line: 4 }, samples: 30, share: 0.3 },
          { frame: { name: 'plan', kind: 'python', file: 'path.py', line: 9 }, samples: 10, share: 0.1 },
        ],
      },
      [
        { bucket: 'unclassified', leaf: 'work', samples: 40 },
        { bucket: 'physics', leaf: 'work', samples: 55 },
      ],
      { lostTicks: 5 },
    );
    expect(textOf(pacedBreakdown({ threads: [thread] }))).toContain(
      [
        '  Unclassified, hottest first (nothing in the rules claims these):',
        '    30.0 %  30  solve (ik.py:4)',
        '    10.0 %  10  plan (path.py:9)',
        '  5 samples of this thread came without a usable stack.',
      ].join('\n'),
    );
  });

  it('prints a remedy with its source below the table', () => {
    const thread = threadAnswer({}, PACED_COUNTS, { totals: PACED_TOTALS });
    const remedy = { text: 'Cast fewer rays.', source: 'lidar manual', above: 0.05 };
    const buckets = thread.buckets.map((one) =>
      one.bucket === 'raycast' ? { ...one, remedies: [remedy] } : one,
    );
    expect(textOf(pacedBreakdown({ threads: [{ ...thread, buckets }] }))).toContain(
      '\n  Try: raycast: Cast fewer rays. (lidar manual)\n',
    );
  });

  it('prints hostile names as visible escapes', () => {
    const thread = threadAnswer({ thread: { tid: 1, name: 'Main\u001b[2J\u202e\nThread' } }, [
      { bucket: 'raycast', label: 'li\u0007dar', leaf: 'work', samples: 10 },
    ]);
    const text = textOf(
      pacedBreakdown({
        threads: [thread],
        findings: [{ level: 'warning', id: 'x', what: 'Bad \u001b]0;title\u0007 name.', why: 'Why\nnot.' }],
        lost: { samples: 0, lines: 1, examples: ['line 1: \u001b[1m'] },
      }),
    );
    expect(text).toContain('Main\\x1b[2J\\u202e\\nThread');
    expect(text).toContain('li\\x07dar');
    expect(text).toContain('Bad \\x1b]0;title\\x07 name. Why\\nnot.');
    expect(text).toContain('line 1: \\x1b[1m');
    // oxlint-disable-next-line no-control-regex -- none may be left
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  });

  it('says that shares include waiting where waits could not be taken out', () => {
    const totals = {
      ...PACED_TOTALS,
      onCpu: 0.6,
      gilWait: 0.3,
      sleep: 0.05,
      otherBlocked: 0.037,
      blocked: 0.387,
    };
    const thread = threadAnswer({}, [{ bucket: 'physics', leaf: 'work', samples: 100 }], { totals });
    const text = textOf(pacedBreakdown({ threads: [thread] })).replaceAll(/\s+/g, ' ');
    expect(text).toContain('include waiting for the GIL and for a CPU.');
    expect(text).toContain('It waits 30.0 % for the GIL, held by other Python threads.');
  });
});
