import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readCommand } from '../proc/command.js';
import { listIds, PROC } from '../proc/file.js';
import { hasEnded, readStat } from '../proc/stat.js';
import type { ComposePlace, ComposeRun } from './run-compose.js';

const LOOK_MS = 100;

/**
 * Runs one Compose command that changes something, to its end. It works in a process group of its own and writes into a file, so that
 * neither Ctrl-C nor our death stops it half way: a service is whole again when it ends. Never throws.
 */
export async function workCompose(
  argv: readonly string[],
  place: ComposePlace,
  folder: string,
): Promise<ComposeRun> {
  const [program = '', ...args] = argv;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const log = join(folder, 'compose.log');
  const fd = openSync(log, 'w', 0o600);
  // Names the folder to whoever has to wait for this command after our death.
  const env = { ...place.env, [FOLDER_VARIABLE]: folder };
  const child = spawn(program, args, { cwd: place.cwd, env, detached: true, stdio: ['ignore', fd, fd] });
  closeSync(fd);
  const code = await new Promise<number | undefined>((resolve) => {
    child.once('error', () => resolve(undefined));
    child.once('exit', (exitCode) => resolve(exitCode ?? undefined));
  });
  return { code, out: '', err: existsSync(log) ? readFileSync(log, 'utf8') : '' };
}

const FOLDER_VARIABLE = 'SIM_PROFILER_OVERRIDE';

/** Waits for Compose commands about this override that outlived whoever started them. Pids of those that do not end in time. */
export async function untilIdle(
  folder: string,
  timeoutMs: number,
  now: () => number = () => performance.now(),
): Promise<readonly number[]> {
  const end = now() + timeoutMs;
  for (;;) {
    const working = workers(folder);
    if (working.length === 0 || now() > end) return working;
    await delay(LOOK_MS);
  }
}

function workers(folder: string, proc: string = PROC): readonly number[] {
  return listIds(proc).filter((pid) => {
    if (pid === process.pid) return false;
    const stat = readStat(pid, proc);
    if (stat === undefined || hasEnded(stat)) return false;
    return isCompose(readCommand(pid, proc)) && environmentHas(pid, `${FOLDER_VARIABLE}=${folder}`, proc);
  });
}

function isCompose(command: readonly string[]): boolean {
  return command.some((argument) => /(?:^|\/)docker(?:-compose)?$/.test(argument));
}

function environmentHas(pid: number, setting: string, proc: string): boolean {
  try {
    return readFileSync(join(proc, String(pid), 'environ'), 'utf8')
      .split('\0')
      .includes(setting);
  } catch {
    return false;
  }
}
