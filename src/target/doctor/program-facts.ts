import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { type Finding, ProfilerError } from '../../model/index.js';
import { askProgram } from '../tools/ask-program.js';
import { findZeroX } from '../tools/find-0x.js';
import { findPySpy, type PySpy } from '../tools/find-pyspy.js';
import type { Environment } from '../tools/folder.js';
import type { Target } from '../target.js';

/** A program that was asked for its version: what it said, or why nothing came of it. */
export type ProgramFacts =
  | { readonly found: true; readonly version: string }
  | { readonly found: false; readonly because: 'missing' | 'broken'; readonly said?: string };

export type PySpyFacts =
  | { readonly found: true; readonly pyspy: PySpy; readonly sha256: string; readonly isStatic: boolean }
  | { readonly found: false; readonly finding: Finding };

/** What runs beside us. Compose v2 is a plugin of the docker command, v1 a program of its own. */
export interface ProgramsFacts {
  readonly pyspy: PySpyFacts;
  readonly perf: ProgramFacts;
  readonly python3: ProgramFacts;
  /** Our own Node, that of PATH, which programs are started with. */
  readonly node: ProgramFacts;
  readonly zeroX: ProgramFacts;
  readonly bpftrace: ProgramFacts;
  readonly nsys: ProgramFacts;
  readonly browser: ProgramFacts;
  readonly docker: ProgramFacts;
  readonly composeV2: ProgramFacts;
  readonly composeV1: ProgramFacts;
}

/** Asks each program; never throws. */
export async function readProgramFacts(env: Environment, target?: Target): Promise<ProgramsFacts> {
  const ask = (argv: readonly [string, ...string[]], version: RegExp): Promise<ProgramFacts> =>
    askVersion(argv, version, env);
  const [pyspy, perf, python3, node, zeroX, bpftrace, nsys, browser, docker, composeV2, composeV1] =
    await Promise.all([
      pyspyFacts(env, target),
      ask(['perf', '--version'], /^perf version (\S+)/m),
      ask(['python3', '-I', '-S', '-c', 'import sys; print(sys.version.split()[0])'], /^(\d\S*)/m),
      ask(['node', '--version'], /^v(\d\S*)/m),
      zeroXFacts(env),
      ask(['bpftrace', '--version'], /^bpftrace v?(\S+)/m),
      ask(['nsys', '--version'], /version (\S+)/),
      browserFacts(env),
      ask(['docker', '--version'], /version ([^\s,]+)/),
      ask(['docker', 'compose', 'version', '--short'], /^v?(\S+)/m),
      ask(['docker-compose', 'version', '--short'], /^v?(\d\S*)/m),
    ]);
  return { pyspy, perf, python3, node, zeroX, bpftrace, nsys, browser, docker, composeV2, composeV1 };
}

async function zeroXFacts(env: Environment): Promise<ProgramFacts> {
  try {
    return { found: true, version: (await findZeroX(env)).version };
  } catch (error) {
    if (!(error instanceof ProfilerError)) throw error;
    return (env['PROFILER_0X'] ?? '') === ''
      ? { found: false, because: 'missing' }
      : { found: false, because: 'broken', said: error.finding.what };
  }
}

/** What opens a page, in this order; each is asked only where those before it are missing. */
const BROWSERS = ['firefox', 'chromium', 'chromium-browser', 'google-chrome', 'microsoft-edge'] as const;

async function browserFacts(env: Environment): Promise<ProgramFacts> {
  let broken: ProgramFacts | undefined;
  for (const browser of BROWSERS) {
    const found = await askVersion([browser, '--version'], /^(\S.*\d)/m, env);
    if (found.found) return found;
    if (found.because === 'broken') broken ??= found;
  }
  return broken ?? { found: false, because: 'missing' };
}

const LONGEST_VERSION = 60;
const LONGEST_SAID = 200;

/** Runs a program for its version. `version` has it as first group. */
export async function askVersion(
  [program, ...args]: readonly [string, ...string[]],
  version: RegExp,
  env: Environment,
): Promise<ProgramFacts> {
  const run = await askProgram(program, args, env);
  if (run.code === 'ENOENT') return { found: false, because: 'missing' };
  const told = run.exitCode === 0 ? version.exec(run.stdout)?.[1] : undefined;
  if (told !== undefined) return { found: true, version: told.slice(0, LONGEST_VERSION) };
  if (run.timedOut) return { found: false, because: 'broken', said: 'no answer within 10 s' };
  const [line = ''] = (run.stderr || run.stdout || run.shortMessage || '').trim().split('\n');
  const said = line.slice(0, LONGEST_SAID);
  return { found: false, because: 'broken', ...(said === '' ? {} : { said }) };
}

async function pyspyFacts(env: Environment, target: Target | undefined): Promise<PySpyFacts> {
  try {
    const pyspy = await findPySpy({ env, ...(target === undefined ? {} : { target }) });
    const sha256 = createHash('sha256').update(readFileSync(pyspy.path)).digest('hex');
    return { found: true, pyspy, sha256, isStatic: isStaticElf(pyspy.path) };
  } catch (error) {
    if (error instanceof ProfilerError) return { found: false, finding: error.finding };
    const what = error instanceof Error ? error.message : String(error);
    return {
      found: false,
      finding: { level: 'blocker', id: 'py-spy-broken', what, why: '', fix: 'profiler tools install py-spy' },
    };
  }
}

const HEADER_BYTES = 64;
const SEGMENT_BYTES = 56;
const PT_INTERP = 3;

/** Whether a program needs no loader and no library, so that it runs in any container: 64 bit ELF without PT_INTERP. */
export function isStaticElf(path: string): boolean {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return false;
  }
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    if (readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return false;
    if (header.toString('latin1', 0, 4) !== '\x7fELF' || header[4] !== 2) return false;
    const count = header.readUInt16LE(56);
    const segments = Buffer.alloc(count * SEGMENT_BYTES);
    if (readSync(file, segments, 0, segments.length, Number(header.readBigUInt64LE(32))) < segments.length)
      return false;
    for (let index = 0; index < count; index += 1)
      if (segments.readUInt32LE(index * SEGMENT_BYTES) === PT_INTERP) return false;
    return true;
  } catch {
    return false;
  } finally {
    closeSync(file);
  }
}
