// The line of mj_step beside a second busy Python thread: how much of what stands there is physics.
//   node scripts/recipe/contended.mjs PYTHON PY_SPY WORK
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { percent, profiler, startSimulation } from '../bench/demo-simulation.mjs';

const [python, pyspy, work] = process.argv.slice(2);
const SHOWN = new Set(['physics', 'raycast', 'publishing']);
const say = (line) => process.stdout.write(`${line}\n`);

const sim = await startSimulation({
  python,
  work,
  name: 'contended',
  flags: ['--pacing', 'asap', '--hz', '500', '--gil-hog'],
});
try {
  const folder = join(work, 'contended');
  rmSync(folder, { recursive: true, force: true });
  await profiler(['attach', '--pid', String(sim.pid), '-d', '10', '-o', folder], { cwd: work, pyspy });
  const { threads } = JSON.parse((await profiler(['waits', folder, '--json'], { cwd: work, pyspy })).stdout);
  const { buckets, holders } = threads[0];
  for (const { id, wall, running, gilWait } of buckets.filter((bucket) => SHOWN.has(bucket.id)))
    say(
      `  ${id.padEnd(10)} on the stack ${percent(wall)} % of the time: ran ${percent(running?.share)} %, waited for the GIL ${percent(gilWait?.share)} %`,
    );
  say(`  the GIL was held meanwhile by ${holders[0]?.thread ?? 'nobody seen'}`);
} finally {
  await sim.stop();
}
