// Wall time and peak memory of commands, each beside a peer of the same run.
import { spawnSync } from 'node:child_process';
import { median } from './demo-simulation.mjs';

/** Wall milliseconds of one run of an argument list. */
export function time(argv, env = process.env) {
  const from = process.hrtime.bigint();
  const result = spawnSync(argv[0], argv.slice(1), {
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 28,
    env,
  });
  const ms = Number(process.hrtime.bigint() - from) / 1e6;
  if (result.status !== 0) throw new Error(`${argv.join(' ')} ended with ${result.status}: ${result.stderr}`);
  return { ms, stdout: result.stdout.toString() };
}

/** Two commands in turn, A B A B: the median of each and of the ratio pair by pair. */
export function compare(title, ours, peer, count, peerEnv) {
  time(ours);
  time(peer, peerEnv);
  const a = [];
  const b = [];
  for (let i = 0; i < count; i++) {
    a.push(time(ours).ms);
    b.push(time(peer, peerEnv).ms);
  }
  const ratio = median(a.map((ms, i) => ms / b[i]));
  console.log(
    `${title}: ${median(a).toFixed(0)} ms against ${median(b).toFixed(0)} ms, ratio ${ratio.toFixed(2)} (1/ratio ${(1 / ratio).toFixed(2)})`,
  );
}

/** Peak memory of one run of the command line, in MB. */
export function peakMb(args) {
  const tell = `data:text/javascript,process.on('exit',()=>process.stderr.write('\\n'+process.resourceUsage().maxRSS))`;
  const { stderr } = spawnSync(process.execPath, ['--import', tell, ...args], { maxBuffer: 1 << 28 });
  return Number(stderr.toString().trim().split('\n').at(-1)) / 1024;
}

/** The generated file of that kind, made where it is missing. */
