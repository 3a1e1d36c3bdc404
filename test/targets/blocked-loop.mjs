// An event loop that known functions block now and then, at random times, until standard input is closed. StepProfiler writes the trace of it
// into TRACE; what blocked it, by the clock of the trace, goes into TRUTH. Prints `ready` when it turns.
//     node blocked-loop.mjs SEED TRACE TRUTH
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { StepProfiler, flushTraces } from '../../dist/telemetry/steps/index.js';

const [seed, trace, truth] = process.argv.slice(2);
let state = Number(seed);

/** From 0 to 1, the same in each run. */
function random() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
}

const cell = new Int32Array(new SharedArrayBuffer(4));

function readServo(ms) {
  Atomics.wait(cell, 0, 0, ms);
}

function planRoute(ms) {
  const end = performance.now() + ms;
  let sum = 0;
  while (performance.now() < end) for (let at = 0; at < 1000; at += 1) sum += Math.sqrt(at);
  return sum;
}

const MAP = JSON.stringify(Array.from({ length: 400 }, (_, at) => ({ wall: [at, -at], door: null })));

function loadMap(ms) {
  const end = performance.now() + ms;
  while (performance.now() < end) JSON.parse(MAP);
}

const BLOCKS = [readServo, planRoute, loadMap];
const blocked = [];
const over = new AbortController();
let began = 0;

/** Seconds since the profiler began, as its trace has them. */
const now = () => (performance.now() - began) / 1000;

async function drive() {
  while (!over.signal.aborted) {
    await delay(80 + random() * 270);
    const block = BLOCKS[Math.floor(random() * BLOCKS.length)];
    const start = now();
    block(20 + random() * 70);
    blocked.push({ function: block.name, start, end: now() });
  }
}

process.stdin.once('end', () => over.abort()).resume();
began = performance.now();
const prof = new StepProfiler({ tracePath: trace, printReport: false });
prof.start();
process.stdout.write('ready\n');
await prof.step('drive()', drive);
await prof.close();
await flushTraces();
writeFileSync(truth, JSON.stringify({ began: began / 1000, blocks: blocked }));
