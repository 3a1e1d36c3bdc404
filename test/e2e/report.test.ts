import { createRequire } from 'node:module';
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { openBrowser, whyNoBrowser } from '../browser.js';
import { describeWhere, onlyWithAll } from '../only-where.js';
import { PYSPY, SIM_PYTHON, profiler, rover } from './demo-simulation.js';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const why =
  whyNoBrowser ??
  (existsSync(SIM_PYTHON) && existsSync(PYSPY) ? undefined : 'no .cache/sim-venv: run scripts/test');

const scrollsSideways = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

describeWhere(why === undefined, why ?? '')('the page of a report', (test) => {
  let browser: Browser;
  let cwd = '';
  let file = '';

  beforeAll(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'profiler-report-'));
    const live = await rover(['--pacing', 'realtime', '--hz', '200', '--busy', '0.4']);
    try {
      const attach = await profiler(
        ['attach', '--pid', `${live.pid}`, '-d', '3', '--no-baseline', '--label', 'rover'],
        { cwd },
      );
      expect(attach).toMatchObject({ code: 0 });
    } finally {
      await live.stop();
    }
    writeFileSync(
      join(cwd, 'sim.log'),
      'load-phase timing (totals, ms):\n  compile 10.0\n  setup_total 12.0\nper-plugin hook timing (avg us/call):\n  Lidar post_step 300.00 us\n',
    );
    const made = await profiler(['report', '-o', 'report.html', '--tables', 'sim.log'], { cwd });
    expect(made).toMatchObject({ code: 0 });
    file = join(cwd, 'report.html');
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  /** The page, opened from disk; whatever the browser complains of, or asks for, is kept. */
  async function opened(
    path = file,
    options: BrowserContextOptions = {},
  ): Promise<{ readonly page: Page; readonly complaints: string[]; readonly requests: string[] }> {
    const page = await browser.newPage(options);
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(pathToFileURL(path).href);
    await page.locator('g.frame').first().waitFor();
    return { page, complaints, requests };
  }

  test('opens from disk, asks for nothing, complains of nothing, and is small', async () => {
    const { page, complaints, requests } = await opened();
    expect(await page.title()).toBe('rover · profile');
    expect(await page.locator('.headline').textContent()).toMatch(
      /^The physics thread \(MainThread\) is busy \d/,
    );
    expect({ complaints, requests }).toEqual({ complaints: [], requests: [pathToFileURL(file).href] });
    expect(statSync(file).size).toBeLessThan(2_000_000);
    await page.close();
  });

  test('zooms by mouse and by keyboard, and back', async () => {
    // Without motion a width is the final one as soon as there is one: in the middle of a movement it is any.
    const { page, complaints } = await opened(file, { reducedMotion: 'reduce' });
    const width = (label: RegExp): Promise<number> =>
      page
        .getByRole('button', { name: label })
        .first()
        .locator('rect')
        .evaluate((rect) => Math.round(Number(rect.getAttribute('width'))));
    const all = await page.locator('#flame-graph svg').evaluate((svg) => Number(svg.getAttribute('width')));
    const step = /^Engine\.step \(rover_sim\/engine\.py\).* physics$/;
    await expect.poll(() => width(step)).toBeGreaterThan(0);
    const before = await width(step);
    expect(before).toBeLessThan(all);
    await page.getByRole('button', { name: step }).first().click();
    await expect.poll(() => width(step)).toBe(all);
    await page.getByRole('button', { name: 'Reset zoom' }).click();
    await expect.poll(() => width(step)).toBe(before);

    // One stop for Tab, then arrows: down to a child, Enter to zoom, Escape back.
    await page.locator('#flame-turn').focus();
    await page.keyboard.press('Tab');
    const focused = (): Promise<string | null> => page.locator(':focus').getAttribute('aria-label');
    expect(await focused()).toMatch(step);
    await page.keyboard.press('ArrowUp');
    const parent = await focused();
    expect(parent).toMatch(/_tick \(rover_sim\/runner\.py\)/);
    expect(await page.locator('#flame-details').textContent()).toBe(parent);
    await page.keyboard.press('Enter');
    await expect.poll(() => width(/_tick \(rover_sim\/runner\.py\)/)).toBe(all);
    expect(await focused()).toBe(parent);
    await page.keyboard.press('Escape');
    await expect.poll(() => width(step)).toBe(before);
    expect(await focused()).toBe(parent);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('moves nothing where the reader asked for no motion', async () => {
    // In a page whose time stands still nothing that moves is ever as wide as it is to be.
    const page = await browser.newPage({ reducedMotion: 'reduce' });
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(1000);
    await page.goto(pathToFileURL(file).href);
    const narrow = (): Promise<number> =>
      page
        .locator('g.frame')
        .evaluateAll(
          (frames) =>
            frames.filter(
              (frame) => frame.getAttribute('width') !== frame.querySelector('rect')?.getAttribute('width'),
            ).length,
        );
    const frames = await page.locator('g.frame').count();
    expect({ frames: frames > 5, narrow: await narrow() }).toEqual({ frames: true, narrow: 0 });
    await page
      .getByRole('button', { name: /^Engine\.step/ })
      .first()
      .dispatchEvent('click');
    expect(await page.locator('g.frame').count()).toBeLessThan(frames);
    await page.locator('#flame-reset').dispatchEvent('click');
    expect({ frames: await page.locator('g.frame').count(), narrow: await narrow() }).toEqual({
      frames,
      narrow: 0,
    });
    await page.close();
  });

  test('finds frames by function and by bucket, and says what they hold', async () => {
    const { page, complaints } = await opened();
    await page.keyboard.press('/');
    await page.keyboard.type('pacer');
    const found = page.locator('#flame-found');
    expect(await found.textContent()).toMatch(/^\d+ frames?, \d+\.\d % of the wall time\.$/);
    // Buckets count: the frames found by name alone would be fewer.
    const marked = await page
      .locator('g.frame.found')
      .evaluateAll((frames) => frames.map((frame) => frame.getAttribute('aria-label') ?? ''));
    expect(marked.length).toBeGreaterThan(0);
    expect(marked.filter((label) => !/pacer/i.test(label))).toEqual([]);
    await page.locator('#flame-search').fill('no such frame (');
    expect(await found.textContent()).toBe('Nothing found.');
    await page.locator('#flame-search').fill('');
    expect(await page.locator('g.frame.found').count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('turns the graph over', async () => {
    const { page } = await opened();
    // The place of the root in the drawing: `translate(X,Y)`.
    const y = async (): Promise<number> =>
      Number(/,\s*(\d+)/.exec((await page.locator('g.frame').first().getAttribute('transform')) ?? '')?.[1]);
    expect(await y()).toBe(0);
    await page.getByRole('button', { name: 'Flames up' }).click();
    await expect.poll(y).toBeGreaterThan(100);
    expect(await page.locator('#flame-turn').getAttribute('aria-pressed')).toBe('true');
    await page.close();
  });

  for (const [name, options] of [
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['a phone', { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }],
  ] as const satisfies readonly (readonly [string, BrowserContextOptions])[]) {
    const one = name === 'dark' ? onlyWithAll(test) : test;
    one(`has no fault that axe calls serious: ${name}`, async () => {
      const { page } = await opened(file, options);
      await page.evaluate(readFileSync(AXE, 'utf8'));
      const { violations } = (await page.evaluate('axe.run()')) as {
        readonly violations: readonly {
          readonly id: string;
          readonly impact: string;
          readonly nodes: readonly object[];
        }[];
      };
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      expect(serious.map(({ id, nodes }) => [id, nodes[0]])).toEqual([]);
      expect(await scrollsSideways(page)).toBe(false);
      await page.close();
    });
  }

  test('is dark where the reader wants it dark', async () => {
    const { page } = await opened(file, { colorScheme: 'dark' });
    const ground = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(await ground()).toBe('rgb(20, 23, 26)');
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await ground()).toBe('rgb(255, 255, 255)');
    // Paper is white.
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
    expect(await ground()).toBe('rgb(255, 255, 255)');
    await page.close();
  });

  test('prints: the graph fits the paper, and what only a screen can use is gone', async () => {
    const { page: printed } = await opened();
    const pdf = await printed.pdf({ format: 'A4' });
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    // It may be told only later that it has been printed.
    await printed.close();
    const { page } = await opened();
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.flame-tools').isVisible()).toBe(false);
    const says = (event: string): Promise<unknown> =>
      page.evaluate(`window.dispatchEvent(new Event("${event}"))`);
    const width = (): Promise<string | null> => page.locator('#flame-graph svg').getAttribute('width');
    await says('beforeprint');
    expect(await width()).toBe('680');
    // The page is laid out anew meanwhile: whoever observes its size is told within two frames.
    await page.setViewportSize({ width: 1000, height: 600 });
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(await width()).toBe('680');
    await says('afterprint');
    expect(Number(await width())).toBeGreaterThan(900);
    await page.close();
  });

  test('shows the names of a hostile target as text', async () => {
    const name = `</script><script>document.title='owned'</script><img src=x onerror=document.title='owned'>\u202Egnp`;
    const long = 'x'.repeat(10_000);
    writeFileSync(
      join(cwd, 'hostile.folded'),
      `main (a.py:1);${name} (a.py:2) 70\nmain (a.py:1);${long} (b.py:3) 30\n`,
    );
    expect(await profiler(['report', 'hostile.folded', '-o', 'hostile.html'], { cwd })).toMatchObject({
      code: 0,
    });
    const { page, complaints, requests } = await opened(join(cwd, 'hostile.html'));
    expect(await page.title()).toBe('hostile.folded · profile');
    expect(await page.locator('img').count()).toBe(0);
    const labels = await page
      .locator('g.frame')
      .evaluateAll((frames) => frames.map((frame) => frame.getAttribute('aria-label') ?? ''));
    expect(
      labels.some((label) => label.includes(`<img src=x onerror=document.title='owned'>\\u202egnp`)),
    ).toBe(true);
    expect(await scrollsSideways(page)).toBe(false);
    expect({ complaints, requests: requests.length }).toEqual({ complaints: [], requests: 1 });
    await page.close();
  });
});
