// The sampled GIL wait of the physics thread against the kernel's own trace of it in the same windows (`attach --exact-gil`).
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { percent as pct, profiler, row, startSimulation } from './demo-simulation.mjs';

const { values: options } = parseArgs({
  options: {
    python: { type: 'string' },
    'py-spy': { type: 'string' },
    work: { type: 'string' },
    seconds: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '1' },
  },
});

const HAND_OVER = ['--pacing', 'realtime', '--hz', '200', '--busy', '0.4', '--switch-interval', '0.0002'];
const LOADS = [
  ['handover', [...HAND_OVER, '--gil-hog', '0.5']],
  ['handover_hogs', [...HAND_OVER, '--gil-hog', '0.5', '--cpu-hogs', '2']],
  ['handover_full', [...HAND_OVER, '--gil-hog']],
  ['gil500', ['--pacing', 'realtime', '--hz', '500', '--busy', '0.4', '--gil-hog', '0.3']],
];
const widths = [14, 10, 9, 9, 9, 9];
console.log(row(['load', 'calls', 'blocked', 'sampled', 'error', 'runnable'], widths));

/** What the trace and the sampler say of the same windows of the physics thread. */
async function measure(sim, folder) {
  const run = (args) => profiler(args, { cwd: options.work, pyspy: options['py-spy'] });
  const how = [
    '--backend',
    'cpython',
    '-d',
    options.seconds,
    '--no-baseline',
    '--exact-gil',
    '--json',
    '-o',
    folder,
  ];
  const attach = await run(['attach', '--pid', `${sim.pid}`, ...how]);
  if (attach.exitCode !== 0) throw new Error(attach.stderr);
  const waits = await run(['waits', folder, '--json']);
  return JSON.parse(waits.stdout).threads.find(({ tid }) => tid === sim.pid);
}

function print(name, { timed, accounting: { gilWait } }) {
  if (timed.lost !== undefined) throw new Error('the kernel lost events of the trace');
  const shares = [timed.share, gilWait, gilWait - timed.share].map(pct);
  console.log(row([name, `${Math.round(timed.takenPerS)} /s`, ...shares, pct(timed.cpuWait)], widths));
}

let probe;
for (const [name, flags] of LOADS)
  for (let round = 0; round < Number(options.rounds); round += 1) {
    const sim = await startSimulation({ python: options.python, work: options.work, name, flags });
    const folder = join(options.work, name);
    rmSync(folder, { recursive: true, force: true });
    try {
      const found = await measure(sim, folder);
      print(name, found);
      probe = found.timed.probe;
    } finally {
      await sim.stop();
    }
  }
console.log(`\nShares of the wall time of the physics thread, in points; probed: ${probe}`);
