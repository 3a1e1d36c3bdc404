// The sampled GIL wait of the physics thread against the kernel's own trace of it in the same windows: probes on the entry and the return
// of `take_gil` (of `PyEval_RestoreThread` where that is not to be found, which misses forced hand-overs), with every switch of the thread
// between them. What it spent there blocked is GIL wait; woken and not running, it waits for a CPU.
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { findStepFunctions } from '../../dist/target/steps/step-function.js';
import { findTracefs, newGroup, removeGroup } from '../../dist/target/steps/tracefs.js';
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
const tracefs = findTracefs();
if ('because' in tracefs) throw new Error(tracefs.because);
const TRACEFS = tracefs.path;
/** Named as the product's are: one that is left by a crash goes with the next of those. */
const GROUP = newGroup();

/** Where the code that takes the GIL is. */
function probed(pid) {
  const wanted = ['take_gil', 'PyEval_RestoreThread'].map((symbol) => ({
    file: 'python',
    symbols: [symbol],
  }));
  const [found] = findStepFunctions(pid, wanted);
  if (found === undefined) throw new Error(`process ${pid} shows neither take_gil nor PyEval_RestoreThread`);
  return found;
}

/** Traces one thread until `stop`, which gives its events as `[ns, event, fields]` in order. */
function trace(pid, { mapped, offset }) {
  const probes = join(TRACEFS, 'uprobe_events');
  const instance = join(TRACEFS, 'instances', GROUP);
  const at = `${mapped}:0x${offset.toString(16)}`;
  appendFileSync(probes, `p:${GROUP}/enter ${at}\n`);
  appendFileSync(probes, `r:${GROUP}/leave ${at}\n`);
  mkdirSync(instance);
  const set = (file, text) => writeFileSync(join(instance, file), text);
  set('buffer_size_kb', '16384');
  set('trace_clock', 'mono');
  set('set_event_pid', `${pid}`);
  const events = [`${GROUP}/enter`, `${GROUP}/leave`, 'sched/sched_switch', 'sched/sched_waking'];
  for (const event of events) set(`events/${event}/enable`, '1');
  const reader = execa('cat', [join(instance, 'trace_pipe')], { reject: false, maxBuffer: 2 ** 30 });
  return {
    /** Leaves nothing of it in the kernel. */
    async remove() {
      reader.kill('SIGTERM');
      await reader;
      for (const event of events) set(`events/${event}/enable`, '0');
      removeGroup(TRACEFS, GROUP);
    },
    async stop() {
      for (const event of events) set(`events/${event}/enable`, '0');
      // Its reader waits for what comes next, and is ended once all that came is read.
      while (readFileSync(join(instance, 'per_cpu/cpu0/stats'), 'utf8').match(/^entries: (\d+)/m)[1] !== '0')
        await new Promise((resolve) => setTimeout(resolve, 50));
      await new Promise((resolve) => setTimeout(resolve, 500));
      reader.kill('SIGTERM');
      const { stdout } = await reader;
      if (/LOST \d+ EVENTS/.test(stdout)) throw new Error('the kernel lost events of the trace');
      return stdout.split('\n').flatMap((line) => {
        const found = /^.{16}-\d+ +\[\d+\] \S+ +(\d+)\.(\d{6}): (\w+): (.*)$/.exec(line);
        return found === null
          ? []
          : [[(Number(found[1]) * 1e6 + Number(found[2])) * 1e3, found[3], found[4]]];
      });
    },
  };
}

/** Nanoseconds in `windows` that the thread was in the probed function, by what it did there. */
function waited(tid, events, windows) {
  const sum = { blocked: 0, runnable: 0, running: 0 };
  let inside = false;
  let state = 'running';
  let since = 0;
  const add = (until) => {
    if (inside)
      for (const [from, to] of windows)
        sum[state] += Math.max(0, Math.min(until, to) - Math.max(since, from));
    since = until;
  };
  for (const [ns, event, fields] of events) {
    if (event === 'sched_switch') {
      const left = new RegExp(`prev_pid=${tid} .*prev_state=(\\S+)`).exec(fields);
      const came = new RegExp(`next_pid=${tid} `).test(fields);
      if (left === null && !came) continue;
      add(ns);
      state = came ? 'running' : left[1].startsWith('R') ? 'runnable' : 'blocked';
    } else if (event === 'sched_waking') {
      if (state !== 'blocked' || !new RegExp(` pid=${tid} `).test(` ${fields}`)) continue;
      add(ns);
      state = 'runnable';
    } else {
      add(ns);
      inside = event === 'enter';
    }
  }
  return sum;
}

const widths = [14, 10, 9, 9, 9, 9, 9];
console.log(row(['load', 'calls', 'blocked', 'sampled', 'error', 'runnable', 'running'], widths));

/** What the trace and the sampler say of the same windows of the physics thread. */
async function measure(sim, folder, tracer) {
  const run = (args) => profiler(args, { cwd: options.work, pyspy: options['py-spy'] });
  const how = ['--backend', 'cpython', '-d', options.seconds, '--no-baseline', '--json', '-o', folder];
  const attach = await run(['attach', '--pid', `${sim.pid}`, ...how]);
  if (attach.exitCode !== 0) throw new Error(attach.stderr);
  const events = await tracer.stop();
  const { slices } = JSON.parse(readFileSync(join(folder, 'recording.json'), 'utf8'));
  const windows = slices.map(({ startNs, endNs }) => [Number(startNs), Number(endNs)]);
  const waits = await run(['waits', folder, '--json']);
  return {
    wallNs: windows.reduce((total, [from, to]) => total + to - from, 0),
    handOvers: events.filter(([, event]) => event === 'enter').length,
    truth: waited(sim.pid, events, windows),
    sampled: JSON.parse(waits.stdout).threads.find(({ tid }) => tid === sim.pid).accounting,
  };
}

function print(name, { wallNs, handOvers, truth, sampled }) {
  const blocked = truth.blocked / wallNs;
  console.log(
    row(
      [
        name,
        `${Math.round(handOvers / (wallNs / 1e9))} /s`,
        ...[blocked, sampled.gilWait, sampled.gilWait - blocked].map(pct),
        ...[truth.runnable / wallNs, truth.running / wallNs].map(pct),
      ],
      widths,
    ),
  );
}

let probe;
for (const [name, flags] of LOADS)
  for (let round = 0; round < Number(options.rounds); round += 1) {
    const sim = await startSimulation({ python: options.python, work: options.work, name, flags });
    const folder = join(options.work, name);
    rmSync(folder, { recursive: true, force: true });
    probe = probed(sim.pid);
    const tracer = trace(sim.pid, probe);
    try {
      print(name, await measure(sim, folder, tracer));
    } finally {
      await tracer.remove();
      await sim.stop();
    }
  }
console.log(
  `\nShares of the wall time of the physics thread, in points; probed: ${probe.symbol} in ${probe.path}`,
);
