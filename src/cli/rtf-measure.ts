import { InvalidArgumentError } from 'commander';
import { type Finding, ProfilerError, shellLine } from '../model/index.js';
import type { Rtf } from '../report/index.js';
import { factorOfRuns, type RunsFactor, type TimedRun, timedRunsText } from '../simulator/index.js';
import { type ProgramEnd, timeProgram } from '../target/index.js';
import { decimal } from './decimal.js';
import { interrupted } from './interrupt.js';
import type { Io } from './io.js';
import { runsLevel } from './runs-level.js';
import { passSignals, type PassedSignals } from './run-signals.js';

/** Stands for the seconds to simulate, in any argument. */
const PLACE = '{}';
const MOST_LENGTHS = 20;
const MOST_REPEATS = 100;
/** Wall times are kept to the millisecond, as they are printed. */
const DIGITS = 3;

interface MeasureFlags {
  readonly measure?: readonly string[];
  readonly repeat: number;
  readonly warmUp?: true;
}

/** Parses `20,40`: seconds to simulate, as they are typed. */
export function runLengths(text: string): readonly string[] {
  const lengths = text.split(',', MOST_LENGTHS + 1).map((part) => part.trim());
  if (lengths.length > MOST_LENGTHS || !lengths.every((part) => decimal(part) > 0))
    throw new InvalidArgumentError('It must be seconds above 0: 20,40.');
  if (new Set(lengths.map(Number)).size < 2)
    throw new InvalidArgumentError('It must be two different numbers of seconds or more: 20,40.');
  return lengths;
}

/** How fast a simulation can run, by running it. Throws what `checkCommand`, `timedRun` and `factorOfRuns` throw, and `interrupted` (130). */
export async function measuredRtf(
  io: Io,
  { measure: lengths = [], repeat, warmUp }: MeasureFlags,
  command: readonly string[],
): Promise<Rtf> {
  checkCommand(command, lengths, repeat);
  const order = inTurns(lengths, repeat);
  const [shortest = ''] = [...lengths].sort((a, b) => Number(a) - Number(b));
  const signals = passSignals();
  const runs: TimedRun[] = [];
  try {
    if (warmUp === true) await timedRun(io, signals, command, shortest, 'Warm-up');
    for (const [index, length] of order.entries()) {
      const wallS = await timedRun(io, signals, command, length, `Run ${index + 1} of ${order.length}`);
      runs.push({ simS: Number(length), wallS, readingS: 0.5 * 10 ** -DIGITS });
    }
  } finally {
    signals.stop();
  }
  return answerOf(command, runs);
}

function answerOf(command: readonly string[], runs: readonly TimedRun[]): Rtf {
  const { factor, startUpS, bounds, findings } = factorOf(command, runs);
  const again = `profiler rtf --runs ${timedRunsText(runs)}`;
  return {
    source: shellLine(command),
    factor: factor.value,
    low: factor.low,
    high: factor.high,
    measured: { way: 'measure', runs, startUpS, bounds, level: runsLevel(runs).level, again },
    findings: findings.map((finding) => ofCommand(finding, command)),
  };
}

function factorOf(command: readonly string[], runs: readonly TimedRun[]): RunsFactor {
  try {
    return factorOfRuns(runs, runsLevel(runs).studentT);
  } catch (error) {
    throw error instanceof ProfilerError ? new ProfilerError(ofCommand(error.finding, command)) : error;
  }
}

/** Its line to type with the command that was measured. */
function ofCommand<Told extends Pick<Finding, 'fix'>>(finding: Told, command: readonly string[]): Told {
  const fix = finding.fix?.replace('CMD --seconds {}', () => shellLine(command));
  return fix === undefined ? finding : { ...finding, fix };
}

/** Every second time backwards (20, 40, 40, 20): a machine that gets slower or faster meanwhile then favours no length. */
export function inTurns(lengths: readonly string[], repeat: number): readonly string[] {
  return Array.from({ length: repeat }, (_, turn) =>
    turn % 2 === 0 ? lengths : lengths.toReversed(),
  ).flat();
}

function wrong(id: string, what: string, why: string, fix: string): ProfilerError {
  return new ProfilerError({ id, what, why, fix }, 2);
}

/** Refuses what cannot be measured. Throws ProfilerError `measure-no-command`, `measure-no-place`, `measure-too-often` (2, wrong usage). */
function checkCommand(command: readonly string[], lengths: readonly string[], repeat: number): void {
  const line = `profiler rtf --measure ${lengths.join(',')} --`;
  if (command.length === 0)
    throw wrong(
      'measure-no-command',
      'There is no command to measure.',
      'It stands behind --, with {} for the seconds to simulate.',
      `${line} CMD --seconds {}`,
    );
  if (!command.some((argument) => argument.includes(PLACE)))
    throw wrong(
      'measure-no-place',
      `${shellLine(command)} has no {}.`,
      'So every run would be of the same length: {} stands for the seconds to simulate.',
      `${line} ${shellLine(command)} --seconds {}`,
    );
  if (repeat > MOST_REPEATS)
    throw wrong(
      'measure-too-often',
      `--repeat ${repeat} is more than ${MOST_REPEATS}.`,
      'After a few runs of each length the interval hardly shrinks.',
      `${line.replace(' --measure', ' --repeat 5 --measure')} ${shellLine(command)}`,
    );
}

/** Runs the command once; answers its wall time in seconds, rounded. Throws ProfilerError `measured-run-failed`, what `timeProgram` throws, and `interrupted` (130). */
async function timedRun(
  io: Io,
  signals: PassedSignals,
  command: readonly string[],
  length: string,
  name: string,
): Promise<number> {
  const argv = command.map((argument) => argument.replaceAll(PLACE, length));
  if (signals.signal.aborted) throw stopped(name);
  io.err(`${name}: ${length} simulated seconds …\n`);
  const program = await timeProgram(argv, io);
  signals.to(program);
  const end = await program.ended;
  if (signals.signal.aborted) throw stopped(name);
  if (end.code !== 0) throw failed(name, argv, end);
  io.err(`${name}: ${end.wallS.toFixed(DIGITS)} s\n`);
  return Number(end.wallS.toFixed(DIGITS));
}

function stopped(name: string): ProfilerError {
  return interrupted(` in ${name.charAt(0).toLowerCase()}${name.slice(1)}`, 'there is no real-time factor');
}

function failed(
  name: string,
  argv: readonly string[],
  end: ProgramEnd & { readonly wallS: number },
): ProfilerError {
  const how = end.signal === undefined ? `ended with exit code ${end.code}` : `was ended by ${end.signal}`;
  return new ProfilerError({
    id: 'measured-run-failed',
    what: `${name} ${how} after ${end.wallS.toFixed(2)} s.`,
    why: 'A run that fails did not simulate what it was told to; what it said stands above.',
    fix: shellLine(argv),
  });
}
