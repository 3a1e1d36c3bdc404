// The accuracy bench: for each load of the demo simulation, `profiler attach` with each engine and the plain recipe in windows one after
// the other, all held against the truth that the simulation keeps about itself. Prints every figure, whatever it is.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { expectedShares, physicsOf, WORK_BUCKETS } from './held-to-truth.mjs';
import { percent as pct, profiler, row, startSimulation, truthOver } from './demo-simulation.mjs';

const { values: options } = parseArgs({
  options: {
    python: { type: 'string' },
    'py-spy': { type: 'string' },
    work: { type: 'string' },
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '20' },
    json: { type: 'string' },
    engines: { type: 'string', default: 'cpython,py-spy' },
    rate: { type: 'string' },
    'no-recipe': { type: 'boolean', default: false },
  },
});
const seconds = options.quick ? 6 : Number(options.seconds);
const rounds = options.quick ? 1 : Number(options.rounds);

/** Name, flags of the demo simulation, and the group its errors are summed in. */
const LOADS = [
  ...[50, 200, 500, 1000].flatMap((hz) =>
    [0.1, 0.4, 0.8].map((busy) => [
      `p${hz}_${busy * 100}`,
      ['--pacing', 'realtime', '--hz', `${hz}`, '--busy', `${busy}`],
      'paced',
    ]),
  ),
  ['asap', ['--pacing', 'asap', '--hz', '500'], 'unpaced'],
  ['spin200_40', ['--pacing', 'realtime', '--spin', '--hz', '200', '--busy', '0.4'], 'spin'],
  ['gil200_40', ['--pacing', 'realtime', '--hz', '200', '--busy', '0.4', '--gil-hog'], 'contended'],
  [
    'gil500_40_part',
    ['--pacing', 'realtime', '--hz', '500', '--busy', '0.4', '--gil-hog', '0.3'],
    'contended',
  ],
  ['hog200_40', ['--pacing', 'realtime', '--hz', '200', '--busy', '0.4', '--cpu-hogs', '2'], 'contended'],
  ['hog500_10', ['--pacing', 'realtime', '--hz', '500', '--busy', '0.1', '--cpu-hogs', '1'], 'contended'],
  // More than 5000 steps a second, of many calls of 1 to 10 us each: where samplers lose short calls.
  [
    'short_calls',
    [
      '--pacing',
      'asap',
      '--load',
      'bodies=0,rays=4,transforms=0,effort=0,tracked=0,scan_every=20,tf_every=20,hook_every=5,state_every=20',
    ],
    'short calls',
  ],
  // Thousands of hand-overs of the GIL a second. There is no exact truth for GIL wait and sleep there: the CPU alone is judged.
  ...[
    ['handover', []],
    ['handover_hogs', ['--cpu-hogs', '2']],
  ].map(([name, more]) => [
    name,
    [
      '--pacing',
      'realtime',
      '--hz',
      '200',
      '--busy',
      '0.4',
      '--gil-hog',
      '0.5',
      '--switch-interval',
      '0.0002',
      ...more,
    ],
    'hand-over',
  ]),
];
/** `--backend` of ours, and `recipe`, py-spy as people type it: no --idle, normal priority, the same rules. */
const engines = [...options.engines.split(','), ...(options['no-recipe'] ? [] : ['recipe'])];
const only = options.only?.split(',');
const run = (args) => profiler(args, { cwd: options.work, pyspy: options['py-spy'] });
const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;

/** One window of ours: the answer as JSON and the windows that its slices cover; undefined where it failed. */
async function attachWindow(engine, sim, folder) {
  rmSync(folder, { recursive: true, force: true });
  const rate = options.rate === undefined ? [] : ['-r', options.rate];
  const flags = ['--backend', engine, ...rate, '-d', `${seconds}`, '--no-baseline', '--json', '-o', folder];
  const attach = await run(['attach', '--pid', `${sim.pid}`, ...flags]);
  if (attach.exitCode !== 0) {
    console.log(`attach --backend ${engine} failed (${attach.exitCode}): ${attach.stderr}`);
    return undefined;
  }
  const { slices } = JSON.parse(readFileSync(join(folder, 'recording.json'), 'utf8'));
  return { json: JSON.parse(attach.stdout), windows: slices.map((slice) => [slice.startNs, slice.endNs]) };
}

async function recipeWindow(sim, file) {
  const from = process.hrtime.bigint();
  const record = ['record', '-f', 'raw', '--nonblocking', '-t', '--pid', `${sim.pid}`];
  await execa(options['py-spy'], [...record, '-d', `${seconds}`, '-o', file], { reject: false });
  const windows = [[from, process.hrtime.bigint()]];
  const read = await run(['buckets', file, '--json']);
  return read.exitCode === 0 ? { json: JSON.parse(read.stdout), windows } : undefined;
}

/** A loop that never sleeps: off a CPU it can only wait for one, or for the GIL. */
const isUnpaced = (group) => group === 'unpaced' || group === 'short calls';

/** Rows of one window: a bucket each, and the waits, which are the kernel's. */
function rowsOf(engine, { name, group }, { thread, buckets }, truth) {
  const found = [];
  const claims =
    engine === 'recipe' ? { ...thread, includesWaiting: true, accounting: { cpuWait: 0 } } : thread;
  const { expected, net, gil, onCpu } = expectedShares(
    claims,
    truth,
    name.startsWith('gil') || isUnpaced(group),
  );
  // Sleep and GIL wait cannot be told apart by the truth where the GIL changes hands thousands of times a second; unpaced loops have no pacer.
  const judged =
    (group === 'hand-over' && net) || isUnpaced(group) ? WORK_BUCKETS : [...WORK_BUCKETS, 'pacer'];
  for (const bucket of judged) {
    const ours = buckets.get(bucket) ?? { share: 0, low: 0, high: 0 };
    if (expected[bucket] < 0.001 && ours.share < 0.001) continue;
    found.push({
      engine,
      name,
      group,
      bucket,
      net,
      truth: expected[bucket],
      ...ours,
      error: ours.share - expected[bucket],
      covered: ours.low <= expected[bucket] && expected[bucket] <= ours.high,
    });
  }
  if (engine === 'recipe') return found;
  const { accounting } = thread;
  const waits = [
    ['gil-wait', gil, accounting.gilWait],
    ['on-cpu', onCpu, accounting.onCpu],
  ];
  for (const [bucket, expectedShare, share] of waits)
    if (share !== undefined)
      found.push({
        engine,
        name,
        group,
        bucket,
        wait: true,
        net,
        truth: expectedShare,
        share,
        error: share - expectedShare,
      });
  return found;
}

const results = [];
mkdirSync(options.work, { recursive: true });
for (const [name, flags, group] of LOADS) {
  if (only !== undefined && !only.includes(name)) continue;
  const sim = await startSimulation({ python: options.python, work: options.work, name, flags });
  for (let round = 0; round < rounds; round++) {
    // Each engine is first as often as the others.
    for (const engine of engines.map((_, at) => engines[(at + round) % engines.length])) {
      const place = join(options.work, `${name}-${engine}-${round}`);
      const window =
        engine === 'recipe'
          ? await recipeWindow(sim, `${place}.raw`)
          : await attachWindow(engine, sim, place);
      if (window === undefined) continue;
      const truth = await truthOver(options.python, sim.ring, window.windows);
      const rows = rowsOf(engine, { name, group }, physicsOf(window.json), truth);
      results.push(...rows);
      const warnings = window.json.findings.filter((f) => f.level === 'warning').map((f) => f.id);
      console.log(
        `\n${name} round ${round + 1}, ${engine}: ${rows[0]?.net ? 'net' : 'wall'} shares, ${truth.stepsPerS.toFixed(1)} steps/s${warnings.length > 0 ? `, findings: ${warnings.join(' ')}` : ''}`,
      );
      const widths = [12, 7, 7, 14, 7, 9];
      console.log(row(['bucket', 'truth', 'ours', 'interval', 'error', 'covered'], widths));
      for (const r of rows) {
        const interval = r.wait ? 'exact' : `${pct(r.low)}-${pct(r.high)}`;
        const covered = r.wait ? '' : r.covered ? 'yes' : 'NO';
        console.log(row([r.bucket, pct(r.truth), pct(r.share), interval, pct(r.error), covered], widths));
      }
    }
  }
  await sim.stop();
}

console.log('\nErrors in points over all buckets (waits apart), each against what the engine claims');
const widths = [12, 9, 8, 7, 7, 7, 9, 9];
console.log(row(['group', 'engine', 'buckets', 'mean', 'p95', 'worst', 'covered', 'of'], widths));
for (const group of [...new Set(LOADS.map(([, , one]) => one)), 'all']) {
  for (const engine of engines) {
    const rows = results.filter(
      (r) => (group === 'all' || r.group === group) && r.engine === engine && !r.wait,
    );
    if (rows.length === 0) continue;
    const errors = rows.map((r) => Math.abs(r.error)).sort((a, b) => a - b);
    const covered = rows.filter((r) => r.covered).length;
    const p95 = errors[Math.ceil(0.95 * errors.length) - 1];
    console.log(
      row(
        [
          group,
          engine,
          rows.length,
          (100 * mean(errors)).toFixed(2),
          (100 * p95).toFixed(2),
          (100 * errors.at(-1)).toFixed(2),
          engine === 'recipe' ? '' : `${pct(covered / rows.length)} %`,
          engine === 'recipe' ? '' : `${covered}/${rows.length}`,
        ],
        widths,
      ),
    );
  }
}
for (const engine of engines) {
  for (const wait of ['gil-wait', 'on-cpu']) {
    // Without a second Python thread the difference is only how late the timer wakes the pacer: not a wait for the GIL.
    const rows = results.filter(
      (r) => r.engine === engine && r.bucket === wait && (wait !== 'gil-wait' || r.name.startsWith('gil')),
    );
    if (rows.length === 0) continue;
    const worst = Math.max(...rows.map((r) => Math.abs(r.error)));
    console.log(`${engine}, ${wait}: worst error ${pct(worst)} points over ${rows.length} windows`);
  }
}
if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(results, null, 1));
