import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { readTcp, socketInodes } from '../../src/target/node/listening.js';
import { ROOT } from './demo-simulation.js';

/** Rules for the functions of truth_loop.mjs. */
export const NODE_PACK = join(ROOT, 'test/targets/truth-loop-node.yaml');

export interface NodeTarget {
  readonly pid: number;
  /** A folder of its own, which goes with it. */
  readonly folder: string;
  /** All that it said on its standard output so far. */
  readonly said: () => string;
  /** How it ended: its exit code, or a signal. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | string>;
  readonly remove: () => void;
}

/** One of the programs of test/targets under Node, once it says that it is ready. `{folder}` in an argument is its folder. */
export async function startNode(
  name: string,
  args: readonly string[] = [],
  options: { readonly node?: readonly string[]; readonly before?: readonly string[] } = {},
): Promise<NodeTarget> {
  const folder = mkdtempSync(join(tmpdir(), 'profiler-node-'));
  const [file = '', ...rest] = [
    ...(options.before ?? []),
    process.execPath,
    ...(options.node ?? []),
    join(ROOT, 'test/targets', name),
    ...args.map((arg) => arg.replace('{folder}', folder)),
  ];
  const child = spawn(file, rest, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'] },
  });
  let said = '';
  const ended = once(child, 'exit').then(([code, signal]) => String(signal ?? code));
  const lines = createInterface({ input: child.stdout });
  await new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      said += `${line}\n`;
      if (line === 'ready') resolve();
    });
  });
  return {
    pid: child.pid ?? 0,
    folder,
    said: () => said,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Ports at which a process listens. */
export function portsOf(pid: number): readonly number[] {
  const own = socketInodes(pid);
  return readTcp(pid)
    .filter(({ state, inode }) => state === 'listening' && own?.has(inode) === true)
    .map(({ port }) => port);
}

/** Threads of a process by name: V8's sampling thread is one while it samples. */
export function statusOf(pid: number): string {
  return readFileSync(`/proc/${pid}/status`, 'utf8');
}
