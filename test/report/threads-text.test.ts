import { describe, expect, it } from 'vitest';
import { breakdownJson, sourceText, threadsJson, threadsText } from '../../src/report/index.js';
import { PACED_COUNTS, PACED_TOTALS, pacedBreakdown, threadAnswer } from './answers.js';

const PLAIN = { width: 100, color: false };

const physics = threadAnswer({}, PACED_COUNTS, { totals: PACED_TOTALS });
const driver = threadAnswer(
  {
    thread: { tid: 48215, name: 'llvmpipe-0' },
    index: -1,
    role: 'rendering driver',
    overlap: { atLeast: 0.1, atMost: 0.412 },
  },
  [],
  { totals: { wallS: 20, onCpu: 0.69, cpuWait: 0.1, blocked: 0.21, voluntaryPerS: 10 } },
);

/** A thread of a bare file. */
const bare = (name: string, samples: number) =>
  threadAnswer({ thread: { name }, role: 'unknown' }, [{ bucket: 'python', leaf: 'work', samples }]);

describe('threadsText', () => {
  it('shows every thread with the kernel totals, and who overlaps the physics thread', () => {
    expect(threadsText(pacedBreakdown({ threads: [physics, driver] }), PLAIN)).toMatchInlineSnapshot(`
      "  bridge · pid 48211, 27 inside (python3 run_bridge.py) · route: nsenter, no restart · 20.0 s at 250
        Hz, real-time priority
        1,000 samples · 2 threads

        thread        tid  role                          on CPU   waits  blocked    GIL
        MainThread  48211  physics           ████┊░░░░░  41.2 %   1.3 %   57.5 %  0.2 %
        llvmpipe-0  48215  rendering driver  ███████▒░░  69.0 %  10.0 %   21.0 %
        Each thread against its own wall time, from the kernel: exact. Bars: █ on a CPU, ▒ waiting for
        one, ░ blocked; thin marks are less than half a column.
        llvmpipe-0 (rendering driver) and the physics thread are on a CPU at the same time for between
        10.0 % and 41.2 % of the window.
        Next: profiler buckets (2 threads) · profiler hot --thread NAME
      "
    `);
  });

  it('says that nothing overlaps when nothing does', () => {
    expect(threadsText(pacedBreakdown({ threads: [physics] }), PLAIN)).toContain(
      'No other thread is on a CPU enough to overlap the physics thread.',
    );
  });

  it('says who waited for the GIL where samples do not tell for whom', () => {
    const waiting = threadAnswer({}, PACED_COUNTS, { totals: { ...PACED_TOTALS, gilWait: 0.3 } });
    const worker = threadAnswer({ thread: { tid: 48216, name: 'worker' }, index: 1, role: 'other' }, [], {
      totals: { wallS: 20, onCpu: 0.9, cpuWait: 0, blocked: 0.1, gilWait: 0.02, voluntaryPerS: 10 },
    });
    expect(
      threadsText(pacedBreakdown({ threads: [waiting, worker] }), { width: 400, color: false }),
    ).toContain(
      '  Waited for the GIL: MainThread 30.0 % of the time. For whom, and when it was free, only samples of our own sampler tell (profiler attach --backend cpython).\n',
    );
  });

  it('names three threads without samples, the busiest first, and no drivers', () => {
    const unseen = [0.02, 0.05, 0.4, 0.1, 0.01].map((onCpu, at) =>
      threadAnswer({ thread: { tid: 50 + at, name: `pool-${at}` }, index: -1, role: 'unknown' }, [], {
        totals: { wallS: 20, onCpu, cpuWait: 0, blocked: 1 - onCpu, voluntaryPerS: 0 },
      }),
    );
    expect(
      threadsText(pacedBreakdown({ threads: [physics, driver, ...unseen] }), { width: 400, color: false }),
    ).toContain(
      '  5 threads have no sample. What the kernel counts: pool-2 was on a CPU 40.0 % of the time, waited 0.0 % for one and was blocked 60.0 %; pool-3 was on a CPU 10.0 % of the time, waited 0.0 % for one and was blocked 90.0 %; pool-1 was on a CPU 5.0 % of the time, waited 0.0 % for one and was blocked 95.0 %; 2 more threads were on a CPU at most 2.0 % each.\n',
    );
  });

  it('of a bare file shows how often each thread was seen per tick, each against its own ticks', () => {
    const { run: _, effect: __, ...rest } = pacedBreakdown();
    const text = threadsText(
      {
        ...rest,
        source: { path: 'x.raw', format: 'pyspy-raw' },
        window: { wallS: 5, rateHz: 100, ticks: 500 },
        threads: [bare('MainThread', 500), bare('lidar', 480)],
        physicsKnown: false,
      },
      PLAIN,
    );
    expect(text).toMatchInlineSnapshot(`
      "  x.raw · pyspy-raw · 5.0 s at 100 Hz
        980 samples · 2 threads · 500 ticks · 1.96 samples per tick

        thread      role     samples              seen in
        MainThread  unknown      500  ██████████  100.0 %
        lidar       unknown      480  █████████▋   96.0 %
        There are no kernel times: only how often each thread was seen. Of one that is missing nothing is
        known. A full bar is every look.
        No thread was seen entering a simulation step that the rules know.
        Next: profiler buckets (2 threads) · profiler hot --thread NAME
      "
    `);
  });
});

describe('threadsJson', () => {
  it('leaves out what is unknown', () => {
    const { threads, kind } = JSON.parse(threadsJson(pacedBreakdown({ threads: [physics, driver] })));
    expect(kind).toBe('threads');
    expect(threads[1]).toEqual({
      tid: 48215,
      name: 'llvmpipe-0',
      role: 'rendering driver',
      samples: 0,
      lost: 0,
      includesWaiting: false,
      accounting: { onCpu: 0.69, cpuWait: 0.1, blocked: 0.21 },
      overlap: { atLeast: 0.1, atMost: 0.412 },
    });
  });
});

describe('breakdownJson', () => {
  it('has the documented shape', () => {
    const json = JSON.parse(breakdownJson(pacedBreakdown()));
    expect(json).toMatchObject({
      schema: 'sim-profiler/v1',
      kind: 'breakdown',
      source: { path: 'recordings/bridge', format: 'recording' },
      window: { wallS: 20, rateHz: 250, achievedRateHz: 249.5, ticks: 1000, errors: 0 },
    });
    const [thread] = json.threads;
    expect(thread).toMatchObject({
      tid: 48211,
      nsTid: 27,
      name: 'MainThread',
      role: 'physics',
      samples: 1000,
      includesWaiting: false,
      accounting: { onCpu: 0.412, cpuWait: 0.013, gilWait: 0.002, sleep: 0.565, otherBlocked: 0.008 },
    });
    const byId = new Map(thread.buckets.map((bucket: { id: string }) => [bucket.id, bucket]));
    expect([...byId.keys()].sort()).toEqual([
      'cpu-wait',
      'gil-wait',
      'pacer',
      'physics',
      'publishing',
      'raycast',
    ]);
    expect(byId.get('pacer')).not.toHaveProperty('ceiling');
    expect(byId.get('physics')).toMatchObject({ rawShare: 0.3, samples: 300 });
    const total = thread.buckets.reduce((sum: number, bucket: { share: number }) => sum + bucket.share, 0);
    expect(total).toBeCloseTo(1, 5);
  });
});

describe('sourceText', () => {
  it('shows hot lines in their code, with a gap where lines are left out', () => {
    const listing = {
      file: 'engine.py',
      lines: [
        { line: 9, text: '    for _ in range(n):', self: 0, total: 0 },
        { line: 10, text: '\tmj_step(m, d)\n', self: 40, total: 45 },
        { line: 30, text: '    \u001b[31mpace()', self: 0, total: 12 },
      ],
    };
    expect(sourceText([listing], PLAIN)).toBe(
      [
        '  engine.py',
        '  self  total  line',
        '                  9      for _ in range(n):',
        '    40     45    10      mj_step(m, d)',
        '                  ⋮',
        '           12    30      \\x1b[31mpace()',
        '',
      ].join('\n'),
    );
  });

  it('says so where no text is known', () => {
    expect(sourceText([], PLAIN)).toContain('No source text is known');
  });
});
