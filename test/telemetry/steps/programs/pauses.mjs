// Two steps that hold up the loop: one lets the garbage collector run, the other only computes. Needs --expose-gc.
import { StepProfiler } from '../../../../dist/telemetry/steps/index.js';

const prof = new StepProfiler({ printReport: false, lagSpikeMs: 20 }).start();
const many = Array.from({ length: 3_000_000 }, (_, at) => ({ at }));

/** Until the loop has been looked at again: what came before is told by then. */
async function looked() {
  const before = prof.lagSamples.length;
  while (prof.lagSamples.length < before + 3)
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
}

await looked();
await prof.step('collects', async () => {
  for (let at = 0; at < 3; at += 1) globalThis.gc();
  await looked();
});
await prof.step('computes', async () => {
  for (const until = performance.now() + 100; performance.now() < until;);
  await looked();
});
await prof.close();
/** Of the longest of a step: a machine that is busy has others. */
const cause = (step) =>
  prof.lagSpikes.filter(({ near }) => near === step).toSorted((a, b) => b.lagMs - a.lagMs)[0]?.cause;
process.stdout.write(
  JSON.stringify({
    collects: cause('collects'),
    computes: cause('computes'),
    pauses: prof.gc.pauses >= 3,
    delay: prof.loopDelay.maxMs > 0,
    kept: many.length,
  }),
);
