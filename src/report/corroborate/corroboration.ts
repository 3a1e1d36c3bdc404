import type { Finding } from '../../model/index.js';
import type { CostTable, Phase, TableKind } from '../../simulator/index.js';
import type { SourceRef } from '../answer.js';
import { plural } from '../share-text.js';
import { type Coverage, coveredPart } from './coverage.js';
import { hookLines } from './hooks.js';
import { lagLine } from './lag.js';
import type { CorroborationLine } from './line.js';
import { loadLines } from './load.js';
import { pacingLine } from './pacing.js';
import { phaseLines } from './phases.js';
import { physicsLine, stepsLine } from './physics.js';
import { type Difference, type RecordedRun, differences, runOf } from './same-run.js';
import type { Sampled } from './sampled.js';
import { type Spikes, spikesOf } from './spikes.js';
import { type StepRate, stepRate } from './step-rate.js';

export interface SimulatorWords {
  /** Phase of a step that a row of MuJoCo's timers is about. */
  readonly phaseOfRow: (name: string) => Phase | undefined;
  /** Row that holds the spikes of an event loop. */
  readonly lag: string;
}

export interface CorroborationQuery {
  readonly tables: readonly CostTable[];
  readonly sampled: Sampled;
  readonly recorded: RecordedRun;
  /** What simulators call things. Handed over, since whoever reads no table need not load the readers of all of them. */
  readonly words: SimulatorWords;
  /** Steps per second, where the user gave them. */
  readonly stepRateHz?: number;
  /** Seconds of a step, where the user gave them. */
  readonly timestepS?: number;
}

/** Tables and a recording of one run, held against each other. */
export interface Corroboration {
  readonly lines: readonly CorroborationLine[];
  /** Of an event loop whose source has its spikes one by one. */
  readonly spikes?: Spikes;
  readonly rate?: StepRate;
  readonly coverage: Coverage;
  readonly findings: readonly Finding[];
}

/** The same with where both come from. */
export interface CorroborationAnswer extends Corroboration {
  /** Of the tables, as the user named it. */
  readonly source: string;
  readonly recording: SourceRef;
}

/** Either both are of one run, or these fields say that they are not. */
export type Corroborated =
  | { readonly differences: readonly Difference[] }
  | { readonly answer: Corroboration };

/** Holds every line of the tables that a recording can witness against it. */
export function corroborate(query: CorroborationQuery): Corroborated {
  const { tables, sampled, recorded } = query;
  const last = (...kinds: readonly TableKind[]): CostTable | undefined =>
    tables.findLast(({ kind }) => kinds.includes(kind));
  const [hooks, load, loop] = [last('roqsim-hooks'), last('roqsim-load'), last('flygym-throughput')];
  const timers = tables.findLast(({ kind, rows }) => kind === 'mujoco-timers' && rows.length > 0);
  const phases = timers ?? last('mujoco-log', 'mujoco-testspeed');
  const lag = tables.findLast(
    ({ kind, title }) =>
      (kind === 'raccoon-trace' || kind === 'raccoon-report') && title.includes('event-loop lag'),
  );
  const runUs = loop?.wholeUs ?? (lag === undefined ? undefined : wallOfLag(tables, lag));
  const runS = runUs === undefined ? undefined : runUs / 1e6;
  const timestepS = query.timestepS ?? runOf(tables).timestepS;
  const spikes = lag?.late === undefined || sampled.isLoad ? undefined : spikesOf(lag.late, sampled);
  // Where the clocks are known to meet, a recording may have begun before the trace or gone on after it.
  const meet = spikes?.each !== undefined && loop?.wholeUs === undefined;
  const differ = differences(tables, recorded, {
    ...(runS === undefined || meet ? {} : { runS }),
    ...(query.timestepS === undefined ? {} : { timestepS: query.timestepS }),
  });
  if (differ.length > 0) return { differences: differ };
  const rate = stepRate(
    { ...(loop === undefined ? {} : { loop }), ...(timers === undefined ? {} : { timers }) },
    sampled,
    query.stepRateHz,
  );
  const coverage = { recordedS: recorded.wallS, ...(runS === undefined ? {} : { runS }) };
  // Of a start-up nothing that steps do can be told, and a log that has its table is about it.
  const ofLoop = !(sampled.isLoad && load !== undefined);
  const loopLines = (): readonly CorroborationLine[] => [
    ...stepsLine(timers, loop),
    ...pacingLine(loop, timestepS, sampled, coverage),
    ...(timers === undefined ? [] : physicsLine(timers, sampled, rate, coverage)),
    ...(phases === undefined ? [] : phaseLines(phases, sampled, query.words.phaseOfRow)),
    ...(hooks === undefined ? [] : hookLines(hooks, sampled, rate, coverage)),
    ...lagLine(
      lag,
      lag === undefined ? undefined : wallOfLag(tables, lag),
      { sampled, ...(spikes === undefined ? {} : { spikes }) },
      query.words.lag,
    ),
  ];
  const lines = [
    ...(ofLoop ? loopLines() : []),
    ...(load === undefined || (!sampled.isLoad && hooks !== undefined) ? [] : loadLines(load, sampled)),
  ];
  return {
    answer: {
      lines,
      ...(spikes === undefined ? {} : { spikes }),
      ...(rate === undefined ? {} : { rate }),
      coverage,
      findings: [
        ...spikeFindings(spikes),
        ...findingsOf(query, lines, { coverage, isSameTime: spikes?.within !== undefined }),
      ],
    },
  };
}

/** Length of the run that a lag table is of: another table of the same source has it. */
function wallOfLag(tables: readonly CostTable[], lag: CostTable): number | undefined {
  const wanted = lag.kind === 'raccoon-trace' ? 'gaps between steps' : 'where the time goes';
  const whole = tables.findLast(({ kind, title }) => kind === lag.kind && title.includes(wanted))?.wholeUs;
  // Of steps without gaps there is no such table.
  return whole ?? lag.late?.untilUs;
}

/** Lines that are about the thread that steps. */
const OF_PHYSICS: ReadonlySet<CorroborationLine['subject']> = new Set(['hook', 'step', 'phase', 'pacing']);

/** Only this much of the run was sampled: said, since the tables are of all of it. */
const PART = 0.9;

function findingsOf(
  { tables, sampled }: CorroborationQuery,
  lines: readonly CorroborationLine[],
  // Whether lag is compared over the time of the recording alone.
  { coverage, isSameTime }: { readonly coverage: Coverage; readonly isSameTime: boolean },
): readonly Finding[] {
  const run = runOf(tables);
  const several = severalRuns(tables);
  return [
    ...lines.flatMap((line): readonly Finding[] =>
      line.verdict === 'disagrees'
        ? [
            {
              level: 'warning',
              id: `${line.subject}-disagrees`,
              what: `${line.name}: the ${line.subject === 'steps' ? 'timers of MuJoCo and the loop' : 'table and the samples'} disagree.`,
              why: `Likeliest: ${line.reason ?? 'unknown'}.`,
            },
          ]
        : [],
    ),
    ...(several === undefined ? [] : [several]),
    ...(coveredPart(coverage) < PART && !(isSameTime && lines.every(({ subject }) => subject === 'lag'))
      ? [
          {
            level: 'note',
            id: 'part-of-run-sampled',
            what: `The recording holds ${coverage.recordedS.toFixed(1)} of the ${(coverage.runS ?? 0).toFixed(1)} s of the run.`,
            why: 'The tables are of all of it, its start too: intervals allow for half to twice as much in what was not sampled.',
          } satisfies Finding,
        ]
      : []),
    ...(run.pid === undefined && run.kernel === undefined
      ? [
          {
            level: 'note',
            id: 'run-not-told',
            what: 'Nothing in the log says of which process and machine it is: that both are of one run is taken on trust.',
            why: 'The dump of MuJoCo timers says it; roqsim and FlyGym do not.',
          } satisfies Finding,
        ]
      : []),
    ...(sampled.physicsKnown || sampled.isLoad || lines.every(({ subject }) => !OF_PHYSICS.has(subject))
      ? []
      : [
          {
            level: 'warning',
            id: 'physics-thread-unknown',
            what: 'No thread of the recording is seen to step physics: its busiest thread is taken.',
            why: 'Lines about another thread would disagree for that reason alone.',
            fix: 'profiler threads',
          } satisfies Finding,
        ]),
  ];
}

function spikeFindings(spikes: Spikes | undefined): readonly Finding[] {
  const { each = [] } = spikes ?? {};
  const wrong = each.filter(({ verdict }) => verdict === 'disagrees');
  const [worst] = wrong;
  if (worst === undefined) return [];
  return [
    {
      level: 'warning',
      id: 'spikes-disagree',
      what: `${wrong.length} of ${plural(each.length, 'spike')} inside the recording ${wrong.length === 1 ? 'is' : 'are'} not what samples saw of the loop.`,
      why: `Likeliest, of the longest: ${worst.reason ?? 'unknown'}.`,
    },
  ];
}

function severalRuns(tables: readonly CostTable[]): Finding | undefined {
  const once: readonly TableKind[] = ['roqsim-hooks', 'roqsim-load', 'flygym-throughput', 'mujoco-timers'];
  const most = Math.max(0, ...once.map((kind) => tables.filter((table) => table.kind === kind).length));
  if (most < 2) return undefined;
  return {
    level: 'warning',
    id: 'several-runs',
    what: `The log holds tables of ${plural(most, 'run')}: the last of each kind is compared.`,
    why: 'Those of another run would be held against this recording otherwise.',
    fix: 'give a log of the one run that was recorded',
  };
}
