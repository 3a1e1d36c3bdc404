import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

export interface Python {
  /** `3.11.7`, as it says itself. */
  readonly version: string;
  readonly path: string;
}

const SUPPORTED = /^3\.(?:8|9|1[0-3])\./;

/** Every CPython 3.8 to 3.13 under pyenv, and the system's own. */
export function findPythons(): Python[] {
  const paths = ['/usr/bin/python3'];
  try {
    const root = execFileSync('pyenv', ['root'], { encoding: 'utf8' }).trim();
    for (const name of readdirSync(join(root, 'versions')).sort())
      paths.push(join(root, 'versions', name, 'bin', 'python3'));
  } catch {
    // No pyenv: the system's own is enough.
  }
  return paths.filter(existsSync).flatMap((path) => {
    const version = execFileSync(path, ['-c', 'import sys; print(sys.version.split()[0])'], {
      encoding: 'utf8',
    }).trim();
    return SUPPORTED.test(version) ? [{ version, path }] : [];
  });
}

export function program(name: string): string {
  return fileURLToPath(new URL(`../targets/${name}`, import.meta.url));
}

/** Facts that `contended.py` prints about itself. */
export interface OwnFacts {
  readonly pid: number;
  readonly version: string;
  readonly freeThreaded: boolean;
  readonly runtime?: string;
  readonly threads: readonly { readonly ident: string; readonly tid: number; readonly name: string }[];
}

export interface Started {
  readonly pid: number;
  readonly lines: readonly string[];
  /** Closes its standard input, which ends it, and waits for the end. */
  stop(): Promise<void>;
}

/** Starts a program and waits for the line `ready`. */
export async function start(
  file: string,
  args: readonly string[],
  options: {
    readonly cwd?: string;
    readonly uid?: number;
    readonly gid?: number;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<Started> {
  const child = execa(file, args, {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
    reject: false,
    ...options,
  });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  await new Promise<void>((resolve, reject) => {
    reader.on('line', (line) => (line === 'ready' ? resolve() : lines.push(line)));
    reader.on('close', () => reject(new Error(`${file} ended before it was ready`)));
  });
  return {
    pid: child.pid ?? 0,
    lines,
    async stop() {
      child.stdin?.end();
      await child;
    },
  };
}
