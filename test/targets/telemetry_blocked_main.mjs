// The main thread never gives its event loop a turn: what workers wrote is there all the same.
import { Worker } from 'node:worker_threads';
import { createTelemetry } from '../../dist/telemetry/index.js';

const t = createTelemetry({ name: 'blocked' });
const flag = new Int32Array(new SharedArrayBuffer(4));
const worker = new URL('telemetry_worker.mjs', import.meta.url);
const workers = ['return', 'exit in a span'].map(
  (ends) => new Worker(worker, { workerData: { name: 'blocked', ends, flag } }),
);
for (let done = 0; done < workers.length; done = Atomics.load(flag, 0)) Atomics.wait(flag, 0, done);
const { categories } = t.snapshot();
process.stdout.write(
  JSON.stringify(
    categories
      .filter(({ name }) => name === 'work')
      .map(({ threads, calls, sumMs }) => ({ threads, calls, sumMs })),
  ),
  () => process.exit(0),
);
