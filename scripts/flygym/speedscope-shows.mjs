// What a speedscope file of a FlyGym run shows: whether it is the loop alone, and which functions of MuJoCo are in it.
//   node scripts/flygym/speedscope-shows.mjs FILE       exit code 1 where it shows start-up, or nothing of MuJoCo
import { readFileSync } from 'node:fs';

const TOP = 8;
/** Frames of what comes before the loop and after it, in replay.py and in what it calls. */
const OUTSIDE = [
  /^_find_and_load/,
  /^exec_module$/,
  /^walking_fly$/,
  /\.compile$/,
  /\.warmup$/,
  /^timing_table$/,
];
const LOOP = 'loop';

/** The bucket that a stack is in, behind the name of the frame that decided it. */
const MARK = / \[[a-z-]+(?:\/[\w-]+)?\]$/;

const { profiles, shared } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const frames = shared.frames.map(({ name, file }) => ({ name: name.replace(MARK, ''), file }));
const isOfMujoco = frames.map(({ file }) => /(?:^|\/)libmujoco\.so/.test(file ?? ''));
const isOutside = frames.map(({ name }) => OUTSIDE.some((pattern) => pattern.test(name)));

const sum = { all: 0, loop: 0, outside: 0, mujoco: 0 };
const leaves = new Map();
for (const { samples, weights } of profiles) {
  samples.forEach((stack, at) => {
    const weight = weights[at];
    // What the kernel alone knows of the thread is no code: waiting for a CPU, samples without a stack.
    if (stack.every((frame) => frames[frame].file === undefined)) return;
    sum.all += weight;
    if (stack.some((frame) => frames[frame].name === LOOP)) sum.loop += weight;
    if (stack.some((frame) => isOutside[frame])) sum.outside += weight;
    if (!stack.some((frame) => isOfMujoco[frame])) return;
    sum.mujoco += weight;
    const leaf = frames[stack.at(-1)].name.replace(/\.llvm\.\d+$/, '');
    if (isOfMujoco[stack.at(-1)]) leaves.set(leaf, (leaves.get(leaf) ?? 0) + weight);
  });
}

const percent = (part) => `${((100 * part) / sum.all).toFixed(1)} %`;
const say = (line) => process.stdout.write(`${line}\n`);
say(`  threads with Python: ${profiles.length}`);
say(
  `  in the loop: ${percent(sum.loop)}; in imports, model building, warm-up or printing: ${percent(sum.outside)}`,
);
say(`  with functions of libmujoco, its renderer among them: ${percent(sum.mujoco)}; the hottest as leaves:`);
for (const [name, weight] of [...leaves].sort((a, b) => b[1] - a[1]).slice(0, TOP))
  say(`    ${percent(weight).padStart(6)}  ${name}`);
if (sum.outside > 0 || sum.mujoco === 0) process.exitCode = 1;
