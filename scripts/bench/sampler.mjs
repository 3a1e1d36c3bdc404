// What our own sampler of CPython takes, and what it costs its target, against py-spy over the same targets in the same run. CPU of
// both is what the kernel charged the whole process over its window, start-up included; `steady` leaves ours out of start-up and warm-up.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { plannedCpython } from '../../dist/capture/index.js';
import { findTarget, probeRealtime } from '../../dist/target/index.js';
import { median, ROOT, row } from './demo-simulation.mjs';

const { values: options } = parseArgs({
  options: {
    python: { type: 'string' },
    'py-spy': { type: 'string' },
    work: { type: 'string' },
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '3' },
    quick: { type: 'boolean', default: false },
  },
});
const seconds = options.quick ? 3 : Number(options.seconds);
const rounds = options.quick ? 1 : Number(options.rounds);
const realtime = await probeRealtime();
const priority = realtime.allowed ? realtime.argv : [];
mkdirSync(options.work, { recursive: true });

async function startTarget(hz, threads, depth) {
  const child = execa(
    options.python,
    [join(ROOT, 'scripts/bench/sampler_target.py'), `${hz}`, `${threads}`, `${depth}`],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
      reject: false,
      buffer: false,
    },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  return {
    pid: child.pid,
    async ask() {
      child.stdin.write('\n');
      return JSON.parse((await lines.next()).value);
    },
    async stop() {
      child.kill('SIGKILL');
      await child;
    },
  };
}

/** Runs one sampler over `seconds`: its CPU in us, and what the target's loop did meanwhile. */
async function sampled(target, command) {
  const before = await target.ask();
  const run = await execa('python3', [join(ROOT, 'scripts/bench/cpu_of.py'), ...command], { reject: false });
  const after = await target.ask();
  const cpu = Number(/^cpu ([\d.]+)$/m.exec(run.stderr)?.[1]) * 1e6;
  return { failed: run.exitCode !== 0 ? run.stderr.slice(-300) : undefined, cpu, ...loop(before, after) };
}

function loop(before, after) {
  return { stepsPerS: (after.steps - before.steps) / (after.at - before.at), p50: after.p50, p99: after.p99 };
}

async function alone(target) {
  const before = await target.ask();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  return loop(before, await target.ask());
}

function ours(pid, hz) {
  const planned = plannedCpython({ target: findTarget({ pid, selfPid: process.pid }), realtime });
  const file = join(options.work, 'x.samples');
  rmSync(file, { force: true });
  return { file, command: planned.commands([file, `${hz}`, `${seconds}`]).at(-1) };
}

function pyspy(pid, hz) {
  const how = '--idle --threads --nonblocking --full-filenames -f raw'.split(' ');
  const window = ['-r', `${hz}`, '-d', `${seconds}`, '-o', join(options.work, 'x.raw')];
  return [...priority, options['py-spy'], 'record', '--pid', `${pid}`, ...how, ...window];
}

const TARGETS = options.quick
  ? [
      [500, 1, 5],
      [0, 1, 5],
    ]
  : [
      [500, 1, 5],
      [0, 1, 5],
      [500, 1, 60],
      [500, 5, 5],
      [500, 5, 60],
      [500, 64, 5],
      [500, 64, 60],
    ];
const RATES = options.quick ? [500] : [250, 500, 1000, 2000];
const fixed = (value, digits = 0) =>
  value === undefined || value === null || Number.isNaN(value) ? '-' : value.toFixed(digits);
const widths = [22, 6, 9, 9, 9, 7, 8, 9, 9, 10, 12, 12];
console.log(
  row(
    [
      'target',
      'Hz',
      'ours us',
      'steady',
      'py-spy us',
      'ratio',
      'ticks',
      'us/thread',
      'late p99',
      'loss ours',
      'loss py-spy',
      'p99 late +us',
    ],
    widths,
  ),
);
for (const [hz, threads, depth] of TARGETS) {
  const target = await startTarget(hz, threads, depth);
  for (const rate of RATES) {
    const seen = [];
    for (let round = 0; round < rounds; round += 1) {
      const before = await alone(target);
      const own = ours(target.pid, rate);
      const mine = await sampled(target, own.command);
      const between = await alone(target);
      const theirs = await sampled(target, pyspy(target.pid, rate));
      const after = await alone(target);
      for (const one of [mine, theirs]) if (one.failed !== undefined) console.log(one.failed);
      const last = /^e (.*)$/m.exec(readFileSync(own.file, 'utf8'))?.[1];
      const facts = JSON.parse(last ?? '{"ticks":0,"cpuUs":0,"lateUs":{}}');
      const ticks = rate * seconds;
      seen.push({
        mine: mine.cpu / facts.ticks,
        steady: facts.cpuUs / facts.ticks,
        theirs: theirs.cpu / ticks,
        ticks: facts.ticks / ticks,
        late: facts.lateUs.p99,
        lossOurs: 1 - (2 * mine.stepsPerS) / (before.stepsPerS + between.stepsPerS),
        lossTheirs: 1 - (2 * theirs.stepsPerS) / (between.stepsPerS + after.stepsPerS),
        lateMore: mine.p99 - (before.p99 + between.p99) / 2,
      });
    }
    const of = (key) => median(seen.map((one) => one[key]));
    console.log(
      row(
        [
          `${hz === 0 ? 'unpaced' : `${hz} Hz`}, ${threads} thr, ${depth} deep`,
          rate,
          fixed(of('mine')),
          fixed(of('steady')),
          fixed(of('theirs')),
          fixed(of('mine') / of('theirs'), 2),
          `${fixed(100 * of('ticks'))} %`,
          fixed(of('steady') / threads, 1),
          fixed(of('late')),
          `${fixed(100 * of('lossOurs'), 1)} %`,
          `${fixed(100 * of('lossTheirs'), 1)} %`,
          hz === 0 ? '' : fixed(of('lateMore')),
        ],
        widths,
      ),
    );
  }
  await target.stop();
}
