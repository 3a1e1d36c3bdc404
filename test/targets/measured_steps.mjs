// Steps of a known kind, measured by sim-profiler/telemetry: node measured_steps.mjs [worker]
//
// `work(30)` computes for 30 ms, with a span around each of three parts; `rest(20)` waits for 20 ms. With `worker` a second thread has frames.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { createTelemetry, StepProfiler } from '../../dist/telemetry/index.js';

const telemetry = createTelemetry();

function burn(ms) {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

async function mainThread() {
  const prof = new StepProfiler({ printReport: false });
  if (process.argv.includes('worker')) {
    const began = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(new URL(import.meta.url), { name: 'lidar', workerData: began });
    await Promise.race([Atomics.waitAsync(began, 0, 0).value, once(worker, 'error')]);
  }
  process.stdout.write('ready\n');
  const over = new AbortController();
  process.once('SIGTERM', () => over.abort());
  while (!over.signal.aborted)
    await prof.step(
      'round(2)',
      async () => {
        prof.step('work(30)', () => {
          for (let part = 0; part < 3; part += 1) telemetry.measure('Part', () => burn(10));
        });
        await prof.step('rest(20)', () => delay(20));
      },
      { composite: true },
    );
  process.exit(0);
}

async function workerThread() {
  Atomics.store(workerData, 0, 1);
  Atomics.notify(workerData, 0);
  for (;;) {
    telemetry.startFrame();
    burn(2);
    telemetry.endFrame();
    await delay(8);
  }
}

await (isMainThread ? mainThread() : workerThread());
