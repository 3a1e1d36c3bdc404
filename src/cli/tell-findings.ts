import type { Finding, Lost } from '../model/index.js';
import { alarmLines, lostLines, noteLines } from '../report/index.js';
import type { Io } from './io.js';

/** Prints findings on standard error: of what was done beside the answer, not of the answer. */
export function tellFindings(io: Io, findings: readonly Finding[]): void {
  const lines = [...alarmLines(findings, io.errStyle), ...noteLines(findings, io.errStyle)];
  if (lines.length > 0) io.err(`${lines.join('\n')}\n`);
}

/** Says on standard error what of an input could not be read, where standard output is for another program or there is none. */
export function tellLost(io: Io, lost: Lost): void {
  const lines = lostLines(lost);
  if (lines.length > 0) io.err(`${lines.join('\n')}\n`);
}
