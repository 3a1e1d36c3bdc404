import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll } from 'vitest';
import type { CaptureRequest } from '../../src/capture/index.js';
import type { RatedRequest } from '../../src/capture/request.js';
import {
  findPySpy,
  findTarget,
  openJournal,
  probeRealtime,
  type Route,
  type Target,
} from '../../src/target/index.js';
import { direct, localRoute } from '../../src/target/routes/direct.js';

/** A program under `targets/`. */
export function path(name: string): string {
  return fileURLToPath(new URL(`targets/${name}`, import.meta.url));
}

/** The compiled state sampler: a process of its own cannot be TypeScript. */
export function stateSampler(): string {
  const file = fileURLToPath(new URL('../../dist/capture/state-sampler/main.js', import.meta.url));
  if (!existsSync(file)) throw new Error(`${file} is missing: run "npm run build" first`);
  return file;
}

export const pyspy = await findPySpy({ env: process.env }).catch(() => undefined);
export const realtime = await probeRealtime();
export const NO_PYSPY = 'py-spy is not installed (profiler tools install py-spy)';

export interface Live {
  readonly pid: number;
  /** Writes a line to its standard input. */
  readonly tell: () => void;
  readonly stop: () => Promise<void>;
}

/** Starts a Python program under `targets/` and waits for its line `ready`. */
export async function start(name: string, python = 'python3'): Promise<Live> {
  const child = execa(python, [path(name)], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
    reject: false,
  });
  const reader = createInterface({ input: child.stdout });
  await new Promise<void>((resolve, reject) => {
    reader.on('line', (line) => line === 'ready' && resolve());
    reader.on('close', () => reject(new Error(`${name} ended before it was ready`)));
  });
  return {
    pid: child.pid ?? 0,
    tell: () => child.stdin.write('\n'),
    stop: async () => {
      child.kill('SIGKILL');
      await child;
    },
  };
}

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A new folder that goes with the test file. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'capture-'));
  folders.push(folder);
  return folder;
}

/** The way to a process of this machine, as the command line takes it. */
function directRoute(
  target: Target,
  { sampler, native, realtime: granted }: Pick<CaptureRequest, 'sampler' | 'native' | 'realtime'>,
): Route {
  const journal = openJournal({ XDG_STATE_HOME: emptyFolder() }, new Date().toISOString());
  const priority = granted.allowed ? granted.argv : [];
  return localRoute(direct, { target, pyspy: sampler, native, journal, priority }, []);
}

export function requestFor(pid: number, wishes: Partial<CaptureRequest> = {}): RatedRequest {
  const target = wishes.target ?? findTarget({ pid, selfPid: process.pid });
  const binary = wishes.sampler ?? { path: pyspy?.path ?? 'py-spy', version: pyspy?.version ?? '0' };
  const chosen = { sampler: binary, native: wishes.native ?? false, realtime: wishes.realtime ?? realtime };
  return {
    target,
    sampler: binary,
    route: directRoute(target, chosen),
    realtime,
    durationS: 2,
    rateHz: 250,
    sliceS: 1,
    native: false,
    baselineS: 0,
    folder: emptyFolder(),
    ...wishes,
  };
}

/** Living processes whose command line contains `text`. */
export function processesNaming(text: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Living CPU followers of a target. */
export function followersOf(pid: number): readonly number[] {
  return processesNaming(`/capture/cpu_follower.py\0${pid}\0`);
}

/** CPUs that the kernel lets each thread of a process run on, such as `0-1`; empty for one that is gone. */
export function allowedCpus(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(
      (tid) =>
        /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync(`/proc/${pid}/task/${tid}/status`, 'utf8'))?.[1] ??
        '',
    );
  } catch {
    return [];
  }
}

export function processState(pid: number): string | undefined {
  try {
    return /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

/** Whether real-time priority is granted here. */
export function mayRealtime(): boolean {
  try {
    execFileSync('chrt', ['-f', '50', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
