// What a clock in Python costs a step of MuJoCo: FlyGym's fly without --mujoco-timing and with it, in turn, the least of each.
//   node scripts/flygym/clock-costs.mjs PYTHON [PAIRS]
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readTables } from '../../dist/simulator/index.js';

const FLY = fileURLToPath(new URL('replay.py', import.meta.url));
const [python, pairs = '4'] = process.argv.slice(2);
const say = (line) => process.stdout.write(`${line}\n`);

/** Microseconds of a step by phase, as MuJoCo's timers have them, whatever they are called there. */
function timers(flags) {
  const log = execFileSync(python, [FLY, '--steps', '10000', '--no-render', ...flags], { encoding: 'utf8' });
  const table = readTables(log).find(({ kind }) => kind === 'mujoco-timers');
  return table.rows.map(({ perStepUs }) => perStepUs);
}

const runs = { own: [], python: [] };
for (let pair = 0; pair < Number(pairs); pair += 1) {
  runs.own.push(timers([]));
  runs.python.push(timers(['--mujoco-timing']));
}
const least = (list) => list.toSorted(([a], [b]) => a - b)[0];
const own = least(runs.own);
const inPython = least(runs.python);
say(`  MuJoCo's own clock: a step takes ${own[0].toFixed(1)} us by its timers`);
say(`  a clock in Python:  a step takes ${inPython[0].toFixed(1)} us by its timers`);
