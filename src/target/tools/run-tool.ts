import { execa } from 'execa';
import type { Environment } from './folder.js';

/** How a tool that works on files ended, with what it printed. */
export interface ToolRun {
  readonly ok: boolean;
  readonly stdout: string;
  /** How it ended and the last line that it said, as the end of a sentence without its full stop: `ended with 1 and said: …`. */
  readonly ending: string;
}

/** Converting a large report takes minutes, and has an end. */
const PATIENCE_MS = 900_000;
const LONGEST = 1 << 28;
const LONGEST_LINE = 300;

/** Runs a tool to its end; never throws. `stop` ends it. */
export async function runTool(
  argv: readonly string[],
  env: Environment,
  stop: AbortSignal,
): Promise<ToolRun> {
  const [program = '', ...args] = argv;
  const run = await execa(program, args, {
    env,
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    timeout: PATIENCE_MS,
    maxBuffer: LONGEST,
    cancelSignal: stop,
    stripFinalNewline: false,
  });
  const { exitCode, signal, code, timedOut, stdout = '', stderr = '' } = run;
  const said = `${stdout}\n${stderr}`
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => line !== '');
  const end = timedOut
    ? `was not done in ${PATIENCE_MS / 60_000} minutes`
    : `ended with ${exitCode ?? signal ?? code ?? 'nothing'}`;
  return {
    ok: exitCode === 0,
    stdout,
    ending: said === undefined ? end : `${end} and said: ${said.slice(0, LONGEST_LINE).replace(/\.$/, '')}`,
  };
}
