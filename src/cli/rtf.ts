import { Command, Option } from 'commander';
import type { TimedRun } from '../simulator/index.js';
import { ProfilerError } from '../model/index.js';
import { type Rtf, cleanText, rtfJson, rtfText } from '../report/index.js';
import { examples, positive, recordingSeconds, wholeFromOne } from './flags.js';
import type { Io } from './io.js';
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
  readonly symbol?: string;
  readonly timestep?: number;
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
    .option(
      '-d, --duration <seconds>',
      'how long a target is looked at (with --clock: from its first message on)',
      recordingSeconds,
      DEFAULT_DURATION_S,
    )
    .option(
      '--symbol <name>',
      'the function of the target that makes one step, where it is none of those known',
    )
    .option('--timestep <s>', 'simulated seconds that a step adds, where the target does not tell', positive)
    .option('--clock', 'by one subscriber to its /clock instead')
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
        ['profiler rtf --pid 4711', 'how fast a simulation runs, by its own steps and time'],
        ['profiler rtf --clock --service bridge', 'by its /clock; of a simulation that runs, in a container'],
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

/** In the order of `--help`. One of them is asked for, and what it needs is loaded. */
const WAYS: readonly Way[] = [
  {
    flag: '--clock',
    isAsked: ({ clock }) => clock === true,
    measure: async (io, flags) => (await import('./rtf-clock.js')).clockRtf(io, flags),
  },
  {
    flag: '--clock-log',
    isAsked: ({ clockLog }) => clockLog !== undefined,
    measure: async (io, flags) => (await import('./rtf-clock-log.js')).clockLogRtf(io, flags),
  },
  { flag: '--runs', isAsked: ({ runs }) => runs !== undefined, measure: runsRtf },
  { flag: '--measure', isAsked: ({ measure }) => measure !== undefined, measure: measuredRtf },
  {
    flag: '--log',
    isAsked: ({ log }) => log !== undefined,
    measure: async (io, flags) => (await import('./rtf-log.js')).logRtf(io, flags),
  },
];

/** How a target is looked at where no other way is asked for. */
const BY_PROBE: Way = {
  flag: '--pid',
  isAsked: hasTarget,
  measure: async (io, flags) => (await import('./rtf-probe.js')).probeRtf(io, flags),
};

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
  if (way === undefined) {
    if (hasTarget(flags) && command.length === 0) return BY_PROBE;
    if (hasTarget(flags))
      throw wrong(
        `A target was given, and ${cleanText(command[0] ?? '')} besides: a running target needs no command.`,
        'profiler rtf --pid PID',
      );
    throw wrong('It was not said how to measure.', 'profiler rtf --pid PID');
  }
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
  return new ProfilerError(
    { id: 'rtf-way', what, why: `Exactly one way is taken: a target, ${ways}.`, fix },
    2,
  );
}
