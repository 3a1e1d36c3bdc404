// `rtf --measure` against what the runs know of themselves: how often its interval holds the real-time factor of their loops.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { profiler, row } from './demo-simulation.mjs';

const { values: options } = parseArgs({
  options: {
    python: { type: 'string' },
    work: { type: 'string' },
    times: { type: 'string', default: '20' },
    lengths: { type: 'string', default: '60,500' },
    repeat: { type: 'string', default: '3' },
  },
});

const program = new URL('timed_run.py', import.meta.url).pathname;
const told = join(options.work, 'rtf-runs.txt');
const widths = [4, 9, 17, 9, 7];
console.log(row(['', 'measured', 'interval', 'truth', 'holds'], widths));
const counts = { yes: 0, no: 0, refused: 0 };
for (let time = 1; time <= Number(options.times); time += 1) {
  rmSync(told, { force: true });
  const how = ['rtf', '--measure', options.lengths, '--repeat', options.repeat, '--json'];
  const { exitCode, stdout, stderr } = await profiler([...how, '--', options.python, program, '{}', told], {
    cwd: options.work,
  });
  if (exitCode !== 0) {
    counts.refused += 1;
    console.log(`${String(time).padStart(4)}  refused: ${stderr.trim().split('\n').at(-3) ?? ''}`);
    continue;
  }
  const { factor, low, high } = JSON.parse(stdout);
  const runs = readFileSync(told, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number));
  const sum = (column) => runs.reduce((total, run) => total + run[column], 0);
  const truth = sum(0) / sum(1);
  const holds = low <= truth && truth <= high ? 'yes' : 'no';
  counts[holds] += 1;
  const text = [factor.toFixed(2), `${low.toFixed(2)}-${high.toFixed(2)}`, truth.toFixed(2), holds];
  console.log(row([String(time), ...text], widths));
}
console.log(
  `\n${counts.yes} of ${counts.yes + counts.no} intervals hold the truth; ${counts.refused} refused`,
);
