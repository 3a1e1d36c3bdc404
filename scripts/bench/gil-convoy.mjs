// The trap of one step a call: the rates of a thread that steps MuJoCo and of one that runs pure Python, each alone and both together, by
// how many steps a call makes. Median over the rounds, of each rate and of each ratio within its round.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { ROOT, median, percent, row } from './demo-simulation.mjs';

const { values: options } = parseArgs({
  options: {
    python: { type: 'string' },
    'py-spy': { type: 'string' },
    work: { type: 'string' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    nstep: { type: 'string', default: '1,1000,100000' },
    model: { type: 'string' },
    'switch-interval': { type: 'string' },
  },
});

const passed = ['seconds', 'rounds', 'nstep', 'model', 'switch-interval'].flatMap((name) =>
  options[name] === undefined ? [] : [`--${name}`, options[name]],
);
const program = join(ROOT, 'scripts/bench/gil_convoy.py');
const { stdout } = await execa(options.python, [program, ...passed], { stderr: 'inherit' });
const found = stdout.split('\n').map((line) => JSON.parse(line));

const whole = (number) => Math.round(number).toLocaleString('en-US');
const micro = (seconds) => `${seconds * 1e6 < 10 ? (seconds * 1e6).toFixed(1) : whole(seconds * 1e6)} µs`;
const widths = [8, 10, 10, 10, 7, 10, 10, 7, 5, 6];

console.log('         one call      steps a second            loops of Python a second       CPUs  lacked');
console.log(row(['nstep', '', 'alone', 'together', '%', 'alone', 'together', '%', '', ''], widths));
for (const nstep of new Set(found.map((one) => one.nstep))) {
  const rounds = found.filter((one) => one.nstep === nstep);
  const middle = (of) => median(rounds.map(of));
  console.log(
    row(
      [
        whole(nstep),
        micro(middle((one) => nstep / one.stepsAlone)),
        whole(middle((one) => one.stepsAlone)),
        whole(middle((one) => one.stepsTogether)),
        percent(middle((one) => one.stepsTogether / one.stepsAlone)),
        whole(middle((one) => one.loopsAlone)),
        whole(middle((one) => one.loopsTogether)),
        percent(middle((one) => one.loopsTogether / one.loopsAlone)),
        middle((one) => one.cpusTogether).toFixed(2),
        middle((one) => one.waitedTogether).toFixed(2),
      ],
      widths,
    ),
  );
}
const interval = options['switch-interval'] ?? '0.005 (the default)';
console.log(`
%: together, of alone; median of ${options.rounds} rounds. CPUs: used by both together; above 1.00 they overlapped. lacked: CPUs
that they were ready for and other programs had; much of that, and the figures say little. Switch interval: ${interval} s.`);
