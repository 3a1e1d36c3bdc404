import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { PYSPY, ROOT } from './demo-simulation.js';

export const NOBODY = { uid: 65_534, gid: 65_534 } as const;
export const IS_ROOT = process.geteuid?.() === 0;
/** Debian's own: the ones under a home folder cannot be run by another user. */
export const SYSTEM_PYTHON = '/usr/bin/python3';
const PROGRAMS = fileURLToPath(new URL('programs', import.meta.url));

/** What a run ended with. */
export interface Run {
  readonly code: number | undefined;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly user?: typeof NOBODY;
  /** Goes in front of the command line. */
  readonly through?: readonly string[];
  /** Undefined leaves a variable out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A copy of the compiled command that any user can read and run, wherever this checkout lies. */
export interface ReadableCopy {
  readonly folder: string;
  readonly bin: string;
  readonly pyspy: string;
  /** Path of one of the programs beside this file. */
  readonly program: (name: string) => string;
  /** A new folder inside, that everyone may write to. */
  readonly scratch: () => string;
  readonly run: (args: readonly string[], options?: RunOptions) => Promise<Run>;
}

function sharedFolder(prefix: string): string {
  const folder = mkdtempSync(prefix);
  chmodSync(folder, 0o777);
  return folder;
}

/** Copies the build, what it needs at run time, and the programs to profile. */
export async function readableCopy(): Promise<ReadableCopy> {
  const folder = sharedFolder(join(tmpdir(), 'profiler-copy-'));
  const { stdout } = await execa('npm', ['ls', '--omit=dev', '--all', '--parseable'], {
    cwd: ROOT,
    reject: false,
  });
  const needed = stdout.split('\n').map((path) => relative(ROOT, path));
  for (const path of ['dist', 'package.json', 'compose/sim', ...needed.filter((one) => one !== '')]) {
    if (existsSync(join(ROOT, path))) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
  cpSync(PROGRAMS, join(folder, 'programs'), { recursive: true });
  const pyspy = join(folder, 'py-spy');
  if (existsSync(PYSPY)) copyFileSync(PYSPY, pyspy);
  await execa('chmod', ['-R', 'a+rX', folder]);
  const home = join(folder, 'home');
  mkdirSync(home);
  const bin = join(folder, 'dist/cli/bin.js');
  if (!existsSync(bin)) throw new Error(`${ROOT} has no build: run npm run build first`);
  return {
    folder,
    bin,
    pyspy,
    program: (name) => join(folder, 'programs', name),
    scratch: () => sharedFolder(join(folder, 'scratch-')),
    run: async (args, { cwd = home, user, through = [], env = {} } = {}) => {
      const [program = process.execPath, ...rest] = [...through, process.execPath, bin, ...args];
      const run = await execa(program, rest, {
        cwd,
        ...user,
        env: { PATH: process.env['PATH'], HOME: home, PROFILER_PY_SPY: pyspy, ...env },
        extendEnv: false,
        reject: false,
        stdin: 'ignore',
      });
      return { code: run.exitCode, out: run.stdout ?? '', err: run.stderr };
    },
  };
}

/** Whether a command runs as another user: neither it nor a folder above it is closed to others. */
export async function runsAsNobody(file: string, args: readonly string[]): Promise<boolean> {
  if (!IS_ROOT) return false;
  return (await execa(file, args, { ...NOBODY, cwd: '/', reject: false })).exitCode === 0;
}

export async function isThere(command: string, args: readonly string[]): Promise<boolean> {
  return (await execa(command, args, { reject: false })).exitCode === 0;
}

export interface ErrorText {
  readonly what: string;
  readonly why: string;
  readonly fix: string;
}

/**
 * The three lines of an error, and nothing else on standard error but the line that says that sampling began.
 * Throws for anything else, such as a stack trace.
 */
export function errorOf(run: Run): ErrorText & { readonly code: number | undefined; readonly out: string } {
  const lines = run.err.split('\n').filter((line) => !line.startsWith('Sampling process '));
  const [what = '', why = '', fix = '', ...more] = lines;
  if (!/^profiler: \S/.test(what) || !/^ {2}\S/.test(why) || !/^ {2}-> \S/.test(fix) || more.length > 0)
    throw new Error(`not an error of three lines (exit ${run.code}):\n${run.err}\n${run.out}`);
  return { code: run.code, out: run.out, what: what.slice(10), why: why.slice(2), fix: fix.slice(5) };
}
