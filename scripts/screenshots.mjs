// Pictures of the report page (light and dark) and of speedscope as `profiler view` opens it, from one recording of the demo simulation.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { chromium } from 'playwright-core';
import { ROOT, profiler, startSimulation } from './bench/demo-simulation.mjs';

const { values: options } = parseArgs({
  options: { out: { type: 'string' }, seconds: { type: 'string', default: '15' } },
});
const out = resolve(options.out);
mkdirSync(out, { recursive: true });
const work = mkdtempSync(join(tmpdir(), 'screenshots-'));

const sim = await startSimulation({
  python: 'python3',
  work,
  name: 'rover',
  flags: ['--pacing', 'realtime', '--hz', '500', '--busy', '0.4'],
});
const attach = await profiler(['attach', '--pid', `${sim.pid}`, '-d', options.seconds, '--label', 'rover'], {
  cwd: work,
}).finally(() => sim.stop());
if (attach.exitCode !== 0) throw new Error(`attach failed: ${attach.stderr}`);
await profiler(['report', '-o', 'report.html'], { cwd: work });

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });

/** A page of a width, in a colour scheme, once `ready` is there. */
async function opened(url, ready, colorScheme = 'light') {
  const page = await browser.newPage({ viewport: { width: 1100, height: 760 }, colorScheme });
  await page.goto(url);
  await ready(page);
  return page;
}

const report = pathToFileURL(join(work, 'report.html')).href;
const drawn = (page) =>
  page.waitForFunction(
    () =>
      performance.getEntriesByName('flame-drawn').length > 0 &&
      document.querySelector('.d3-flame-graph-label')?.textContent !== '',
  );
const light = await opened(report, drawn);
await light.screenshot({ path: join(out, 'report.png') });
const dark = await opened(report, drawn, 'dark');
await dark.locator('#flame').scrollIntoViewIfNeeded();
await dark.locator('#flame').evaluate((part) => part.scrollIntoView());
await dark.screenshot({ path: join(out, 'report-flame.png') });

const view = execa(process.execPath, [join(ROOT, 'dist/cli/bin.js'), 'view', '--no-open'], {
  cwd: work,
  reject: false,
  all: true,
});
const url = await new Promise((settle, fail) => {
  let said = '';
  view.all.on('data', (piece) => {
    said += piece;
    const found = /http:\/\/127\.0\.0\.1:\S+/.exec(said);
    if (found !== null) settle(found[0]);
  });
  view.then(() => fail(new Error(`view ended: ${said}`)));
});
const scope = await opened(url, (page) => page.getByText('Left Heavy').waitFor());
await scope.screenshot({ path: join(out, 'view.png') });
view.kill('SIGINT');
await view;
await browser.close();
rmSync(work, { recursive: true });
