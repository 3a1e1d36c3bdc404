// Steps per second of the demo simulation at 500 Hz, from its own count, in alternating windows without and with a profiler attached.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median, profiler, row, startSimulation, truthOver } from './demo-simulation.mjs';

const { values: options } = parseArgs({
  options: {
    python: { type: 'string' },
    'py-spy': { type: 'string' },
    work: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '10' },
    busy: { type: 'string', default: '0.4' },
  },
});
const seconds = Number(options.seconds);
const flags = ['--pacing', 'realtime', '--hz', '500', '--busy', options.busy];
const sim = await startSimulation({ python: options.python, work: options.work, name: 'observer', flags });
const pairs = [];
try {
  console.log(row(['round', 'alone', 'profiled', 'change'], [6, 9, 9, 8]));
  for (let round = 1; round <= Number(options.rounds); round++) {
    const from = process.hrtime.bigint();
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    const alone = await truthOver(options.python, sim.ring, [[from, process.hrtime.bigint()]]);
    const folder = join(options.work, `round-${round}`);
    rmSync(folder, { recursive: true, force: true });
    const attach = await profiler(
      ['attach', '--pid', `${sim.pid}`, '-d', `${seconds}`, '--no-baseline', '--json', '-o', folder],
      {
        cwd: options.work,
        pyspy: options['py-spy'],
      },
    );
    if (attach.exitCode !== 0) throw new Error(`attach failed: ${attach.stderr}`);
    const { slices } = JSON.parse(readFileSync(join(folder, 'recording.json'), 'utf8'));
    // From the first slice to the last: the start of each sampler counts too.
    const profiled = await truthOver(options.python, sim.ring, [[slices[0].startNs, slices.at(-1).endNs]]);
    pairs.push(profiled.stepsPerS / alone.stepsPerS - 1);
    console.log(
      row(
        [
          round,
          alone.stepsPerS.toFixed(2),
          profiled.stepsPerS.toFixed(2),
          `${(100 * pairs.at(-1)).toFixed(2)} %`,
        ],
        [6, 9, 9, 8],
      ),
    );
  }
} finally {
  await sim.stop();
}
console.log(`median change of steps per second while profiled: ${(100 * median(pairs)).toFixed(2)} %`);
