// Start-up, folding and the way from the last sample to the answer. Prints ratios against a peer of the same run.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT, profiler, startSimulation } from './demo-simulation.mjs';
import { compare, peakMb } from './timed.mjs';

const { values: options } = parseArgs({
  options: {
    python: { type: 'string' },
    'py-spy': { type: 'string' },
    work: { type: 'string' },
    rounds: { type: 'string', default: '9' },
    megabytes: { type: 'string', default: '50' },
    // Folder with a compiled en_US.UTF-8.
    locales: { type: 'string' },
    // Another build of the command line, to measure one against the other.
    bin: { type: 'string', default: join(ROOT, 'dist/cli/bin.js') },
  },
});
const rounds = Number(options.rounds);
const { bin } = options;
mkdirSync(options.work, { recursive: true });

function generated(name, flags) {
  const file = join(options.work, `${name}-${options.megabytes}.folded`);
  if (!existsSync(file)) {
    const argv = [join(ROOT, 'scripts/generate-folded.mjs'), options.megabytes, file, '1', ...flags];
    if (spawnSync(process.execPath, argv, { stdio: 'inherit' }).status !== 0)
      throw new Error(`could not generate ${file}`);
  }
  return file;
}

const NODE = [process.execPath, '-e', '0'];
const small = join(options.work, 'small.folded');
writeFileSync(
  small,
  'thread (1): MainThread;main (a.py:1);step (a.py:2) 3\nthread (1): MainThread;main (a.py:1) 1\n',
);
compare('profiler --version against node -e 0', [process.execPath, bin, '--version'], NODE, rounds);
compare('profiler --help against node -e 0', [process.execPath, bin, '--help'], NODE, rounds);
compare('hot of two lines against node -e 0', [process.execPath, bin, 'hot', small], NODE, rounds);
console.log(`peak memory: node -e 0 ${peakMb(['-e', '0']).toFixed(0)} MB`);
console.log(`peak memory: profiler --version ${peakMb([bin, '--version']).toFixed(0)} MB`);
console.log(`peak memory: hot of two lines ${peakMb([bin, 'hot', small]).toFixed(0)} MB`);

// Does what hot does, as one would without it: merges equal stacks and shows the 25 heaviest.
const SHELL = `sort "$1" | awk '{c=$NF; $NF=""; if ($0==p) s+=c; else {if (p!="") print s"\\t"p; p=$0; s=c}} END {print s"\\t"p}' | sort -rn | head -25`;
// `sort` compares bytes in the C locale and by the rules of the language in any other but C.UTF-8, which takes it ten times as long. A
// container has C, a desktop en_US.UTF-8 or the like: which one it was belongs to the ratio.
const LOCALES = [
  ['C', { ...process.env, LC_ALL: 'C' }],
  ['C.UTF-8', { ...process.env, LC_ALL: 'C.UTF-8' }],
  ...(options.locales === undefined
    ? []
    : [['en_US.UTF-8', { ...process.env, LC_ALL: 'en_US.UTF-8', LOCPATH: options.locales }]]),
];
for (const [what, file] of [
  ['slices of one program', generated('slices', [])],
  ['all lines different, the worst case', generated('distinct', ['--all-distinct'])],
]) {
  for (const [locale, env] of LOCALES) {
    compare(
      `hot --top 25 of ${(statSync(file).size / 1e6).toFixed(0)} MB (${what}) against sort | awk | sort | head in ${locale}`,
      [process.execPath, bin, 'hot', file, '--top', '25'],
      ['bash', '-c', SHELL, 'bench', file],
      Math.max(5, Math.min(rounds, 9)),
      env,
    );
  }
  console.log(`peak memory: hot of it ${peakMb([bin, 'hot', file, '--top', '25']).toFixed(0)} MB`);
}

if (options.python === undefined) {
  console.log('no --python: the way from the last sample to the answer is left out');
  process.exit(0);
}
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
