// Two copies of the package measure one program: node two-copies.mjs OTHER_COPY PATH
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import * as one from '../../../../dist/telemetry/steps/index.js';

const [copy, tracePath] = process.argv.slice(2);
const other = await import(pathToFileURL(copy).href);
const before = delay;
const servo = { move: async () => delay(1) };
const { move } = servo;
const options = { printReport: false, halSpanMs: 0, tracePath };
const outer = new one.StepProfiler({ ...options, mission: 'one' });
const inner = new other.StepProfiler({ ...options, mission: 'two' });
for (const prof of [outer, inner]) prof.instrument(servo, ['move'], 'acquire');
await outer.step('outer', () => inner.step('inner', () => servo.move()));
await outer.step('alone', () => delay(1));
const said = [outer, inner].map(({ samples }) =>
  samples.map(({ signature, path, phases }) => [signature, path, ...phases.map(({ label }) => label)]),
);
// The one that lies below goes first.
await outer.close();
await inner.close();
const traces = [await one.flushTraces(), await other.flushTraces()].map((paths) => paths.length);
process.stdout.write(
  JSON.stringify({
    isOther: one.StepProfiler !== other.StepProfiler,
    said,
    traces,
    isBack: delay === before && servo.move === move,
  }),
);
