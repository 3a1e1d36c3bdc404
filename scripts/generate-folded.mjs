// Makes a folded file like py-spy's raw output of a large simulation. The same arguments give the same bytes.
//
// By default it is what merged slices of one program look like: the same few thousand stacks again and again with other counts, a few of
// them hot and most of them rare, in a hash map's order within each slice. With --all-distinct no line is like another and each is 20
// frames deep: nothing real looks like that, it is the worst that can happen to a reader.
import { closeSync, openSync, writeSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    stacks: { type: 'string', default: '4000' },
    'all-distinct': { type: 'boolean', default: false },
  },
});
const [megabytes, file, seed = '1'] = positionals;
const stackCount = Number(flags.stacks);
if (!(Number(megabytes) > 0) || file === undefined || !(stackCount >= 1)) {
  process.stderr.write(
    'usage: generate-folded.mjs MEGABYTES FILE [SEED] [--stacks NUMBER] [--all-distinct]\n',
  );
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

const RUN =
  ';<module> (run_bridge.py:24);main (robotsim/commands.py:278);main (click/core.py:1552);invoke (click/core.py:2032);_run (robotsim/commands.py:132);run (robotsim/runner.py:736);_tick (robotsim/runner.py:235)';
const TRUNK = ';<module> (run_bridge.py:24);main (robotsim/commands.py:278);_tick (robotsim/runner.py:235)';
const BOOTSTRAP =
  ';_bootstrap (threading.py:973);_bootstrap_inner (threading.py:1016);run (threading.py:953)';
const PHYSICS = ';mj_step (libmujoco.so.3.3.0)';
const ROOTS = [
  'thread (48211): MainThread',
  'thread (48230): Thread-1 (spin)',
  'thread (48231): lidar',
  'thread (48240): ThreadPoolExecutor-0_0',
];

/** A walk from function to function below the root of a thread; seven of ten stacks are of the main thread. */
function stack(trunkOf, depth) {
  const root = random(10) < 7 ? ROOTS[0] : pick(ROOTS);
  let text = root + trunkOf(root);
  let current = random(40);
  for (let left = depth(); left > 0; left -= 1) {
    text += `;${pick(functions[current].frames)}`;
    current = pick(functions[current].callees);
  }
  return text;
}

/** Lines that are all different; most were seen once, a few thousands of times. */
function* distinctLines() {
  const seen = new Set();
  for (;;) {
    const text = stack(
      () => RUN,
      () => 6 + random(14),
    );
    // Beyond a million lines repeats are let through: that is how a file of gigabytes looks.
    if (seen.has(text)) continue;
    if (seen.size < 1_000_000) seen.add(text);
    const rare = random(1000);
    const most = rare < 999 ? 20 : 5000;
    yield `${text} ${rare < 700 ? 1 : 1 + random(most)}\n`;
  }
}

/** Samples of a slice: two minutes of four threads at 25 Hz. */
const SLICE_SAMPLES = 12_000;

/** Slices one after the other, each with the stacks that were seen in it, once, and how often. Stack r is seen as often as 1 / r says. */
function* sliceLines() {
  const stacks = new Set();
  while (stacks.size < stackCount) {
    const text = stack(
      (root) => (root === ROOTS[0] ? TRUNK : BOOTSTRAP),
      () => 2 + random(7),
    );
    stacks.add(text.startsWith(ROOTS[0]) && random(8) === 0 ? text + PHYSICS : text);
  }
  const texts = [...stacks];
  let sum = 0;
  const upTo = texts.map((_, rank) => (sum += 1 / (rank + 1)));
  for (;;) {
    const counts = new Map();
    for (let left = SLICE_SAMPLES; left > 0; left -= 1) {
      const at = firstAbove(upTo, (random(4_294_967_296) / 4_294_967_296) * sum);
      counts.set(at, (counts.get(at) ?? 0) + 1);
    }
    for (const at of shuffled([...counts.keys()])) yield `${texts[at]} ${counts.get(at)}\n`;
  }
}

function firstAbove(sorted, value) {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

function shuffled(list) {
  for (let at = list.length - 1; at > 0; at -= 1) {
    const other = random(at + 1);
    [list[at], list[other]] = [list[other], list[at]];
  }
  return list;
}

const output = openSync(file, 'w');
let left = Number(megabytes) * 1_000_000;
let block = '';
for (const line of flags['all-distinct'] ? distinctLines() : sliceLines()) {
  left -= line.length;
  block += line;
  if (block.length > 1_000_000 || left <= 0) {
    writeSync(output, block);
    block = '';
  }
  if (left <= 0) break;
}
closeSync(output);
