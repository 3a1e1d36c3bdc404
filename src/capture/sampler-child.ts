import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/** A running sampler that is talked to, wherever it runs. Neither rejects nor throws. */
export interface SamplerChild {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Its number on this machine; undefined where it is not shown here, or did not start. */
  readonly pid: Promise<number | undefined>;
  /** Exit code, else the signal or the error that ended it; once both outputs have ended. */
  readonly exit: Promise<number | string>;
  readonly kill: () => void;
}

/** A process of this machine. */
export function spawnSampler([file = '', ...args]: readonly string[]): SamplerChild {
  // Not execa: its standard input stays open for commands, and its end is the sampler's end.
  const child = spawn(file, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    // Options meant for the user's own programs, such as a debugger's port.
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  let ended = false;
  const exit = new Promise<number | string>((resolve) => {
    let error: string | undefined;
    child.on('error', (cause: NodeJS.ErrnoException) => {
      error ??= cause.code ?? 'unknown';
      // What cannot be started closes nothing.
      if (child.pid === undefined) {
        ended = true;
        resolve(error);
      }
    });
    child.on('close', (code, signal) => {
      ended = true;
      resolve(error ?? signal ?? code ?? 'unknown');
    });
  });
  const { stdin, stdout, stderr } = child;
  return {
    stdin,
    stdout,
    stderr,
    pid: Promise.resolve(child.pid),
    exit,
    kill: () => {
      if (!ended) child.kill('SIGKILL');
    },
  };
}
