// The real-time factor by probe against the simulation's own, and the cost of a hit.
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { openJournal, openStepProbe } from '../../dist/target/index.js';
import { median, profiler, row, startSimulation, truthOver } from './demo-simulation.mjs';

const { values: options } = parseArgs({
  options: {
    python: { type: 'string' },
    work: { type: 'string' },
    seconds: { type: 'string', default: '20' },
  },
});
const work = resolve(options.work);
mkdirSync(work, { recursive: true });

const LOADS = [
  ['50 Hz, 10 %', ['--pacing', 'realtime', '--hz', '50', '--busy', '0.1']],
  ['200 Hz, 40 %', ['--pacing', 'realtime', '--hz', '200', '--busy', '0.4']],
  ['500 Hz, 80 %', ['--pacing', 'realtime', '--hz', '500', '--busy', '0.8']],
  ['500 Hz, half pace', ['--pacing', '0.5', '--hz', '500', '--busy', '0.4']],
  [
    'unpaced',
    ['--pacing', 'asap', '--hz', '500', '--load', 'bodies=40,rays=100,transforms=6,effort=10,tracked=20'],
  ],
];
const widths = [20, 10, 10, 11, 8, 9];
console.log(row(['load', 'factor', 'truth', 'off by', '± told', 'steps'], widths));
for (const [name, flags] of LOADS) {
  const sim = await startSimulation({ python: options.python, work, name: 'steps', flags });
  try {
    const run = await profiler(['rtf', '--pid', `${sim.pid}`, '-d', options.seconds, '--json'], {
      cwd: work,
    });
    if (run.exitCode !== 0) throw new Error(run.stderr);
    const said = JSON.parse(run.stdout);
    const truth = await truthOver(options.python, sim.ring, [[said.startNs, said.endNs]]);
    // Its rows are of whole steps: the window is up to one step longer on either side.
    const own = ((truth.steps + 1) * said.timestepS) / said.windowS;
    const off = (said.factor / own - 1) * 100;
    console.log(
      row(
        [
          name,
          said.factor.toFixed(4),
          own.toFixed(4),
          `${off.toFixed(3)} %`,
          ((said.high - said.low) / 2).toFixed(4),
          `${said.steps ?? '-'}`,
        ],
        widths,
      ),
    );
  } finally {
    await sim.stop();
  }
}

/** Prints the microseconds of a step, 20,000 at a time, for as long as it is let. */
const FAST = `
import mujoco, time
m = mujoco.MjModel.from_xml_string("<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>")
d = mujoco.MjData(m)
print("ready", flush=True)
while True:
    t = time.perf_counter()
    for _ in range(20000):
        mujoco.mj_step(m, d)
    print((time.perf_counter() - t) * 50, flush=True)
`;
const PAIRS = 15;
const program = execa(options.python, ['-c', FAST], { reject: false });
const lines = program.iterable();
const next = async () => (await lines.next()).value;
await next();
const probe = openStepProbe({
  pid: program.pid,
  journal: openJournal(process.env, new Date().toISOString()),
  steps: [{ file: 'libmujoco', symbols: ['mj_step'] }],
});
if (typeof probe === 'string') throw new Error(probe);
const costs = [];
let alone = [];
try {
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const [off, on] = [[], []];
    for (const [isOn, into] of [
      [false, off],
      [true, on],
    ]) {
      probe.turn(isOn);
      // The first is of both.
      await next();
      for (let i = 0; i < 3; i += 1) into.push(Number(await next()));
      probe.read();
    }
    costs.push(median(on) - median(off));
    alone.push(median(off));
  }
} finally {
  probe.close();
  program.kill('SIGKILL');
  await program;
}
const sorted = costs.toSorted((a, b) => a - b);
console.log(
  `\nA step of ${median(alone).toFixed(2)} µs takes ${median(costs).toFixed(2)} µs more with the probe on (${sorted[0].toFixed(2)} to ${sorted.at(-1).toFixed(2)} in ${PAIRS} pairs), while nobody reads the trace.`,
);
