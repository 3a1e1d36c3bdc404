// What our own sampler of CPython takes, and what it costs its target, against py-spy over the same targets in the same run. CPU of
// both is what the kernel charged the whole process from when it says that it samples; lateness is the loop's own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
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

/** CPU time that the kernel charged all threads of a process so far, in microseconds. */
function cpuUs(pid) {
  return readdirSync(`/proc/${pid}/task`)
    .map((tid) => Number(readFileSync(`/proc/${pid}/task/${tid}/schedstat`, 'utf8').split(' ')[0]))
    .reduce((sum, ns) => sum + ns / 1000, 0);
}

/** Runs one sampler; from when it says that it samples, what it took and what the loop of its target did over `seconds`. */
async function sampled(target, [file, ...args], says) {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  let begun;
  for await (const line of createInterface({ input: child.stdout })) {
    if (begun !== undefined || !says.test(line)) continue;
    begun = Promise.all([target.ask(), Promise.resolve(cpuUs(child.pid))]).then(
      async ([before, cpuBefore]) => {
        await delay(seconds * 1000);
        const used = cpuUs(child.pid) - cpuBefore;
        return { cpu: used, ...loop(before, await target.ask()) };
      },
    );
  }
  await ended;
  if (begun === undefined) throw new Error(`${file} never sampled`);
  return begun;
}

function loop(before, after) {
  return { stepsPerS: (after.steps - before.steps) / (after.at - before.at), p50: after.p50, p99: after.p99 };
}

async function alone(target) {
  const before = await target.ask();
  await delay(seconds * 1000);
  return loop(before, await target.ask());
}

function ours(pid, hz) {
  const planned = plannedCpython({ target: findTarget({ pid, selfPid: process.pid }), realtime });
  const file = join(options.work, 'x.samples');
  rmSync(file, { force: true });
  return { file, command: planned.commands([file, `${hz}`, `${seconds + 1}`]).at(-1) };
}

function pyspy(pid, hz) {
  const how = '--idle --threads --nonblocking --full-filenames -f raw'.split(' ');
  const window = ['-r', `${hz}`, '-d', `${seconds + 1}`, '-o', join(options.work, 'x.raw')];
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
const widths = [22, 6, 8, 9, 6, 9, 7, 9, 9, 11, 11, 13];
console.log(
  row(
    [
      'target',
      'Hz',
      'ours us',
      'py-spy us',
      'ratio',
      'us/thread',
      'taken',
      'late p99',
      'loss',
      'py-spy loss',
      'later us',
      'py-spy later',
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
      const mine = await sampled(target, own.command, /"kind":"sampling"/);
      const between = await alone(target);
      const theirs = await sampled(target, pyspy(target.pid, rate), /Sampling process/);
      const after = await alone(target);
      const { ticks, dueTicks, lateUs } = JSON.parse(
        /^e (.*)$/m.exec(readFileSync(own.file, 'utf8'))?.[1] ?? '{}',
      );
      seen.push({
        mine: mine.cpu / (rate * seconds),
        theirs: theirs.cpu / (rate * seconds),
        ticks: ticks / dueTicks,
        late: lateUs?.p99,
        lossOurs: 1 - (2 * mine.stepsPerS) / (before.stepsPerS + between.stepsPerS),
        lossTheirs: 1 - (2 * theirs.stepsPerS) / (between.stepsPerS + after.stepsPerS),
        lateOurs: mine.p99 - (before.p99 + between.p99) / 2,
        lateTheirs: theirs.p99 - (between.p99 + after.p99) / 2,
      });
    }
    const of = (key) => median(seen.map((one) => one[key]));
    console.log(
      row(
        [
          `${hz === 0 ? 'unpaced' : `${hz} Hz`}, ${threads} thr, ${depth} deep`,
          rate,
          fixed(of('mine')),
          fixed(of('theirs')),
          fixed(of('mine') / of('theirs'), 2),
          fixed(of('mine') / threads, 1),
          `${fixed(100 * of('ticks'))} %`,
          fixed(of('late')),
          `${fixed(100 * of('lossOurs'), 1)} %`,
          `${fixed(100 * of('lossTheirs'), 1)} %`,
          hz === 0 ? '' : fixed(of('lateOurs')),
          hz === 0 ? '' : fixed(of('lateTheirs')),
        ],
        widths,
      ),
    );
  }
  await target.stop();
}
