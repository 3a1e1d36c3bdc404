// Each backend at its defaults against a program that knows its own truth. A round is a window without a profiler and one with it.
// Printed: errors of the shares in points (mean and worst over the buckets of the round), and by how much the program's own steps per
// second changed. `steal` is what the host of a virtual machine took of the CPU time in use: such rounds tell little.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { truthOver as rowsOver } from '../../test/targets/truth-rows.mjs';
import { median, profiler, ROOT, row, startSimulation, truthOver } from './demo-simulation.mjs';
import { expectedShares, physicsOf, WORK_BUCKETS } from './held-to-truth.mjs';
import { besideTimers } from './phases.mjs';

const { values: options } = parseArgs({
  options: {
    python: { type: 'string' },
    'py-spy': { type: 'string' },
    work: { type: 'string' },
    only: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '8' },
    json: { type: 'string' },
  },
});
const seconds = Number(options.seconds);
const TARGETS = join(ROOT, 'test/targets');
mkdirSync(options.work, { recursive: true });

/** A program whose rows are in a file: all windows are held against it once it has ended. */
async function startRows(name, argv, { rules, atEnd }) {
  const ring = join(options.work, `${name}.rows`);
  rmSync(ring, { force: true });
  const [file, ...args] = argv(ring);
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  return {
    pid: child.pid,
    args: ['--rules', rules, '--thread', String(child.pid)],
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
    stepsOver: (window) => rowsOver(ring, [window]).stepsPerS,
    errorsOver: (json, windows) => {
      const kind = atEnd && json.threads[0].buckets.every(({ id }) => id !== 'cpu-wait') ? '.wall' : '';
      const truth = rowsOver(`${ring}${kind}`, windows);
      const shares = new Map(json.threads[0].buckets.map(({ id, share }) => [id, share]));
      return ['physics', 'raycast', 'publishing'].map((id) => (shares.get(id) ?? 0) - truth[id]);
    },
    atEnd,
  };
}

async function startPython(name) {
  const flags = ['--pacing', 'realtime', '--hz', '500', '--busy', '0.4'];
  const sim = await startSimulation({ python: options.python, work: options.work, name, flags });
  const timed = [];
  return {
    ...sim,
    timed,
    args: [],
    atEnd: false,
    stepsOver: async (window) => (await truthOver(options.python, sim.ring, [window])).stepsPerS,
    errorsOver: async (json, windows) => {
      const truth = await truthOver(options.python, sim.ring, windows);
      const { thread, buckets } = physicsOf(json);
      const { expected } = expectedShares(thread, truth, false);
      const physics = thread.buckets.find(({ id }) => id === 'physics');
      const kinds = {};
      for (const { kind = 'none', samples } of physics?.parts ?? [])
        kinds[kind] = (kinds[kind] ?? 0) + samples;
      timed.push({ kinds, mjTimer: truth.mjTimer });
      return [...WORK_BUCKETS, 'pacer'].map((id) => (buckets.get(id)?.share ?? 0) - (expected[id] ?? 0));
    },
  };
}

async function startC(name) {
  const program = join(options.work, 'truth_loop');
  const flags = ['-O2', '-fno-omit-frame-pointer'];
  execFileSync('gcc', [...flags, '-o', program, join(TARGETS, 'truth_loop.c')]);
  const argv = (ring) => [program, ring, '500', '400', '200', '100'];
  return startRows(name, argv, { rules: join(TARGETS, 'truth-loop.yaml'), atEnd: false });
}

async function startNode(name, loop = ['3', '900', '500', '300']) {
  const argv = (ring) => [process.execPath, join(TARGETS, 'truth_loop.mjs'), ring, ...loop];
  return startRows(name, argv, { rules: join(TARGETS, 'truth-loop-node.yaml'), atEnd: true });
}

const CASES = [
  ['py-spy', startPython, ['--backend', 'py-spy']],
  ['py-spy-native', startPython, ['--backend', 'py-spy', '--native']],
  ['py-spy+perf', startPython, ['--backend', 'py-spy+perf']],
  ['perf', startC, ['--backend', 'perf']],
  ['node', startNode, ['--backend', 'node']],
  // Steps of less than a sampling interval's fourfold, as often as a timer of a millisecond gives: what V8's waking does to them.
  ['node-fast', (name) => startNode(name, ['1', '400', '200', '100']), ['--backend', 'node']],
];

const points = (x) => (100 * x).toFixed(2);
const widths = [14, 6, 7, 7, 9, 9, 8, 7];
const only = options.only?.split(',');
const results = [];
console.log(row(['backend', 'round', 'mean', 'worst', 'alone/s', 'with/s', 'change', 'steal'], widths));
for (const [name, start, flags] of CASES) {
  if (only !== undefined && !only.includes(name)) continue;
  const target = await start(name);
  const rounds = [];
  try {
    for (let round = 1; round <= Number(options.rounds); round++) {
      const from = process.hrtime.bigint();
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      const alone = [from, process.hrtime.bigint()];
      const folder = join(options.work, `${name}-${round}`);
      rmSync(folder, { recursive: true, force: true });
      const args = [
        'attach',
        '--pid',
        `${target.pid}`,
        '-d',
        `${seconds}`,
        '--no-baseline',
        '--json',
        '-o',
        folder,
      ];
      const attach = await profiler([...args, ...target.args, ...flags], {
        cwd: options.work,
        pyspy: options['py-spy'],
      });
      if (attach.exitCode !== 0) throw new Error(`attach failed: ${attach.stderr}`);
      const { slices } = JSON.parse(readFileSync(join(folder, 'recording.json'), 'utf8'));
      const windows = slices.map(({ startNs, endNs }) => [BigInt(startNs), BigInt(endNs)]);
      const sum = (of) => slices.reduce((total, slice) => total + of(slice), 0);
      const steal =
        sum((s) => s.machineCpu?.stolenNs ?? 0) /
        Math.max(
          1,
          sum((s) => s.machineCpu?.busyNs ?? 0),
        );
      rounds.push({ round, alone, windows, steal, json: JSON.parse(attach.stdout) });
    }
  } finally {
    if (target.atEnd) await target.stop();
  }
  try {
    for (const { round, alone, windows, steal, json } of rounds) {
      const errors = (await target.errorsOver(json, windows)).map(Math.abs);
      const mean = errors.reduce((a, b) => a + b, 0) / errors.length;
      const worst = Math.max(...errors);
      const before = await target.stepsOver(alone);
      // From the first slice to the last: the start of each sampler counts too.
      const during = await target.stepsOver([windows[0][0], windows.at(-1)[1]]);
      const change = during / before - 1;
      results.push({ backend: name, round, mean, worst, change, steal });
      const cells = [
        points(mean),
        points(worst),
        before.toFixed(1),
        during.toFixed(1),
        `${points(change)} %`,
      ];
      console.log(row([name, round, ...cells, points(steal)], widths));
    }
  } finally {
    if (!target.atEnd) await target.stop();
  }
  if (name === 'py-spy+perf') tellPhases(besideTimers(target.timed));
}

function tellPhases({ samples, rows, ambiguous, correlation, worst }) {
  console.log(`\nPhases of physics, ${samples} samples, beside MuJoCo's own timers (per cent)`);
  for (const [phase, x, y] of rows) console.log(row([phase, x.toFixed(1), y.toFixed(1)], [20, 6, 6]));
  console.log(row(['ambiguous', ambiguous.toFixed(1)], [20, 6]));
  console.log(`correlation ${correlation.toFixed(3)}, worst difference ${worst.toFixed(1)} points\n`);
}

console.log(
  '\nOver all rounds of a backend: errors in points, median change of the steps per second in per cent',
);
for (const [name] of CASES) {
  const own = results.filter(({ backend }) => backend === name);
  if (own.length === 0) continue;
  const mean = own.reduce((sum, one) => sum + one.mean, 0) / own.length;
  const worst = Math.max(...own.map((one) => one.worst));
  const change = median(own.map((one) => one.change));
  console.log(row([name, own.length, points(mean), points(worst), '', '', `${points(change)} %`], widths));
}
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(results, undefined, 2)}\n`);
