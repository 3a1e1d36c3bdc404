import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { vi } from 'vitest';
import { type Started, start } from '../target/pythons.js';
import { PYSPY } from './demo-simulation.js';
import {
  IS_ROOT,
  type NOBODY,
  type ReadableCopy,
  SYSTEM_PYTHON,
  isThere,
  runsAsNobody,
} from './readable-copy.js';

export const HAS_PYSPY = existsSync(PYSPY);
export const HAS_PYTHON = existsSync(SYSTEM_PYTHON);
export const NO_PYSPY = 'no .cache/sim-venv: run scripts/test';
export const NO_PYTHON = `no ${SYSTEM_PYTHON}`;
export const AS_NOBODY =
  HAS_PYTHON &&
  (await runsAsNobody(process.execPath, ['--version'])) &&
  (await runsAsNobody(SYSTEM_PYTHON, ['--version']));
export const NO_NOBODY = `needs root, and node and ${SYSTEM_PYTHON} where another user can run them`;
/** Whether something can be mounted here: tried in a mount namespace that ends with the trial. */
export const canMount = async (...mount: readonly string[]): Promise<boolean> =>
  IS_ROOT && isThere('unshare', ['-m', 'mount', ...mount]);
const YAMA = '/proc/sys/kernel/yama/ptrace_scope';
/** 0 where Yama is not in force. */
export const YAMA_LEVEL = existsSync(YAMA) ? Number(readFileSync(YAMA, 'utf8')) : 0;
export const ATTACH = ['attach', '-d', '1', '--no-baseline', '--pid'] as const;

type User = typeof NOBODY | undefined;

/** Processes to attach to, all ended by `stop`. */
export interface LiveTargets {
  /** One of the programs beside this file, under the system's Python, once it is ready. */
  readonly python: (name: string, user?: User) => Promise<Started>;
  /** Any program; gives its pid. */
  readonly other: (file: string, args: readonly string[]) => number;
  /** A paced loop without MuJoCo, once it steps; gives its pid. */
  readonly loop: (user?: User) => Promise<number>;
  readonly stop: () => Promise<void>;
}

export function liveTargets(copy: () => ReadableCopy): LiveTargets {
  const running: { stop: () => Promise<void> }[] = [];
  const other = (file: string, args: readonly string[], user?: User): number => {
    const child = execa(file, args, { ...user, cwd: '/', reject: false, stdio: 'ignore' });
    running.push({
      stop: async () => {
        child.kill('SIGKILL');
        await child;
      },
    });
    return child.pid ?? -1;
  };
  return {
    other,
    python: async (name, user) => {
      const started = await start(SYSTEM_PYTHON, [copy().program(name)], {
        ...user,
        env: { HOME: copy().scratch(), VIRTUAL_ENV: '', CONDA_PREFIX: '' },
      });
      running.push(started);
      return started;
    },
    loop: async (user) => {
      const ready = join(copy().scratch(), 'ready');
      const program = join(copy().folder, 'compose/sim/plain_loop.py');
      const flags = ['--hz', '200', '--busy', '0.3', '--no-truth', '--ready-file', ready];
      const pid = other(SYSTEM_PYTHON, [program, ...flags], user);
      await vi.waitUntil(() => existsSync(ready) && readFileSync(ready, 'utf8').trim() !== '', 60_000);
      return pid;
    },
    stop: async () => {
      for (const one of running.splice(0)) await one.stop();
    },
  };
}
