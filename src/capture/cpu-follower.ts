/**
 * Keeps the sampler on the CPU of the physics thread. A thread whose CPU is taken stands still while its stack is read, so the stack
 * comes out whole; read from another CPU, the frames of short calls are gone before they are read (measured on an unpaced loop of
 * 3900 steps a second: 14 to 26 % of the samples lost, 0.4 % with this). The target itself is never pinned.
 *
 * Node cannot set an affinity, Python can: the program is the machine's own python3. Without it the sampler is scheduled freely.
 */
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

/** The program, beside this file. */
const FOLLOWER = fileURLToPath(new URL('./cpu_follower.py', import.meta.url));

/** Ending takes it milliseconds; whatever else `python3` may be must not keep us. */
const PATIENCE_MS = 2000;

/** `priority` goes in front, as for the sampler. */
export function cpuFollowerArgv(priority: readonly string[], targetPid: number): readonly string[] {
  return [...priority, 'python3', '-I', '-S', FOLLOWER, String(targetPid)];
}

export interface CpuFollower {
  /** Keeps process `samplerPid` on the CPU of thread `tid` from now on. */
  readonly follow: (tid: number, samplerPid: number) => void;
  readonly rest: () => void;
  /** Ends it and waits for its end. */
  readonly stop: () => Promise<void>;
}

/** Starts the follower; one that cannot run is no reason to fail. It ends with this process, since its input does. */
export function startCpuFollower(argv: readonly string[]): CpuFollower {
  const [file = '', ...args] = argv;
  const child = execa(file, args, { stdin: 'pipe', stdout: 'ignore', stderr: 'ignore', reject: false });
  // An ended follower closes the pipe.
  child.stdin.on('error', () => undefined);
  const tell = (line: string): void => {
    if (child.stdin.writable) child.stdin.write(`${line}\n`);
  };
  return {
    follow: (tid, samplerPid) => tell(`${tid} ${samplerPid}`),
    rest: () => tell('0 0'),
    stop: async () => {
      child.stdin.end();
      const impatient = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
      await child;
      clearTimeout(impatient);
    },
  };
}
