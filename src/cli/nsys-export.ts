import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ProfilerError, errorReason, shellLine } from '../model/index.js';
import { nsysExport } from '../simulator/index.js';
import { findProgram } from '../target/index.js';
import { interrupted, interruptible } from './interrupt.js';
import type { Io } from './io.js';

/** What is kept of what nsys says: its last words tell why it failed. */
const LAST_WORDS = 2000;

/**
 * The SQLite export of a report of nsys, made by the `nsys` on PATH in a folder of its own, which goes again: nothing is written beside the
 * report. Throws `ProfilerError`: `no-nsys`, `nsys-export-failed`, `interrupted`.
 */
export async function exportedReport(io: Io, named: string): Promise<Uint8Array> {
  const nsys = nsysOnPath(io, named);
  const folder = await mkdtemp(join(tmpdir(), 'sim-profiler-nsys-'));
  try {
    const { argv, file } = nsysExport(nsys, resolve(io.cwd, named), folder);
    await interruptible(io, async ({ signal, phase }) => {
      phase('Stopping nsys …', () => `${folder} is left.`);
      await runNsys(io, argv, named, signal);
    });
    return await readFile(file).catch((error: unknown) => {
      throw failed(named, `it wrote no file (${errorReason(error)})`);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function nsysOnPath(io: Io, named: string): string {
  try {
    return findProgram('nsys', io.env, io.cwd);
  } catch (error) {
    if (!(error instanceof ProfilerError)) throw error;
    throw new ProfilerError({
      id: 'no-nsys',
      what: `${named} is a report of nsys, which only nsys itself can read.`,
      why: 'There is no nsys on PATH. Where there is one, such as on the machine of the GPU, it exports what can be read here.',
      fix: shellLine(nsysExport('nsys', named).argv),
    });
  }
}

async function runNsys(io: Io, argv: readonly string[], named: string, signal: AbortSignal): Promise<void> {
  const [program = '', ...args] = argv;
  const child = spawn(program, args, {
    cwd: io.cwd,
    env: io.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-LAST_WORDS);
    });
  const ended = await new Promise<string>((done) => {
    child.on('error', (error) => done(errorReason(error)));
    child.on('close', (code, by) => done(code === 0 ? '' : `it ended with ${by ?? `exit code ${code}`}`));
  });
  if (signal.aborted) throw interrupted(' before nsys had exported the report', 'nothing was read');
  if (ended === '') return;
  const last = said.trim().split('\n').at(-1)?.trim() ?? '';
  throw failed(named, last === '' ? ended : `${ended}: ${last}`);
}

function failed(named: string, reason: string): ProfilerError {
  return new ProfilerError({
    id: 'nsys-export-failed',
    what: `nsys did not export ${named}: ${reason}.`,
    why: 'The report may be cut off, or of a newer nsys than this one.',
    fix: shellLine(nsysExport('nsys', named).argv),
  });
}
