import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { ProfilerError, errorCode } from '../../model/index.js';
import type { Environment } from '../tools/folder.js';
import type { Launch } from './launcher.js';

/** How a program ended: its exit code, or as a shell tells a signal, 128 and its number. */
export interface ProgramEnd {
  readonly code: number;
  readonly signal?: NodeJS.Signals;
}

/** A program that we started, in our own process group and with our own standard streams. */
export interface Program {
  readonly pid: number;
  readonly ended: Promise<ProgramEnd>;
  /** Undefined once it is known that it runs no more. */
  readonly end: () => ProgramEnd | undefined;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Its output, where it was asked to come through us. */
  readonly output: readonly Readable[];
}

/** `through`: standard output and error come as streams, to be passed on. Throws ProfilerError `program-not-started` (126). */
export async function startProgram(
  { file, argv }: Launch,
  { env, cwd, through }: { readonly env: Environment; readonly cwd: string; readonly through: boolean },
): Promise<Program> {
  const [argv0 = file, ...args] = argv;
  const way = through ? 'pipe' : 'inherit';
  const child = spawn(file, args, { argv0, env, cwd, stdio: ['inherit', way, way] });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(notStarted(file, error)));
  });
  let end: ProgramEnd | undefined;
  const ended = new Promise<ProgramEnd>((resolve) => {
    // Not `close`: what it started may hold its output open for longer.
    child.once('exit', (code, signal) => {
      end = signal === null ? { code: code ?? 1 } : { code: 128 + (constants.signals[signal] ?? 0), signal };
      resolve(end);
    });
  });
  const streams = [child.stdout, child.stderr];
  return {
    pid: child.pid ?? -1,
    ended,
    end: () => end,
    signal: (signal) => void child.kill(signal),
    output: streams.filter((stream) => stream !== null),
  };
}

/** The error of a file that the system does not start. */
export function notStarted(file: string, error: unknown): ProfilerError {
  return new ProfilerError(
    {
      id: 'program-not-started',
      what: `${file} could not be started (${errorCode(error) ?? 'unknown error'}).`,
      why:
        errorCode(error) === 'ENOENT'
          ? 'The interpreter of its first line is missing, or the loader that it was built for.'
          : 'It is no program for this machine, or the machine refuses another process.',
      fix: `file ${file}`,
    },
    126,
  );
}
