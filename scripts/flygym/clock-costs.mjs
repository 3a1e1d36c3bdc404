// What a clock in Python costs a step of MuJoCo: two logs of replay.py, without --mujoco-timing and with it.
import { readFileSync } from 'node:fs';
import { readTables } from '../../dist/simulator/index.js';

const [own, python] = process.argv.slice(2).map((file) => readTables(readFileSync(file, 'utf8')));
const say = (line) => process.stdout.write(`${line}\n`);

/** Microseconds of a step, by MuJoCo's timers and by FlyGym's report, which reads a clock around the step. */
function step(tables) {
  const timers = tables.find(({ kind }) => kind === 'mujoco-timers');
  const report = tables.find(({ kind }) => kind === 'flygym-perf');
  return {
    timed: timers.rows.find(({ path }) => path.length === 0).perStepUs,
    taken: report.rows.find(({ name }) => name.startsWith('Physics')).perStepUs,
  };
}

for (const [name, tables] of [
  ["MuJoCo's own clock", own],
  ['a clock in Python', python],
]) {
  const { timed, taken } = step(tables);
  say(
    `  ${name.padEnd(20)} a step takes ${String(taken).padStart(4)} us; by MuJoCo's timers ${timed.toFixed(1)} us`,
  );
}
