import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { openBrowser, whyNoBrowser } from '../browser.js';
import { describeWhere } from '../only-where.js';
import { BIN, type LiveProgram, PYSPY, SIM_PYTHON, profiler, rover } from './demo-simulation.js';

const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));
const whyNot =
  whyNoBrowser ??
  (existsSync(SIM_PYTHON) && existsSync(PYSPY) ? undefined : 'no .cache/sim-venv: run scripts/test');

interface Breakdown {
  readonly window: { readonly wallS: number };
  readonly threads: readonly {
    readonly name: string;
    readonly role: string;
    readonly buckets: readonly { readonly id: string; readonly share: number }[];
  }[];
}

interface Row {
  readonly name: string;
  /** In seconds and percent, as they are shown. */
  readonly self: number;
  readonly percent: number;
}

/** Text that stands once a profile is open: without one there is nothing to export. */
const LOADED = 'Export';

/** Rows of the table of functions, as the page shows them. */
async function rowsOf(page: Page): Promise<Row[]> {
  return (await cellsOf(page)).flatMap(([, self = '', name = '']) => {
    const [, amount, percent] = /^(\S+) \(([\d.]+)%\)$/.exec(self.trim()) ?? [];
    return amount === undefined ? [] : [{ name, self: seconds(amount), percent: Number(percent) }];
  });
}

/** Cells of all tables of the page, those that are hidden too: of the list of profiles and of that of functions. */
function cellsOf(page: Page): Promise<string[][]> {
  return page
    .locator('tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
    );
}

/** Of an amount as it is shown: `3.21s`, `41.50ms`. */
function seconds(text: string): number {
  const [, amount, unit = ''] = /^([\d.]+)(s|ms|µs)$/.exec(text) ?? [];
  if (amount === undefined) throw new Error(`${text} is no amount of time`);
  return Number(amount) * { s: 1, ms: 1e-3, µs: 1e-6 }[unit]!;
}

/** Runs in the page: tries to reach what is not ours, and says what its policy refused. Nothing listens at port 9. */
const TRIES = `(async () => {
  const refused = [];
  document.addEventListener('securitypolicyviolation', (event) => refused.push(event.effectiveDirective));
  await fetch('http://127.0.0.1:9/').catch(() => undefined);
  const script = document.createElement('script');
  script.textContent = 'window.wasRun = true';
  const image = new Image();
  const failed = new Promise((resolve) => image.addEventListener('error', resolve));
  image.src = 'http://127.0.0.1:9/x.png';
  document.body.append(script, image);
  await failed;
  return { refused: refused.sort(), wasRun: 'wasRun' in window };
})()`;

describeWhere(whyNot === undefined, whyNot ?? '')('view in a real browser', (test) => {
  let sim: LiveProgram;
  let browser: Browser;
  let serving: ChildProcess | undefined;
  let answer: Breakdown;
  beforeAll(async () => {
    sim = await rover(['--pacing', 'realtime', '--hz', '200', '--busy', '0.4']);
    const args = ['attach', '--pid', `${sim.pid}`, '-d', '4', '--no-baseline', '--json', '--label', 'real'];
    const run = await profiler(args, { cwd: sim.folder });
    answer = JSON.parse(run.out) as Breakdown;
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await sim?.stop();
    serving?.kill('SIGKILL');
  });

  /** Opens what `view` serves, once its profile is on screen; with everything that the page asked for and complained of. */
  async function open(args: readonly string[]) {
    const child = spawn(process.execPath, [BIN, 'view', '--no-open', ...args], {
      cwd: sim.folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    serving = child;
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    const end = new Promise<number | null>((resolve) => child.on('close', resolve));
    await vi.waitUntil(() => out.endsWith('\n'), 60_000);
    // Tall enough for a table of every function.
    const page = await browser.newPage({ viewport: { width: 1280, height: 4000 } });
    const requests: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('requestfailed', (request) => complaints.push(`${request.url()} failed`));
    page.on('response', (response) => {
      if (!response.ok()) complaints.push(`${response.url()} ${response.status()}`);
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    const url = out.trim();
    await page.goto(url);
    await page.getByText(LOADED).waitFor();
    return { page, url, requests, complaints, end, child };
  }

  test('shows a real recording: its threads, its total, the shares of buckets, and asks nobody else', async () => {
    const { page, url, requests, complaints, end } = await open(['--once']);
    expect(await page.title()).toBe('real - speedscope');
    const toolbar = (): Promise<string> => page.locator('body').innerText();
    const physics = answer.threads.find(({ role }) => role === 'physics')!;
    const sampled = answer.threads.filter(({ buckets }) => buckets.length > 0);
    expect(await toolbar()).toContain(`MainThread (physics) (1/${sampled.length})`);

    // The list of profiles, with their totals.
    const listed = (await cellsOf(page)).filter(([, , total = '']) => /^[\d.]+m?s$/.test(total));
    expect(listed.map(([, name = '']) => name)).toEqual(
      sampled.map(({ name, role }) => (role === 'other' ? name : `${name} (${role})`)),
    );
    for (const [, , total = ''] of listed) expect(seconds(total) / answer.window.wallS).toBeCloseTo(1, 1);

    await page.getByText('Sandwich').click();
    await page.locator('td', { hasText: '%' }).first().waitFor();
    const rows = await rowsOf(page);
    expect(rows.length).toBeGreaterThan(5);
    const total = rows.reduce((sum, { self }) => sum + self, 0);
    // Amounts are shown in three digits.
    expect(total / answer.window.wallS).toBeGreaterThan(0.98);
    expect(total / answer.window.wallS).toBeLessThan(1.02);
    for (const bucket of ['physics', 'pacer', 'cpu-wait']) {
      const shown = rows.filter(({ name }) => name.includes(`[${bucket}`));
      const percent = shown.reduce((sum, row) => sum + row.percent, 0);
      const share = physics.buckets.find(({ id }) => id === bucket)?.share ?? 0;
      expect([bucket, Math.abs(percent - share * 100) < 1]).toEqual([bucket, true]);
    }

    await page.keyboard.press('n');
    for (const { name, role } of sampled.slice(1, 2))
      expect(await toolbar()).toContain(`${name}${role === 'other' ? '' : ` (${role})`}`);

    const { origin, pathname } = new URL(url);
    expect(requests.length).toBeGreaterThan(4);
    expect(requests.filter((one) => !one.startsWith(`${origin}${pathname}`))).toEqual([]);
    expect(complaints).toEqual([]);
    expect(await end).toBe(0);
    await page.close();
  });

  test('lets the page ask nobody else, even if it wanted to', async () => {
    const { page, child, end } = await open([]);
    const tried: unknown = await page.evaluate(TRIES);
    expect(tried).toEqual({ refused: ['connect-src', 'img-src', 'script-src-elem'], wasRun: false });
    child.kill('SIGINT');
    expect(await end).toBe(0);
    await page.close();
  });

  test('shows what is searched for by its bucket, and several sources side by side', async () => {
    const { page, child, end, complaints } = await open([
      'real',
      join(FIXTURES, 'rules/turtle-idle.raw'),
      join(FIXTURES, 'cpuprofile/ws-bridge.cpuprofile'),
    ]);
    expect(await page.locator('body').innerText()).toContain('real: MainThread (physics) (1/');
    await page.getByText(/\(1\/\d+\)/).hover();
    await page.getByText('turtle-idle.raw: MainThread (physics)').waitFor();
    await page
      .getByText(/^ws-bridge\.cpuprofile: /)
      .first()
      .waitFor();
    await page.mouse.move(600, 600);
    await page.getByText('Sandwich').click();
    // The key is heard once the view that was chosen is drawn.
    const search = page.locator('input:not([placeholder])');
    await vi.waitUntil(async () => {
      await page.keyboard.press('Control+f');
      return (await search.count()) > 0;
    }, 30_000);
    await search.fill('[physics');
    await vi.waitUntil(async () => {
      const rows = await rowsOf(page);
      return rows.length > 0 && rows.every(({ name }) => name.includes('[physics'));
    }, 30_000);
    expect(complaints).toEqual([]);
    child.kill('SIGINT');
    expect(await end).toBe(0);
    await page.close();
  });
});
