import { describe, expect, it } from 'vitest';
import { type Report, reportHtml, reportMarkdown } from '../../src/report/index.js';
import { readTables } from '../../src/simulator/index.js';
import { hotAnswer, pacedBreakdown } from './answers.js';

const ASSETS = { style: 'b{}', styleHash: 'STYLE', script: 'go()', scriptHash: 'SCRIPT' };
const HOSTILE = '<img src=x onerror=alert(1)>|@user';
const LOG = [
  'load-phase timing (totals, ms):',
  '  compile                       10.0',
  '  setup_total                   12.0',
  'per-plugin hook timing (avg \u00B5s/call):',
  `  ${HOSTILE} post_step      300.00 \u00B5s`,
  ...Array.from({ length: 25 }, (_, at) => `  Arm${at} pre_step   2.00 \u00B5s`),
].join('\n');
const REPORT: Report = {
  breakdown: pacedBreakdown(),
  hot: hotAnswer({ rows: [] }),
  tables: readTables(LOG).map((table) => ({ ...table, source: 'sim.log' })),
  version: '0.1.0',
};

describe('the tables of a program in a report', () => {
  it('stand on the page with their dearest rows, and what is left out', () => {
    const page = reportHtml(REPORT, ASSETS);
    const part = /<section id="tables".*?<\/section>/s.exec(page)?.[0] ?? '';
    expect([...part.matchAll(/<h([23])[^>]*>([^<]*)</g)].map(([, level, title]) => [level, title])).toEqual([
      ['2', 'What the program says of itself'],
      ['3', 'roqsim: start-up'],
      ['3', 'roqsim: hooks of plugins'],
    ]);
    expect(part).toContain('<p class="facts">sim.log, lines 4–30. 350 µs in all for each step.</p>');
    expect(part).toContain('<th scope="row">&lt;img src=x onerror=alert(1)&gt;|@user</th>');
    expect(part).toMatch(/<tr class="part">\s*<th scope="row">compile<\/th>/);
    expect(part).toContain('<p class="facts">… 6 more rows, 12.0 µs of 350 µs together.</p>');
    expect(part).toContain('mj_step is not in this table');
    expect(part).not.toContain('<img');
  });

  it('stand in the summary with five rows each', () => {
    const text = reportMarkdown(REPORT);
    expect(text).toContain(
      [
        '**roqsim: start-up** (sim.log, lines 1–3): 12.0 ms in all, 2.00 ms in no row.',
        '',
        '| row | share | total |',
        '|---|---:|---:|',
        '| setup\\_total | 100.0 % | 12.0 ms |',
        '| › compile | 83.3 % | 10.0 ms |',
        '',
      ].join('\n'),
    );
    expect(text).toContain(
      '| \\<img src=x onerror=alert(1)\\>\\|@\u2060user | post\\_step | 300 µs | 85.7 % |',
    );
    expect(text).toContain('… 21 more rows, 42.0 µs of 350 µs together.');
  });

  it('are no part of one without them', () => {
    const { tables: _tables, ...without } = REPORT;
    expect(reportHtml(without, ASSETS)).not.toContain('id="tables"');
    expect(reportMarkdown(without)).not.toContain('roqsim');
  });
});
