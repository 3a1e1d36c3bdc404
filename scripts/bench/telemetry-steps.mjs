// What an async step costs against the same call without one: node scripts/bench/telemetry-steps.mjs [--rounds N] [--calls N]
//
// All ways take turns within one run; of each the quietest round counts, since whatever else the machine does only makes one longer. Each
// is set up for itself, as on Node 20 an AsyncLocalStorage that is in use makes every promise of the program dearer.
import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { StepProfiler } from '../../dist/telemetry/steps/index.js';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '40' }, calls: { type: 'string', default: '5000' } },
});
const [rounds, calls] = [Number(values.rounds), Number(values.calls)];
const folder = mkdtempSync(join(tmpdir(), 'bench-steps-'));
const QUIET = { printReport: false, loopLag: false };

/** What is measured: an async call that does nothing but give the loop's microtasks their turn. */
let count = 0;
async function body() {
  await undefined;
  count += 1;
}

async function awaited(call) {
  const from = process.hrtime.bigint();
  for (let at = 0; at < calls; at += 1) await call();
  return Number(process.hrtime.bigint() - from) / calls;
}

function called(call) {
  const from = process.hrtime.bigint();
  for (let at = 0; at < calls; at += 1) call(at);
  return Number(process.hrtime.bigint() - from) / calls;
}

/** A profiler of its own, and what of it is measured. */
async function profiled(options, measure) {
  const prof = new StepProfiler({ ...QUIET, ...options });
  try {
    return await measure(prof);
  } finally {
    await prof.close();
    await StepProfiler.flushTraces();
  }
}

const servo = { set: (position) => position };
const step = (prof) => awaited(() => prof.step('turn(90)', body));
const WAYS = {
  'async call': () => awaited(body),
  'in AsyncLocalStorage.run': async () => {
    const storage = new AsyncLocalStorage();
    const ns = await awaited(() => storage.run(count, body));
    storage.disable();
    return ns;
  },
  'with performance.measure': () =>
    awaited(async () => {
      performance.mark('start');
      await body();
      performance.measure('step', 'start');
      performance.clearMarks();
      performance.clearMeasures();
    }),
  'step, profiler off': () => step(StepProfiler.disabled()),
  step: () => profiled({}, step),
  'step with execute': () =>
    profiled({}, (prof) => awaited(() => prof.step('turn(90)', () => prof.phase('execute', body)))),
  'step, lag watched': () => profiled({ loopLag: true }, step),
  'step, trace kept': () => profiled({ tracePath: join(folder, 'kept.json') }, step),
  'step, trace written': () => profiled({ tracePath: join(folder, 'written.json'), deferTrace: false }, step),
  'sync method': () => called(servo.set),
  'sync method, instrumented': () =>
    profiled({}, (prof) => {
      const timed = { ...servo };
      prof.instrument(timed, ['set'], 'hal');
      return prof.step('turn(90)', () => called(timed.set));
    }),
};

const found = Object.fromEntries(Object.keys(WAYS).map((name) => [name, Infinity]));
for (let round = 0; round < rounds; round += 1)
  for (const [name, way] of Object.entries(WAYS)) found[name] = Math.min(found[name], await way());

console.log(`${'way'.padEnd(28)}${'ns'.padStart(8)}${'more'.padStart(8)}${'ratio'.padStart(8)}`);
for (const [name, ns] of Object.entries(found)) {
  const base = found[name.startsWith('sync') ? 'sync method' : 'async call'];
  console.log(
    `${name.padEnd(28)}${ns.toFixed(0).padStart(8)}${(ns - base).toFixed(0).padStart(8)}${(ns / base).toFixed(2).padStart(8)}`,
  );
}
rmSync(folder, { recursive: true });
