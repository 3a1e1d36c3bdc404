// Start-up, folding and the way from the last sample to the answer. Prints ratios against a peer of the same run.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT, median, profiler, startSimulation } from './demo-simulation.mjs';

const { values: options } = parseArgs({
  options: {
    python: { type: 'string' },
    'py-spy': { type: 'string' },
    work: { type: 'string' },
    rounds: { type: 'string', default: '9' },
    megabytes: { type: 'string', default: '50' },
  },
});
const rounds = Number(options.rounds);
const bin = join(ROOT, 'dist/cli/bin.js');
mkdirSync(options.work, { recursive: true });

/** Wall milliseconds of one run of an argument list. */
function time(argv, input) {
  const from = process.hrtime.bigint();
  const result = spawnSync(argv[0], argv.slice(1), {
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 28,
    input,
  });
  const ms = Number(process.hrtime.bigint() - from) / 1e6;
  if (result.status !== 0) throw new Error(`${argv.join(' ')} ended with ${result.status}: ${result.stderr}`);
  return { ms, stdout: result.stdout.toString() };
}

/** Two commands in turn, A B A B: the median of each and of the ratio pair by pair. */
function compare(title, ours, peer, count) {
  time(ours);
  time(peer);
  const a = [];
  const b = [];
  for (let i = 0; i < count; i++) {
    a.push(time(ours).ms);
    b.push(time(peer).ms);
  }
  const ratio = median(a.map((ms, i) => ms / b[i]));
  console.log(
    `${title}: ${median(a).toFixed(0)} ms against ${median(b).toFixed(0)} ms, ratio ${ratio.toFixed(2)} (1/ratio ${(1 / ratio).toFixed(2)})`,
  );
}

compare(
  'profiler --version against node -e 0',
  [process.execPath, bin, '--version'],
  [process.execPath, '-e', '0'],
  rounds,
);
compare(
  'profiler --help against node -e 0',
  [process.execPath, bin, '--help'],
  [process.execPath, '-e', '0'],
  rounds,
);

const folded = join(options.work, `generated-${options.megabytes}.folded`);
if (!existsSync(folded)) {
  const made = spawnSync(
    process.execPath,
    [join(ROOT, 'scripts/generate-folded.mjs'), options.megabytes, folded, '1'],
    { stdio: 'inherit' },
  );
  if (made.status !== 0) throw new Error('could not generate the folded file');
}
console.log(`${(statSync(folded).size / 1e6).toFixed(1)} MB of folded text`);
const oneLiner = `awk '{c=$NF; $NF=""; print c"\\t"$0}' "$1" | sort -rn | head -25`;
compare(
  'hot --top 25 against awk | sort | head',
  [process.execPath, bin, 'hot', folded, '--top', '25'],
  ['bash', '-c', oneLiner, 'bench', folded],
  Math.min(rounds, 5),
);
const peak = spawnSync(
  process.execPath,
  [
    '--import',
    `data:text/javascript,process.on('exit',()=>process.stderr.write('\\n'+process.resourceUsage().maxRSS))`,
    bin,
    'hot',
    folded,
  ],
  { maxBuffer: 1 << 28 },
);
console.log(
  `hot peak memory: ${(Number(peak.stderr.toString().trim().split('\n').at(-1)) / 1024).toFixed(0)} MB`,
);

const sim = await startSimulation({
  python: options.python,
  work: options.work,
  name: 'answer',
  flags: ['--pacing', 'realtime', '--hz', '500', '--busy', '0.4'],
});
try {
  const lags = [];
  for (let i = 0; i < 3; i++) {
    const folder = join(options.work, 'answer');
    rmSync(folder, { recursive: true, force: true });
    const attach = await profiler(
      ['attach', '--pid', `${sim.pid}`, '-d', '6', '--no-baseline', '-o', folder],
      { cwd: options.work, pyspy: options['py-spy'] },
    );
    const now = process.hrtime.bigint();
    if (attach.exitCode !== 0) throw new Error(`attach failed: ${attach.stderr}`);
    const { slices } = JSON.parse(readFileSync(join(folder, 'recording.json'), 'utf8'));
    lags.push(Number(now - BigInt(slices.at(-1).endNs)) / 1e6);
  }
  console.log(
    `from the end of the last window to the printed answer and exit: ${lags.map((ms) => ms.toFixed(0)).join(', ')} ms`,
  );
} finally {
  await sim.stop();
}
