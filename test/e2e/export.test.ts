import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { viewerFiles } from '../../src/cli/view-page.js';
import { startViewServer } from '../../src/cli/view-server.js';
import { openBrowser, whyNoBrowser } from '../browser.js';
import { FIXTURES, runProfiler } from '../cli/run-profiler.js';
import { describeWhere, onlyWithAll } from '../only-where.js';

const TURTLE = join(FIXTURES, 'rules/turtle-idle.raw');

interface Hot {
  readonly rows: readonly {
    readonly name: string;
    readonly file?: string;
    readonly line?: number;
    readonly self: number;
    readonly total: number;
  }[];
}

/** Milliseconds of an amount as speedscope shows it, `41.00ms (5.2%)`. */
function amount(text: string): number {
  const [, value, unit = ''] = /^([\d.]+)(ms|µs|ns) \(/.exec(text) ?? [];
  return Number(value) / { ms: 1, µs: 1e3, ns: 1e6 }[unit]!;
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

describeWhere(whyNoBrowser === undefined, whyNoBrowser ?? '')(
  'what export writes, read by another program',
  (test) => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await openBrowser();
    });
    afterAll(() => browser?.close());

    onlyWithAll(test)(
      'a Chrome trace has in speedscope the time of every function that hot tells',
      async () => {
        const folder = mkdtempSync(join(tmpdir(), 'profiler-export-'));
        const trace = join(folder, 'out.json');
        await runProfiler(['export', TURTLE, '--to', 'chrome', '-o', trace], { cwd: folder });
        const hot = JSON.parse(
          (await runProfiler(['hot', TURTLE, '--by', 'line', '--top', '1000', '--json'], { cwd: folder }))
            .out,
        ) as Hot;
        const server = await startViewServer({
          token: 'x',
          page: viewerFiles(),
          profile: () => [],
        });
        const page = await browser.newPage({ viewport: { width: 1280, height: 8000 } });
        await page.goto(server.url);
        await page.locator('input[type=file]').setInputFiles(trace);
        await page.getByText('Sandwich').click();
        await page.locator('td', { hasText: '%' }).first().waitFor();
        const cells = await page
          .locator('tr')
          .evaluateAll((rows) =>
            rows.map((row) => [...row.querySelectorAll('td')].map((one) => one.textContent ?? '')),
          );
        await page.close();
        await server.close();
        // Total, own time and the call, as the page shows them: of counted samples 1 ms each, to three digits.
        const shown = cells.flatMap(([total = '', self = '', name = '']) =>
          total.includes('%') ? [{ name, self: amount(self), total: amount(total) }] : [],
        );
        const expected = hot.rows.map(({ name, file, line, self, total }) => ({
          name: `${name} ${JSON.stringify({ file, line })}`,
          self,
          total,
        }));
        expect(shown.length).toBeGreaterThan(20);
        expect(shown.sort(byName)).toEqual(expected.sort(byName));
      },
    );
  },
);
