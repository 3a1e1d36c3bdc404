// Eight workers that write a million spans a second in all, read every 100 ms by the main thread.  node telemetry-workers.mjs SECONDS
import { Worker, isMainThread, workerData } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import { createTelemetry } from '../../dist/telemetry/index.js';

const WORKERS = 8;
const RATE = 1_000_000;
const TURN_MS = 10;

const t = createTelemetry({ name: 'workers' });
if (isMainThread) await lead(Number(process.argv[2] ?? 5));
else follow(workerData);

async function lead(seconds) {
  const written = new BigInt64Array(new SharedArrayBuffer(8 * WORKERS));
  const late = new Int32Array(new SharedArrayBuffer(4 * WORKERS));
  const from = performance.now();
  const cpu = process.cpuUsage();
  const workers = Array.from(
    { length: WORKERS },
    (_, index) =>
      new Worker(fileURLToPath(import.meta.url), { workerData: { index, seconds, written, late } }),
  );
  const reading = [];
  let torn = 0;
  const timer = setInterval(() => {
    const at = performance.now();
    const { categories } = t.snapshot();
    reading.push(performance.now() - at);
    torn += categories.reduce((sum, category) => sum + category.torn, 0);
  }, 100);
  await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve))));
  clearInterval(timer);
  const wallS = (performance.now() - from) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const { categories, bytes } = t.snapshot();
  const counted = categories.reduce((sum, { calls }) => sum + calls, 0);
  const told = Number(written.reduce((sum, one) => sum + one, 0n));
  reading.sort((a, b) => a - b);
  console.log(
    `  ${told.toLocaleString('en-US')} spans written by ${WORKERS} workers in ${seconds} s, ${Math.round(told / seconds).toLocaleString('en-US')} a second`,
  );
  console.log(
    `  ${counted.toLocaleString('en-US')} counted, ${(told - counted).toLocaleString('en-US')} lost`,
  );
  console.log(
    `  ${reading.length} readings meanwhile, ${(reading[reading.length >> 1] ?? 0).toFixed(2)} ms each, ${torn} of them torn`,
  );
  console.log(
    `  CPU of the whole program ${(((user + system) / 1e6 / wallS) * 100).toFixed(0)} % of a core, ${(bytes / 1e6).toFixed(1)} MB of buffers`,
  );
  console.log(
    `  ${late.reduce((sum, one) => sum + one, 0)} turns of ${Math.round((seconds * 1000) / TURN_MS) * WORKERS} were late by more than a turn`,
  );
}

function follow({ index, seconds, written, late }) {
  const each = (RATE / WORKERS / 1000) * TURN_MS;
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  let work = 0;
  const step = () => {
    work++;
  };
  const from = performance.now();
  const turns = Math.round((seconds * 1000) / TURN_MS);
  for (let turn = 1; turn <= turns; turn++) {
    for (let i = 0; i < each; i++) t.measure('step', step);
    const left = from + turn * TURN_MS - performance.now();
    if (left > 0) Atomics.wait(sleeper, 0, 0, left);
    else if (left < -TURN_MS) late[index]++;
  }
  written[index] = BigInt(work);
}
