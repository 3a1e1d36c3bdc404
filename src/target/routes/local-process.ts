import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { Readable } from 'node:stream';
import type { Journal } from '../journal/journal.js';
import { childrenOf } from '../proc/children.js';
import { samplerEnvironment } from './sampler-environment.js';
import { notStarted } from './not-started.js';
import type { RoutedProcess } from './route.js';
import { journalProcess, lifeOf, stopLife, type Life } from './running.js';

export interface LocalStart {
  /** Real-time priority goes in front. */
  readonly argv: readonly string[];
  /** Open files that it gets as 3, 4, and so on. */
  readonly files?: readonly number[];
  /** The program is a child of what is started: `nsenter` forks, and a signal to itself would not reach it. */
  readonly forks: boolean;
  /** Environment in place of ours, for a program that others may look into. */
  readonly env?: Readonly<Record<string, string>>;
}

const LOOK_MS = 2;

/** Starts a program of this machine, and writes it down for as long as it runs. Never throws. */
export function startLocal(start: LocalStart, journal: Journal): RoutedProcess {
  try {
    return spawned(start, journal);
  } catch (error) {
    return notStarted(error);
  }
}

function spawned(start: LocalStart, journal: Journal): RoutedProcess {
  const [file = '', ...args] = start.argv;
  // Not execa: it hands no open file over beyond the first three.
  const child = spawn(file, args, {
    stdio: ['ignore', 'pipe', 'pipe', ...(start.files ?? [])],
    env: { ...(start.env ?? process.env), ...samplerEnvironment() },
  });
  const stdout = child.stdout ?? Readable.from([]);
  const stderr = child.stderr ?? Readable.from([]);
  const state = { ended: false };
  let life: Life | undefined;
  let pending: 'SIGINT' | 'SIGKILL' | undefined;
  let forget: (() => void) | undefined;

  const send = (signal: 'SIGINT' | 'SIGKILL'): void => {
    if (state.ended) return;
    if (life === undefined) pending = pending === 'SIGKILL' ? pending : signal;
    else void stopLife(life, signal);
  };
  const found = (pid: number | undefined): number | undefined => {
    life = pid === undefined || state.ended ? undefined : lifeOf(pid);
    if (life === undefined) return pid;
    forget = journalProcess(journal, life);
    if (pending !== undefined) void stopLife(life, pending);
    return pid;
  };
  const end = (): void => {
    state.ended = true;
    forget?.();
  };
  const exit = new Promise<number | string>((resolve) => {
    let error: string | undefined;
    child.on('error', (cause: NodeJS.ErrnoException) => {
      error ??= cause.code ?? 'unknown';
    });
    // What forks may die before its child, which then still has both streams.
    if (!start.forks) child.on('exit', end);
    // The last event of all, also where it could not be started.
    child.on('close', (code, signal) => {
      end();
      resolve(error ?? signal ?? code ?? 'unknown');
    });
  });
  const findChild = async (parent: number): Promise<number | undefined> => {
    while (!state.ended) {
      const pid = childrenOf(parent)[0];
      if (pid !== undefined) return found(pid);
      await delay(LOOK_MS);
    }
    return undefined;
  };
  const pid =
    start.forks && child.pid !== undefined ? findChild(child.pid) : Promise.resolve(found(child.pid));
  return {
    stdout,
    stderr,
    pid,
    exit,
    interrupt: () => send('SIGINT'),
    kill: () => send('SIGKILL'),
  };
}
