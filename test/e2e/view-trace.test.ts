import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { StepProfiler } from '../../src/telemetry/index.js';
import { openBrowser, whyNoBrowser } from '../browser.js';
import { describeWhere } from '../only-where.js';
import { BIN } from './demo-simulation.js';

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly cat?: string;
  readonly ts: number;
  readonly dur: number;
}

/** Works so long, by the clock of the process. */
function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describeWhere(whyNoBrowser === undefined, whyNoBrowser ?? '')(
  'a trace of steps in a real browser',
  (test) => {
    let folder = '';
    let events: readonly TraceEvent[] = [];
    const path = (): string => join(folder, 'mission.json');
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'view-trace-'));
      {
        await using prof = new StepProfiler({
          tracePath: path(),
          deferTrace: false,
          printReport: false,
          loopLag: false,
        });
        await prof.step(
          'mission',
          async () => {
            for (const ms of [5, 20, 40])
              await prof.step(`work(${ms})`, async () => {
                await prof.phase('execute', () => work(ms));
              });
          },
          { composite: true },
        );
      }
      const { traceEvents } = JSON.parse(readFileSync(path(), 'utf8')) as {
        traceEvents: readonly TraceEvent[];
      };
      events = traceEvents.filter(({ ph }) => ph === 'X');
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    test('has the durations that were measured', async () => {
      const browser = await openBrowser();
      const child = spawn(process.execPath, [BIN, 'view', '--no-open', path()], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      try {
        let out = '';
        child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
        await vi.waitUntil(() => out.endsWith('\n'), 60_000);
        const page = await browser.newPage({ viewport: { width: 1280, height: 2000 } });
        await page.goto(out.trim());
        await page.getByText('Export').waitFor();
        await page.getByText('Sandwich').click();
        await page.locator('td', { hasText: '%' }).first().waitFor();
        const cells = await page
          .locator('tr')
          .evaluateAll((rows) =>
            rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
          );
        const totals = new Map(
          cells.flatMap(([total = '', , name = '']) => {
            const [, amount = '', unit = ''] = /^([\d.]+)(s|ms|µs) /.exec(total.trim()) ?? [];
            const scale = { s: 1e6, ms: 1e3, µs: 1 }[unit];
            return scale === undefined ? [] : [[name.trim(), Number(amount) * scale] as const];
          }),
        );
        const steps = events.filter(({ cat }) => cat === 'step' || cat === 'composite');
        expect(steps.map(({ name }) => name).toSorted()).toEqual([
          'mission',
          'work(20)',
          'work(40)',
          'work(5)',
        ]);
        for (const { name, dur } of steps) {
          const [, shown = Number.NaN] = [...totals].find(([row]) => row.startsWith(name)) ?? [];
          // As many digits as the page shows.
          expect(Math.abs(shown - dur), `${name}: ${shown} for ${dur}`).toBeLessThan(10);
        }
      } finally {
        child.kill('SIGKILL');
        await browser.close();
      }
    });
  },
);
