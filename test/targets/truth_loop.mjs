// A paced loop that knows its own truth, for samplers of JavaScript.
//
//   node truth_loop.mjs FILE STEP_MS PHYSICS_US RAYCAST_US PUBLISH_US [worker]
//
// Each step burns in each function for so long, then a timer brings the next one. After every step a row is kept: nanoseconds of
// CLOCK_MONOTONIC, then the CPU nanoseconds of the main thread that each function has had so far. SIGTERM writes all rows into FILE, as
// numbers of 64 bits, little endian, after their count; FILE.wall has the same of the wall time that passed in each. Prints "ready" after
// the first step. With `worker`, a worker thread named "lidar" burns all of its time in burnLidar.
/* oxlint-disable no-console */
import { openSync, readSync, writeFileSync } from 'node:fs';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const [file, stepMs, physicsUs, raycastUs, publishUs, option] = process.argv.slice(2);
const NOT_STARTED = 0n;
const buffer = Buffer.alloc(200);
const schedstat = openSync('/proc/thread-self/schedstat', 'r');

/**
 * CPU nanoseconds of the main thread so far. The kernel brings them up to date at a tick, at a switch, and when a thread asks for those of
 * its process. What the host of a virtual machine took is in neither of them.
 */
function onCpu() {
  process.cpuUsage();
  const bytes = readSync(schedstat, buffer, 0, buffer.length, 0);
  return BigInt(buffer.latin1Slice(0, bytes).split(' ')[0] ?? 0);
}

function write(path, rows) {
  const numbers = new BigUint64Array(1 + 4 * rows.length);
  numbers[0] = BigInt(rows.length);
  for (const [index, row] of rows.entries()) numbers.set(row, 1 + 4 * index);
  writeFileSync(path, numbers);
}

function arithmetic(from) {
  let value = from;
  for (let index = 0; index < 4000; index += 1) value = Math.sqrt(value + index);
  return value;
}

let sink = 1;
// Wall time decides when to stop, since a look at the CPU's costs a system call.
function burnPhysics(us) {
  const until = performance.now() + us / 1000;
  while (performance.now() < until) sink += arithmetic(sink);
}
function burnRaycast(us) {
  const until = performance.now() + us / 1000;
  while (performance.now() < until) sink += arithmetic(sink) + 1;
}
function burnPublish(us) {
  const until = performance.now() + us / 1000;
  while (performance.now() < until) sink += arithmetic(sink) + 2;
}
function burnLidar(us) {
  const until = performance.now() + us / 1000;
  while (performance.now() < until) sink += arithmetic(sink) + 3;
}

function lidar() {
  burnLidar(5000);
  setImmediate(lidar);
}

if (isMainThread) {
  const rows = [];
  const wallRows = [];
  const totals = [NOT_STARTED, NOT_STARTED, NOT_STARTED];
  const wall = [...totals];
  const burns = [
    [burnPhysics, Number(physicsUs)],
    [burnRaycast, Number(raycastUs)],
    [burnPublish, Number(publishUs)],
  ];
  const step = () => {
    for (const [index, [burn, us]] of burns.entries()) {
      const from = process.hrtime.bigint();
      const before = onCpu();
      burn(us);
      totals[index] += onCpu() - before;
      wall[index] += process.hrtime.bigint() - from;
    }
    const at = process.hrtime.bigint();
    rows.push([at, ...totals]);
    wallRows.push([at, ...wall]);
    if (rows.length === 1) console.log('ready');
    setTimeout(step, Number(stepMs));
  };
  process.on('SIGTERM', () => {
    write(file, rows);
    write(`${file}.wall`, wallRows);
    process.exit(0);
  });
  const workers = option === 'worker' ? ['lidar'] : [];
  for (const name of workers)
    new Worker(new URL(import.meta.url), { name, workerData: name }).on('error', console.error);
  step();
} else if (workerData === 'lidar') lidar();
