// Makes a folded file like py-spy's raw output of a large simulation: generate-folded.mjs MEGABYTES FILE [SEED]. The same arguments
// give the same bytes. Stacks are about 20 frames deep, every line is a different one, and, as in a hash map's order, unsorted.
import { closeSync, openSync, writeSync } from 'node:fs';

const [megabytes, file, seed = '1'] = process.argv.slice(2);
if (!(Number(megabytes) > 0) || file === undefined) {
  process.stderr.write('usage: generate-folded.mjs MEGABYTES FILE [SEED]\n');
  process.exit(2);
}

let state = Number(seed) >>> 0;
/** Mulberry32: a whole number from 0 to below `limit`. */
function random(limit) {
  state = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * limit);
}

const pick = (list) => list[random(list.length)];
const PACKAGES = [
  'robotsim',
  'robotsim_sensors/plugins',
  'robotsim_bridge',
  'rclpy',
  'numpy/core',
  'mujoco/rendering',
  'sensor_msgs/msg',
  'asyncio',
  'tf2_ros',
  'PIL',
];
const FILES = [
  'engine',
  'runner',
  'context',
  'lidar',
  'camera_common',
  'publisher',
  'executors',
  '_laser_scan',
  'renderer',
  'events',
  'fromnumeric',
  'buffer',
  'clock',
  'raycast',
];
const CLASSES = ['', '', 'Engine.', 'Lidar.', 'Publisher.', 'Camera.', 'SimContext.', 'Renderer.'];
const VERBS = [
  'step',
  'post_step',
  'cast_many',
  'publish',
  'render',
  'update_scene',
  'read_state',
  '_timed',
  'drain_commands',
  '_wrapreduction',
  'serialize',
  '<listcomp>',
  'lookup_transform',
  'spin_once',
];

/** A function has a file and a few lines on which it calls others. */
const functions = Array.from({ length: 700 }, (_, number) => {
  const name = `${pick(CLASSES)}${pick(VERBS)}${number % 5 === 0 ? '' : `_${number}`}`;
  const path = `${pick(PACKAGES)}/${pick(FILES)}.py`;
  const first = 10 + random(900);
  const frames = Array.from({ length: 2 + random(5) }, () => `${name} (${path}:${first + random(60)})`);
  return { frames, callees: Array.from({ length: 2 + random(4) }, () => random(700)) };
});

const ROOTS = [
  'thread (48211): MainThread',
  'thread (48230): Thread-1 (spin)',
  'thread (48231): lidar',
  'thread (48240): ThreadPoolExecutor-0_0',
];
const TRUNK =
  ';<module> (run_bridge.py:24);main (robotsim/commands.py:278);main (click/core.py:1552);invoke (click/core.py:2032);_run (robotsim/commands.py:132);run (robotsim/runner.py:736);_tick (robotsim/runner.py:235)';

function stack() {
  let text = (random(10) < 7 ? ROOTS[0] : pick(ROOTS)) + TRUNK;
  let current = random(40);
  for (let depth = 6 + random(14); depth > 0; depth -= 1) {
    text += `;${pick(functions[current].frames)}`;
    current = pick(functions[current].callees);
  }
  return text;
}

/** Most stacks were seen once, a few thousands of times. */
function count() {
  const rare = random(1000);
  if (rare < 700) return 1;
  return rare < 999 ? 1 + random(20) : 1 + random(5000);
}

const output = openSync(file, 'w');
const seen = new Set();
let left = Number(megabytes) * 1_000_000;
let block = '';
while (left > 0) {
  const text = stack();
  // Beyond a million lines repeats are let through: that is how a file of gigabytes looks.
  if (seen.has(text)) continue;
  if (seen.size < 1_000_000) seen.add(text);
  const line = `${text} ${count()}\n`;
  left -= line.length;
  block += line;
  if (block.length > 1_000_000 || left <= 0) {
    writeSync(output, block);
    block = '';
  }
}
closeSync(output);
