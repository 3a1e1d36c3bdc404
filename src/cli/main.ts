import { CommanderError } from 'commander';
import { ProfilerError, shellLine } from '../model/index.js';
import type { Finding } from '../model/index.js';
import { type Io, processIo } from './io.js';
import { COMMANDS, buildProgram } from './program.js';

const HELP = new Set(['commander.helpDisplayed', 'commander.help', 'commander.version']);

/** Runs one command line to its end; the exit code is left on the process, so that all output is written first. */
export async function main(args: readonly string[], process: Parameters<typeof processIo>[0]): Promise<void> {
  const io = processIo(process);
  try {
    const program = await buildProgram(io, args);
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && HELP.has(error.code)) return;
    const { finding, exitCode } = failure(error, args, io);
    const { errorJson, errorText } = await import('../report/index.js');
    io.setExitCode(exitCode);
    io.err(errorText(finding, io.errStyle.color));
    // What `run` starts has standard output for itself.
    if (!isRun(args) && ownArguments(args).includes('--json')) await io.out(errorJson(finding));
  }
}

/** Without those of a command that we were told to start. */
function ownArguments(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return end < 0 ? args : args.slice(0, end);
}

function isRun(args: readonly string[]): boolean {
  return args.find((arg) => !arg.startsWith('-')) === 'run';
}

function failure(
  error: unknown,
  args: readonly string[],
  io: Io,
): { readonly finding: Finding; readonly exitCode: number } {
  if (error instanceof ProfilerError)
    return { finding: asTyped(error.finding, args), exitCode: error.exitCode };
  if (error instanceof CommanderError) return { finding: wrongUsage(error, args), exitCode: 2 };
  const debug = io.env['PROFILER_DEBUG'];
  if (debug !== undefined && debug !== '' && error instanceof Error)
    io.err(`${error.stack ?? error.message}\n`);
  return {
    finding: {
      level: 'blocker',
      id: 'unexpected',
      what: `Something went wrong that profiler did not expect: ${error instanceof Error ? error.message : String(error)}.`,
      why: 'This is a fault in profiler itself.',
      fix: 'run it again with PROFILER_DEBUG=1 and report what it prints',
    },
    exitCode: 1,
  };
}

/** Whoever may not read a recording gets the line that was typed, for one who may. */
function asTyped(finding: Finding, args: readonly string[]): Finding {
  const isShown = finding.id === 'recording-unreadable' && finding.fix?.startsWith('sudo ') === true;
  return isShown ? { ...finding, fix: shellLine(['sudo', 'profiler', ...args]) } : finding;
}

/** Commander's message as one sentence, with its suggestion and the help to read. */
function wrongUsage(error: CommanderError, args: readonly string[]): Finding {
  const [message = '', hint] = error.message.replace(/^error: /, '').split('\n');
  const suggestion = hint === undefined ? '' : ` ${hint.replace(/^\(|\)$/g, '')}`;
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}`.replace(/\.?$/, '.');
  const command = args.find((arg) => !arg.startsWith('-'));
  const known = COMMANDS.some((entry) => entry.name === command);
  return {
    level: 'blocker',
    id: 'usage',
    what: `${sentence}${suggestion}`,
    why: '',
    fix: known ? `profiler ${command} --help` : 'profiler --help',
  };
}
