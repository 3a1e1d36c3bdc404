import type { Command } from 'commander';
import type { Io } from './io.js';
import { manPage } from './man-page.js';
import { QUESTIONS, wholeProgram } from './program.js';
import { ownVersion } from './version.js';

/** The page of this program: the same on every machine, whoever makes it. */
export async function ownManPage(): Promise<string> {
  let printed = '';
  const nobody: Io = {
    out: async (text) => void (printed += String(text)),
    err: () => undefined,
    stdin: async function* () {},
    stdinIsTerminal: false,
    stdoutIsTerminal: false,
    stderrIsTerminal: false,
    style: { width: 80, color: false },
    errStyle: { width: 80, color: false },
    env: { HOME: '~' },
    cwd: '/',
    setExitCode: () => undefined,
  };
  const makeHelp = (command: Command): string => {
    printed = '';
    command.outputHelp();
    return printed;
  };
  return manPage({
    version: ownVersion(),
    program: await wholeProgram(nobody),
    makeHelp,
    questions: QUESTIONS,
  });
}
