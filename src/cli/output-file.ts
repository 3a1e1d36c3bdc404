import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ProfilerError, errorCode, shellLine } from '../model/index.js';
import { cleanText } from '../report/index.js';
import type { Io } from './io.js';
import { writeWholeFile } from './whole-file.js';

/**
 * Writes a file that the user named, whole or not at all.
 * @param otherwise the line to type where it cannot be written there.
 * @param sources what it is made of, as the user named it: a measurement is never replaced by what is made of it.
 * @throws ProfilerError `cannot-write`, or `output-is-source` (exit code 2).
 */
export async function writeNamedFile(
  io: Pick<Io, 'cwd'>,
  named: string,
  pieces: Iterable<string>,
  otherwise: string,
  sources: readonly string[] = [],
): Promise<void> {
  const path = resolve(io.cwd, named);
  for (const source of sources) if (source !== '-') await differ(path, resolve(io.cwd, source), named);
  try {
    await writeWholeFile(path, pieces);
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    const full = code === 'ENOSPC' || code === 'EDQUOT';
    throw new ProfilerError({
      id: 'cannot-write',
      what: `${named} could not be written (${code}).`,
      why: full ? 'The disk is full.' : whyNot(code, named),
      fix: full
        ? `df -h ${dirname(path)}`
        : code === 'EEXIST'
          ? shellLine(['rm', `${named}.part`])
          : otherwise,
    });
  }
}

async function differ(output: string, source: string, named: string): Promise<void> {
  const [one, other] = await Promise.all([output, source].map((path) => stat(path).catch(() => undefined)));
  if (one?.isFile() !== true || one.dev !== other?.dev || one.ino !== other.ino) return;
  throw new ProfilerError(
    {
      id: 'output-is-source',
      what: `${named} is the file that is read: what is made of it would take its place.`,
      why: 'A measurement cannot be made again.',
      fix: 'name another file with -o',
    },
    2,
  );
}

function whyNot(code: string, named: string): string {
  if (code === 'EEXIST')
    return `There is a ${named}.part: another command writes it, or was cut short and left it.`;
  return 'Its folder may be missing, or not yours to write to.';
}

/** Prints a file on standard output. */
export async function printPieces(
  io: Pick<Io, 'out' | 'stdoutIsTerminal'>,
  pieces: Iterable<string>,
): Promise<void> {
  for (const piece of pieces) await io.out(io.stdoutIsTerminal ? cleanLines(piece) : piece);
}

/** Names come raw from the target: a file keeps them, a terminal must not be steered by them. A line break ends a record. */
function cleanLines(text: string): string {
  return text.split('\n').map(cleanText).join('\n');
}

/** `--json` beside what goes to standard output itself: exit code 2. */
export function twoForStdout(fix: string): ProfilerError {
  return new ProfilerError(
    {
      id: 'usage',
      what: "Option '--json' cannot be used where the file itself goes to standard output.",
      why: '',
      fix,
    },
    2,
  );
}
