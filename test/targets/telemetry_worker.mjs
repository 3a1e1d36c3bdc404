// A worker that measures, and comes to the end that it is told to.
import { workerData } from 'node:worker_threads';
import { createTelemetry } from '../../dist/telemetry/index.js';

const {
  name,
  ends,
  calls = 1000,
  flag,
  isHeld = false,
  category = 'work',
  ms = 1,
  endless = false,
} = workerData;
const t = createTelemetry({ name, capacity: 100 });
for (let i = 0; i < calls; i++) t.record(category, ms);
if (flag !== undefined) {
  Atomics.add(flag, 0, 1);
  Atomics.notify(flag, 0);
  // It has no turn of its event loop meanwhile.
  if (isHeld) Atomics.wait(flag, 1, 0);
}
if (ends === 'exit in a span') t.measure('last', () => process.exit(3));
if (ends === 'exception') {
  t.measure('last', () => {
    throw new Error('mine');
  });
}
if (endless) for (;;) t.record(category, ms);
