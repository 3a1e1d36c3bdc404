// The accuracy bench: for each load of the demo simulation, `profiler attach` and the plain recipe in alternating windows,
// both held against the truth that the simulation keeps about itself. Prints every figure, whatever it is.
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
];
const only = options.only?.split(',');
const run = (args) => profiler(args, { cwd: options.work, pyspy: options['py-spy'] });

const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;
const results = [];
mkdirSync(options.work, { recursive: true });
for (const [name, flags, group] of LOADS) {
  if (only !== undefined && !only.includes(name)) continue;
  const sim = await startSimulation({ python: options.python, work: options.work, name, flags });
  for (let round = 0; round < rounds; round++) {
    const folder = join(options.work, `${name}-${round}`);
    rmSync(folder, { recursive: true, force: true });
    const attach = await run([
      'attach',
      '--pid',
      `${sim.pid}`,
      '-d',
      `${seconds}`,
      '--no-baseline',
      '--json',
      '-o',
      folder,
    ]);
    if (attach.exitCode !== 0) {
      console.log(`${name}: attach failed (${attach.exitCode}): ${attach.stderr}`);
      continue;
    }
    const json = JSON.parse(attach.stdout);
    const recording = JSON.parse(readFileSync(join(folder, 'recording.json'), 'utf8'));
    const truth = await truthOver(
      options.python,
      sim.ring,
      recording.slices.map((slice) => [slice.startNs, slice.endNs]),
    );
    const { thread, buckets } = physicsOf(json);
    const { cpuWait } = thread.accounting;
    const { expected, wall, net, gil, onCpu } = expectedShares(thread, truth, name.startsWith('gil'));

    // The plain recipe, in a window of its own right after: no --idle, normal priority, the same rules.
    const raw = join(options.work, `${name}-${round}.plain.raw`);
    const from = process.hrtime.bigint();
    await execa(
      options['py-spy'],
      ['record', '-f', 'raw', '--nonblocking', '-t', '--pid', `${sim.pid}`, '-d', `${seconds}`, '-o', raw],
      { reject: false },
    );
    const plainTruth = await truthOver(options.python, sim.ring, [[from, process.hrtime.bigint()]]);
    const plainRun = await run(['buckets', raw, '--json']);
    const plain = plainRun.exitCode === 0 ? physicsOf(JSON.parse(plainRun.stdout)).buckets : new Map();
    const plainExpected = {
      ...Object.fromEntries(WORK_BUCKETS.map((b) => [b, plainTruth.buckets[b]?.wall ?? 0])),
      pacer: plainTruth.buckets.pacer?.wall ?? 0,
    };

    for (const bucket of [...WORK_BUCKETS, 'pacer']) {
      if (expected[bucket] < 0.001 && (buckets.get(bucket)?.share ?? 0) < 0.001) continue;
      const ours = buckets.get(bucket) ?? { share: 0, low: 0, high: 0, raw: 0 };
      results.push({
        name,
        group,
        round,
        bucket,
        net,
        truth: expected[bucket],
        ...ours,
        error: ours.share - expected[bucket],
        rawError: ours.raw - (wall[bucket] ?? truth.buckets.pacer?.wall),
        covered: ours.low <= expected[bucket] && expected[bucket] <= ours.high,
        plainTruth: plainExpected[bucket],
        plain: plain.get(bucket)?.share ?? 0,
        plainError: (plain.get(bucket)?.share ?? 0) - plainExpected[bucket],
      });
    }
    results.push({
      name,
      group,
      round,
      bucket: 'gil-wait',
      wait: true,
      net,
      truth: gil,
      share: thread.accounting.gilWait ?? Number.NaN,
      error: (thread.accounting.gilWait ?? Number.NaN) - gil,
    });
    results.push({
      name,
      group,
      round,
      bucket: 'cpu-wait',
      wait: true,
      net,
      truth: cpuWait,
      share: cpuWait,
      error: 0,
    });
    results.push({
      name,
      group,
      round,
      bucket: 'on-cpu',
      wait: true,
      net,
      truth: onCpu,
      share: thread.accounting.onCpu,
      error: thread.accounting.onCpu - onCpu,
    });
    const lines = results.filter((r) => r.name === name && r.round === round);
    const findings = json.findings
      .filter((f) => f.level === 'warning')
      .map((f) => f.id)
      .join(' ');
    console.log(
      `\n${name} round ${round + 1}: ${net ? 'net shares' : 'wall shares'}, ${truth.stepsPerS.toFixed(1)} steps/s${findings ? `, findings: ${findings}` : ''}`,
    );
    const widths = [12, 7, 7, 14, 7, 9, 7, 7];
    console.log(row(['bucket', 'truth', 'ours', 'interval', 'error', 'covered', 'plain', 'error'], widths));
    for (const r of lines) {
      console.log(
        row(
          [
            r.bucket,
            pct(r.truth),
            pct(r.share),
            r.wait ? 'exact' : `${pct(r.low)}-${pct(r.high)}`,
            pct(r.error),
            r.wait ? '' : r.covered ? 'yes' : 'NO',
            r.wait ? '' : pct(r.plain),
            r.wait ? '' : pct(r.plainError),
          ],
          widths,
        ),
      );
    }
  }
  await sim.stop();
}

console.log('\nErrors in points over all buckets (waits apart)');
const widths = [12, 8, 7, 7, 7, 9, 13, 10, 10];
console.log(
  row(['group', 'buckets', 'mean', 'p95', 'worst', 'covered', 'of', 'plain mean', 'worst'], widths),
);
for (const group of ['paced', 'spin', 'unpaced', 'contended']) {
  const rows = results.filter((r) => r.group === group && !r.wait);
  if (rows.length === 0) continue;
  const errors = rows.map((r) => Math.abs(r.error)).sort((a, b) => a - b);
  const plain = rows.map((r) => Math.abs(r.plainError)).sort((a, b) => a - b);
  const covered = rows.filter((r) => r.covered).length;
  console.log(
    row(
      [
        group,
        rows.length,
        pct(mean(errors)),
        pct(errors[Math.ceil(0.95 * errors.length) - 1]),
        pct(errors.at(-1)),
        `${pct(covered / rows.length)} %`,
        `${covered}/${rows.length}`,
        pct(mean(plain)),
        pct(plain.at(-1)),
      ],
      widths,
    ),
  );
}
for (const wait of ['gil-wait', 'on-cpu']) {
  // Without a second Python thread the difference is only how late the timer wakes the pacer: not a wait for the GIL.
  const rows = results.filter(
    (r) => r.bucket === wait && (wait !== 'gil-wait' || r.name.startsWith('gil')) && !Number.isNaN(r.error),
  );
  if (rows.length > 0)
    console.log(
      `${wait}: worst error ${pct(Math.max(...rows.map((r) => Math.abs(r.error))))} points over ${rows.length} windows`,
    );
}
if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(results, null, 1));
