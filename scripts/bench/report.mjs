// Time and memory of `report`, and how soon its page can be used. Prints ratios against a peer of the same run.
import { closeSync, existsSync, mkdirSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { ROOT, median, profiler, startSimulation } from './demo-simulation.mjs';
import { compare, peakMb } from './timed.mjs';

const { values: options } = parseArgs({
  options: {
    python: { type: 'string' },
    'py-spy': { type: 'string' },
    work: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '15' },
    bin: { type: 'string', default: join(ROOT, 'dist/cli/bin.js') },
  },
});
const rounds = Number(options.rounds);
const { bin, work } = options;
mkdirSync(work, { recursive: true });

/** A million different stacks of 10 frames, of 64 different functions. */
function millionStacks() {
  const path = join(work, 'million.folded');
  if (existsSync(path)) return path;
  const file = openSync(path, 'w');
  let text = '';
  for (let at = 0; at < 1_000_000; at += 1) {
    text += `thread (1): MainThread;main (run.py:10);run (runner.py:${20 + (at % 3)});step (engine.py:278)`;
    let left = at;
    for (let depth = 0; depth < 6; depth += 1) {
      const digit = left % 10;
      text += `;f${digit + depth * 10} (mod${depth}.py:${digit})`;
      left = Math.floor(left / 10);
    }
    text += ` ${1 + (at % 5)}\n`;
    if (text.length > 1 << 20) {
      writeSync(file, text);
      text = '';
    }
  }
  writeSync(file, text);
  closeSync(file);
  return path;
}

/** Milliseconds from the start of loading a page to the drawn flame graph, and the longest stretch in which it took no input until then. */
async function opened(page, path) {
  await page.goto(pathToFileURL(path).href);
  await page.locator('g.frame').first().waitFor();
  return page.evaluate(() => ({
    drawn: performance.getEntriesByName('flame-drawn')[0].startTime,
    loaded: performance.getEntriesByType('navigation')[0].domInteractive,
  }));
}

const sim = await startSimulation({
  python: options.python,
  work,
  name: 'report',
  flags: ['--pacing', 'realtime', '--hz', '500', '--busy', '0.4'],
});
const folder = join(work, 'recording');
rmSync(folder, { recursive: true, force: true });
const attach = await profiler(
  ['attach', '--pid', `${sim.pid}`, '-d', options.seconds, '--no-baseline', '-o', folder],
  { cwd: work, pyspy: options['py-spy'] },
).finally(() => sim.stop());
if (attach.exitCode !== 0) throw new Error(`attach failed: ${attach.stderr}`);

const page = join(work, 'report.html');
const reportOf = (source, to) => [process.execPath, bin, 'report', source, '-o', to];
const NODE = [process.execPath, '-e', '0'];
compare(`report of ${options.seconds} s against node -e 0`, reportOf(folder, page), NODE, rounds);
compare(
  `report of ${options.seconds} s against hot of it`,
  reportOf(folder, page),
  [process.execPath, bin, 'hot', folder],
  rounds,
);
console.log(`its page: ${(statSync(page).size / 1e3).toFixed(0)} kB`);

const million = millionStacks();
const large = join(work, 'million.html');
compare(
  `report of 1,000,000 different stacks (${(statSync(million).size / 1e6).toFixed(0)} MB) against sort of the file`,
  reportOf(million, large),
  ['bash', '-c', 'LC_ALL=C sort "$1" > /dev/null', 'bench', million],
  Math.min(rounds, 3),
);
console.log(`peak memory: report of them ${peakMb(reportOf(million, large).slice(1)).toFixed(0)} MB`);
console.log(`its page: ${(statSync(large).size / 1e3).toFixed(0)} kB`);

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
for (const [what, path] of [
  ['an ordinary recording', page],
  ['a million stacks', large],
]) {
  const times = [];
  for (let at = 0; at < rounds; at += 1) {
    const tab = await browser.newPage();
    times.push(await opened(tab, path));
    await tab.close();
  }
  const of = (field) => median(times.map((one) => one[field])).toFixed(0);
  console.log(
    `page of ${what}: text can be used after ${of('loaded')} ms, flame graph after ${of('drawn')} ms (median of ${rounds})`,
  );
}
await browser.close();
