// A paced loop by the recipe, by the same with --idle, and by profiler, each beside the simulation's own truth over the same window;
// and what each of them has of the executor's thread.
//   node scripts/recipe/sleep.mjs PYTHON PY_SPY WORK
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { percent, profiler, startSimulation, truthOver } from '../bench/demo-simulation.mjs';

const [python, pyspy, work] = process.argv.slice(2);
const SECONDS = '10';
const say = (line) => process.stdout.write(`${line}\n`);

const sim = await startSimulation({
  python,
  work,
  name: 'sleep',
  flags: ['--pacing', 'realtime', '--hz', '500', '--busy', '0.4'],
});

/** Runs one sampler; the seconds that it took are the window. */
async function window(run) {
  const from = process.hrtime.bigint();
  await run();
  const truth = await truthOver(python, sim.ring, [[from, process.hrtime.bigint()]]);
  return { pacer: truth.buckets.pacer.wall };
}

/** Samples of a raw file by thread, and those of the physics thread in the pacer. */
function samplesOf(file) {
  const threads = new Map();
  let pacer = 0;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [, thread, leaf, count] = /^(thread [^;]*);(?:.*;)?([^;]*) (\d+)$/.exec(line) ?? [];
    if (thread === undefined) continue;
    const name = thread.replace(/^thread \(\d+\): /, '');
    threads.set(name, (threads.get(name) ?? 0) + Number(count));
    if (name === 'MainThread' && leaf.startsWith('Pacer.wait')) pacer += Number(count);
  }
  return { threads, pacer: pacer / (threads.get('MainThread') ?? 0) };
}

try {
  for (const [title, more] of [
    ['py-spy record -f raw --nonblocking', []],
    ['the same with --idle', ['--idle']],
  ]) {
    const file = join(work, `sleep${more.length}.raw`);
    const argv = ['record', '-f', 'raw', '--nonblocking', '--threads', ...more, '-d', SECONDS, '-o', file];
    // --threads only writes whose stack it was.
    const { pacer } = await window(() => spawnSync(pyspy, [...argv, '--pid', String(sim.pid)]));
    const seen = samplesOf(file);
    const threads = [...seen.threads].map(([name, samples]) => `${name} ${samples}`).join(', ');
    say(`${title}: pacer ${percent(seen.pacer)} %, truth ${percent(pacer)} %; samples: ${threads}`);
  }
  const folder = join(work, 'recording');
  rmSync(folder, { recursive: true, force: true });
  const ask = async (...args) =>
    JSON.parse((await profiler([...args, '--json'], { cwd: work, pyspy })).stdout);
  const { pacer } = await window(() => ask('attach', '--pid', String(sim.pid), '-d', SECONDS, '-o', folder));
  // On the stack, as the others count: `attach` itself takes the waiting for a CPU out, which follows a sleep.
  const share = (await ask('waits', folder)).threads[0].buckets.find(({ id }) => id === 'pacer').wall;
  say(`profiler attach, waits: pacer ${percent(share)} %, truth ${percent(pacer)} %`);
  const { threads } = await ask('threads', folder);
  for (const { name, accounting } of threads)
    say(
      `  the kernel of ${name}: on a CPU ${percent(accounting?.onCpu)} %, blocked ${percent(accounting?.blocked)} %`,
    );
  const refused = spawnSync(pyspy, [
    'record',
    '--native',
    '--nonblocking',
    '-d',
    '1',
    '-o',
    join(work, 'n'),
    '--pid',
    String(sim.pid),
  ]);
  say(`py-spy record --native --nonblocking: ${String(refused.stderr).trim().split('\n').at(-1)}`);
} finally {
  await sim.stop();
}
