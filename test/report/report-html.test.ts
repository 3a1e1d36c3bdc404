import { describe, expect, it } from 'vitest';
import { type OverTime, type Report, reportHtml } from '../../src/report/index.js';
import { STARVED, hotAnswer as hot, pacedBreakdown } from './answers.js';

const ASSETS = { style: 'b{}', styleHash: 'STYLE', script: 'go()', scriptHash: 'SCRIPT' };

/** Everything a name from a target can do to a page. */
const HOSTILE = `</script><script>alert(1)</script><img src=x onerror=alert(2)>\u202Egnp.exe\u001B[2J"'&`;
const SHOWN = `&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(2)&gt;\\u202egnp.exe\\x1b[2J&quot;&#39;&amp;`;

const report = (changes: Partial<Report> = {}): Report => ({
  breakdown: pacedBreakdown(),
  hot: hot(),
  version: '9.9.9',
  ...changes,
});

/** Titles of the parts, in order. */
function titles(page: string): string[] {
  return [...page.matchAll(/<h2[^>]*>([^<]*)<\/h2>/g)].map((match) => match[1]!);
}

describe('reportHtml', () => {
  it('has the parts for which there is data, and says nothing of the others', () => {
    expect(titles(reportHtml(report(), ASSETS))).toEqual([
      'Where the time of MainThread goes',
      'How far to trust it',
      'How it was recorded',
    ]);
    const whole = report({
      breakdown: pacedBreakdown({ findings: [STARVED] }),
      hot: hot({ rows: [{ stack: [{ name: 'step', kind: 'python' }], share: 0.3, weight: 300 }] }),
      flame: {
        tree: {
          names: ['MainThread'],
          nodes: [-1, 0, 1e9, 0],
          buckets: ['physics'],
          pooledShare: 0,
          pooledNodes: 0,
          deepShare: 0,
        },
        seconds: 20,
      },
      timeline: {
        spans: [{ startS: 0, endS: 2 }],
        threads: [
          {
            thread: { tid: 1, name: 'MainThread' },
            role: 'physics',
            cells: [{ onCpu: 0.4, cpuWait: 0.1, blocked: 0.5 }],
          },
        ],
      },
    });
    expect(titles(reportHtml(whole, ASSETS))).toEqual([
      'Before you believe it',
      'Where the time of MainThread goes',
      'Threads over time',
      'Flame graph of MainThread',
      'Hottest stacks',
      'How far to trust it',
      'How it was recorded',
    ]);
  });

  it('has a thread over time as a picture with words, and in numbers', () => {
    const overTime: OverTime = {
      thread: { tid: 1, name: HOSTILE },
      role: 'physics',
      binS: 1,
      bins: [
        { fromS: 3, toS: 4, looks: 500 },
        { fromS: 4, toS: 4.5, looks: 0 },
      ],
      buckets: [
        { id: 'physics', share: 0.25, shares: [0.25, undefined] },
        { id: 'pacer', share: 0.75, shares: [0.75, undefined] },
      ],
      states: [
        { id: 'gil-wait', share: 0.1, shares: [0.1, undefined] },
        { id: 'sleep', share: 0.9, shares: [0.9, undefined] },
      ],
      changes: [{ kind: 'burst', bucket: 'physics', fromS: 3, toS: 4, share: 0.25, elsewhere: 0.1 }],
    };
    const page = reportHtml(report({ overTime }), ASSETS);
    const part = /<section id="over-time"[\s\S]*?<\/section>/.exec(page)![0].replaceAll(/\s+/g, ' ');
    expect(part).not.toContain('<script');
    expect(part).toContain(' over time: physics 25 %, pacer 75 %">');
    expect(part).toContain(' over time, by the kernel: waiting for the GIL 10 %, asleep 90 %">');
    expect(part).toContain('<title>3 to 4 s: physics 25.0 %, pacer 75.0 %</title>');
    expect(part).toContain('<title>4 to 4.5 s: no samples</title>');
    expect(part).toContain('<rect x="0.000%" width="66.667%" y="105.00" height="35.00" fill="#58b4e9"/>');
    expect(part).toContain(
      '<rect x="0.000%" width="66.667%" y="0.00" height="105.00" fill="url(#stripes-pacer)"/>',
    );
    expect(part).toContain('<span>3 s</span><span>4.5 s</span>');
    expect(part).toContain('<th scope="row">3–4 s</th> <td>500</td> <td>25 %</td><td>75 %</td>');
    expect(titles(page)[1]).toContain('over time');
  });

  it('lets nothing act but its own style and program', () => {
    const page = reportHtml(report(), ASSETS);
    expect(page).toContain(
      `content="default-src 'none'; style-src 'sha256-STYLE'; script-src 'sha256-SCRIPT'; base-uri 'none'; form-action 'none'"`,
    );
    expect(page).toContain('<style>b{}</style>');
    expect(page).toContain('<script>go()</script>');
    expect(page).not.toMatch(/\b(?:src|href|style|on\w+)=/);
  });

  it('shows hostile names as the text that they are, everywhere', () => {
    const breakdown = pacedBreakdown();
    const page = reportHtml(
      report({
        breakdown: {
          ...breakdown,
          source: { path: HOSTILE, format: HOSTILE },
          run: { ...breakdown.run!, title: HOSTILE, command: [HOSTILE], folder: HOSTILE, route: HOSTILE },
          threads: breakdown.threads.map((thread) => ({
            ...thread,
            thread: { name: HOSTILE },
            role: HOSTILE,
            buckets: thread.buckets.map((bucket) => ({
              ...bucket,
              remedies: [{ text: HOSTILE, source: HOSTILE, above: 0 }],
              parts: bucket.parts.map((part) => ({ ...part, kind: HOSTILE, label: HOSTILE })),
            })),
          })),
          lost: { samples: 1, lines: 1, examples: [HOSTILE] },
          findings: [{ level: 'warning', id: 'x', what: HOSTILE, why: HOSTILE, fix: HOSTILE }],
        },
        hot: hot({
          rows: [
            {
              stack: [{ name: HOSTILE, kind: 'python', file: HOSTILE }],
              thread: { name: HOSTILE },
              bucket: 'physics',
              kind: HOSTILE,
              label: HOSTILE,
            },
          ],
        }),
        flame: {
          tree: {
            names: [HOSTILE],
            nodes: [-1, 0, 1, 0],
            buckets: ['physics'],
            pooledShare: 0,
            pooledNodes: 0,
            deepShare: 0,
          },
        },
        timeline: {
          spans: [{ startS: 0, endS: 2 }],
          threads: [
            { thread: { name: HOSTILE }, role: HOSTILE, cells: [{ onCpu: 1, cpuWait: 0, blocked: 0 }] },
          ],
        },
        recorded: {
          createdAt: HOSTILE,
          toolVersion: HOSTILE,
          sampler: HOSTILE,
          route: HOSTILE,
          commands: [[HOSTILE]],
          slices: 1,
          policy: HOSTILE,
          target: [HOSTILE],
          runtime: HOSTILE,
          container: HOSTILE,
          machine: { cpus: 2, kernel: HOSTILE },
        },
      }),
      ASSETS,
    );
    expect(page).toContain(SHOWN);
    expect(page).not.toContain('<img');
    expect(page).not.toContain('<script>alert');
    // The page's own: its data and its program.
    expect(page.match(/<script/g)).toHaveLength(2);
    expect(page.match(/<\/script/g)).toHaveLength(2);
    // oxlint-disable-next-line no-control-regex -- none may be left
    expect(page).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    const data = /<script type="application\/json"[^>]*>(.*?)<\/script>/s.exec(page)?.[1] ?? '';
    expect(JSON.parse(data)).toMatchObject({ names: [HOSTILE] });
  });

  it('says what a thread waits and how wide an interval is in text, for those who see no bar', () => {
    const page = reportHtml(report(), ASSETS);
    expect(page).toContain(
      'aria-label="MainThread: physics 29.1 %, raycast 5.8 %, publishing 5.8 %, waiting for the GIL 0.2 %, waiting for a CPU 1.3 %, pacer 57.7 %"',
    );
    expect(page).toContain('<title>physics: 29.1 %, 95 % interval 26.0–32.2</title>');
    expect(page).toContain('<title>waiting for a CPU: 1.3 %, exact</title>');
  });

  it('of a bare file speaks of samples, without intervals where it counts time', () => {
    const { effect: _, run: __, ...bare } = pacedBreakdown({ unit: 'nanoseconds' });
    const page = reportHtml(
      report({ breakdown: { ...bare, source: { path: '-', format: 'cpuprofile' } } }),
      ASSETS,
    );
    expect(page).toContain('<h1>standard input</h1>');
    expect(page).not.toContain('95 % interval');
    expect(page).not.toContain('Ask it more');
  });
});
