import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Finding, ProfilerError, errorReason, shellLine } from '../model/index.js';
import { type PrintedText, type Recording, readManifest, writeRecording } from '../recording/index.js';
import type { Io } from './io.js';
import { endsOfFile, type OutputPart } from './kept-output.js';
import type { Loaded } from './source.js';

/** What a program wrote, and where. */
export interface Written {
  /** As a reader knows it: a path, `standard error`. */
  readonly source: string;
  readonly parts: () => Promise<readonly OutputPart[]> | readonly OutputPart[];
  /** A file that the user named: where it has no table, that is worth a word. */
  readonly named?: true;
}

/** A program that prints more is left with its last. */
const MOST_PIECES = 200;

/** A log that the user named, to be read once the recording has ended. */
export function namedLog(io: Io, log: string, fromByte = 0): Written {
  return { source: log, named: true, parts: () => endsOfFile(resolve(io.cwd, log), fromByte) };
}

/** The same of a program that is yet to be started: what is there already is of another run. */
export function logOf(io: Io, log: string): Written {
  let size: number | undefined;
  try {
    size = statSync(resolve(io.cwd, log), { throwIfNoEntry: false })?.size;
  } catch {
    // What is wrong with it is told when it is read.
  }
  return namedLog(io, log, size);
}

/** Throws `ProfilerError` `log-unreadable` where a log is no file that can be read: told before anything is sampled. */
export async function mustBeLog(io: Io, log: string): Promise<void> {
  try {
    const found = await stat(resolve(io.cwd, log));
    if (!found.isFile()) throw unreadableLog(log, 'it is no ordinary file');
    await endsOfFile(resolve(io.cwd, log), found.size);
  } catch (error) {
    throw error instanceof ProfilerError ? error : unreadableLog(log, errorReason(error));
  }
}

function unreadableLog(log: string, reason: string): ProfilerError {
  return new ProfilerError({
    id: 'log-unreadable',
    what: `The log ${log} could not be read (${reason}).`,
    why: '--log names what the program writes, as a file of this machine.',
    fix: shellLine(['ls', '-l', log]),
  });
}

/**
 * Puts the tables in what a program wrote into its recording. What cannot be read or written takes nothing away from the answer: it is among
 * the findings.
 */
export async function keepPrinted(folder: string, written: readonly Written[]): Promise<readonly Finding[]> {
  if (written.length === 0) return [];
  // Loaded where there is something to read: most recordings have no log.
  const { tablePieces } = await import('../simulator/index.js');
  const findings: Finding[] = [];
  const printed: PrintedText[] = [];
  for (const { source, parts, named } of written) {
    try {
      const found = (await parts()).flatMap(({ startByte, bytes }) => tablePieces(bytes, startByte));
      if (found.length === 0 && named === true) findings.push(noTableYet(source));
      printed.push(...found.map((piece) => ({ source, ...piece })));
    } catch (error) {
      if (named === true)
        findings.push({ ...unreadableLog(source, errorReason(error)).finding, level: 'warning' });
    }
  }
  if (printed.length === 0) return findings;
  try {
    const recording: Recording = await readManifest(folder);
    await writeRecording(folder, { ...recording, printed: printed.slice(-MOST_PIECES) });
  } catch (error) {
    findings.push(notKept(errorReason(error)));
  }
  return findings;
}

function noTableYet(log: string): Finding {
  return {
    level: 'note',
    id: 'log-without-tables',
    what: `${log} holds no table of the program that is known.`,
    why: 'Simulators print most of them when they end.',
    fix: shellLine(['profiler', 'tables', log]),
  };
}

function notKept(reason: string): Finding {
  return {
    level: 'warning',
    id: 'tables-not-kept',
    what: `The tables that the program printed could not be kept in the recording (${reason}).`,
    why: 'They are in its log alone.',
  };
}

/** What is said after an answer of the tables that its recording holds. */
export async function printedFindings({ recording, source }: Loaded): Promise<readonly Finding[]> {
  if (recording?.printed === undefined) return [];
  const { printedFinding } = await import('./printed-tables.js');
  const found = printedFinding(recording, source.path);
  return found === undefined ? [] : [found];
}
