import { Command, Option } from 'commander';
import type { TimedRun } from '../simulator/index.js';
import { ProfilerError } from '../model/index.js';
import { type Rtf, rtfJson, rtfText } from '../report/index.js';
import { examples, positive, recordingSeconds, wholeFromOne } from './flags.js';
import type { Io } from './io.js';
import { clockRtf } from './rtf-clock.js';
import { clockLogRtf } from './rtf-clock-log.js';
import { logRtf } from './rtf-log.js';
import { measuredRtf, runLengths } from './rtf-measure.js';
import { runsRtf, timedRuns } from './rtf-runs.js';
import { type TargetFlags, withTarget } from './target-flags.js';

const DEFAULT_DURATION_S = 20;

/** What every way of measuring is told. */
export interface RtfFlags extends TargetFlags {
  readonly runs?: readonly TimedRun[];
  readonly measure?: readonly string[];
  readonly repeat: number;
  readonly warmUp?: true;
  readonly clock?: true;
  readonly clockLog?: string;
  readonly duration: number;
  readonly log?: string;
  readonly pace: number;
  readonly json?: true;
}

/** `profiler rtf`: simulated seconds over wall seconds. */
export function rtfCommand(io: Io): Command {
  const program = new Command('rtf')
    .description('Real-time factor: simulated seconds over wall seconds, and how far to trust it.')
    .usage('[options] [-- COMMAND…]')
    .argument('[command...]', 'with --measure: the program and its arguments; {} is the seconds to simulate')
    .passThroughOptions();
  return withTarget(program)
    .option('--clock', 'how fast the target runs: one subscriber to its /clock')
    .option(
      '-d, --duration <seconds>',
      'with --clock: from its first message on',
      recordingSeconds,
      DEFAULT_DURATION_S,
    )
    .option('--clock-log <file>', 'what `ros2 topic echo /clock -i --csv` printed; - is standard input')
    .option(
      '--runs <sim:wall,…>',
      'how fast it can run, from whole runs of different length: simulated seconds and wall seconds of each',
      timedRuns,
    )
    .option(
      '--measure <seconds,…>',
      'run COMMAND for so many simulated seconds each, and time it',
      runLengths,
    )
    .option('--repeat <times>', 'with --measure: run each length so many times', wholeFromOne, 1)
    .option('--warm-up', 'with --measure: a run first that does not count, for caches')
    .option('--log <file>', 'what a simulator printed about itself; - is standard input')
    .option('--pace <factor>', 'the real-time factor that it was to keep', positive, 1)
    .addOption(new Option('--json', 'print one JSON object'))
    .addHelpText(
      'after',
      examples([
        ['profiler rtf --clock --service bridge', 'of a simulation that runs, in a container'],
        ['profiler rtf --runs 20:26.3,40:36.1', '20 simulated seconds took 26.3 s, 40 took 36.1 s'],
        ['profiler rtf --measure 20,40 --repeat 3 -- roqsim sim w.yaml --pacing asap --seconds {}', ''],
        ['profiler rtf --log sim.log', 'what the simulator says itself'],
      ]),
    )
    .action((command: readonly string[], flags: RtfFlags) => rtf(io, command, flags));
}

type Measure = (io: Io, flags: RtfFlags, command: readonly string[]) => Promise<Rtf>;

interface Way {
  readonly flag: string;
  readonly isAsked: (flags: RtfFlags) => boolean;
  readonly measure: Measure;
}

/** In the order of `--help`. One of them is asked for. */
const WAYS: readonly Way[] = [
  { flag: '--clock', isAsked: ({ clock }) => clock === true, measure: clockRtf },
  { flag: '--clock-log', isAsked: ({ clockLog }) => clockLog !== undefined, measure: clockLogRtf },
  { flag: '--runs', isAsked: ({ runs }) => runs !== undefined, measure: runsRtf },
  { flag: '--measure', isAsked: ({ measure }) => measure !== undefined, measure: measuredRtf },
  { flag: '--log', isAsked: ({ log }) => log !== undefined, measure: logRtf },
];

async function rtf(io: Io, command: readonly string[], flags: RtfFlags): Promise<void> {
  const found = await wayOf(flags, command).measure(io, flags, command);
  await io.out(flags.json === true ? rtfJson(found) : rtfText(found, io.style));
}

/** Whether a live process was named. */
function hasTarget({ pid, match, container, service }: RtfFlags): boolean {
  return [pid, match, container, service].some((name) => name !== undefined);
}

/** The one way that the flags ask for. Throws ProfilerError `rtf-way` (2, wrong usage). */
function wayOf(flags: RtfFlags, command: readonly string[]): Way {
  const [way, second] = WAYS.filter(({ isAsked }) => isAsked(flags));
  if (way === undefined)
    throw wrong(
      'It was not said how to measure.',
      hasTarget(flags) ? 'profiler rtf --clock …' : 'profiler rtf --runs SIM:WALL,SIM:WALL',
    );
  if (second !== undefined)
    throw wrong(`Both ${way.flag} and ${second.flag} were given.`, `profiler rtf ${way.flag} …`);
  if (command.length > 0 && way.flag !== '--measure')
    throw wrong(
      `A command was given with ${way.flag}, which runs none.`,
      'profiler rtf --measure 20,40 -- CMD --seconds {}',
    );
  if (hasTarget(flags) && way.flag !== '--clock')
    throw wrong(`A target was given with ${way.flag}, which looks at none.`, `profiler rtf ${way.flag} …`);
  return way;
}

function wrong(what: string, fix: string): ProfilerError {
  const ways = WAYS.map(({ flag }) => flag).join(', ');
  return new ProfilerError({ id: 'rtf-way', what, why: `Exactly one way is taken: ${ways}.`, fix }, 2);
}
