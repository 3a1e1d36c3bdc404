// Waits in every way that a program of ES modules may, and prints for each how many of its waits were seen as sleep.
import { createRequire } from 'node:module';
import {
  setImmediate as turn,
  setInterval as ticks,
  setTimeout as delay,
  scheduler,
} from 'node:timers/promises';
import timers from 'node:timers/promises';
import { promisify } from 'node:util';
import { StepProfiler } from '../../../../dist/telemetry/steps/index.js';

const { setTimeout: required } = createRequire(import.meta.url)('node:timers/promises');
const before = [delay, timers.setTimeout, scheduler.wait, scheduler.yield, Object.keys(scheduler).join()];
const saved = delay;

const ways = {
  'import { setTimeout }': () => delay(1),
  'import { setImmediate }': () => turn(),
  'import { setInterval }': async () => {
    let count = 0;
    // oxlint-disable-next-line no-unused-vars -- it has no value
    for await (const tick of ticks(1)) if ((count += 1) === 3) break;
  },
  'scheduler.wait': () => scheduler.wait(1),
  'scheduler.yield': () => scheduler.yield(),
  'promisify(setTimeout)': () => promisify(setTimeout)(1),
  'a value that is resolved': async () => {
    if ((await delay(1, 'value')) !== 'value') throw new Error('another value');
  },
  'an abort': () => delay(1000, undefined, { signal: AbortSignal.abort() }).catch(() => undefined),
  'kept from before': () => saved(1),
  'required from before': () => required(1),
  'new Promise(setTimeout)': () => new Promise((resolve) => setTimeout(resolve, 1)),
};

const seen = {};
const prof = new StepProfiler({ printReport: false, halSpanMs: 0 });
for (const [name, wait] of Object.entries(ways)) await prof.step(name, wait);
await delay(1);
await prof.close();
for (const { signature, phases } of prof.samples)
  seen[signature] = phases.filter(({ label }) => label === 'sleep').length;
const after = [delay, timers.setTimeout, scheduler.wait, scheduler.yield, Object.keys(scheduler).join()];
seen['put back'] = before.every((one, at) => one === after[at]);
process.stdout.write(JSON.stringify(seen));
