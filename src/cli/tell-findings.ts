import type { Finding } from '../model/index.js';
import { alarmLines, noteLines } from '../report/index.js';
import type { Io } from './io.js';

/** Prints findings on standard error: of what was done beside the answer, not of the answer. */
export function tellFindings(io: Io, findings: readonly Finding[]): void {
  const lines = [...alarmLines(findings, io.errStyle), ...noteLines(findings, io.errStyle)];
  if (lines.length > 0) io.err(`${lines.join('\n')}\n`);
}
