import type { CostRow, CostTable } from '../../simulator/index.js';
import { functionText } from '../names.js';
import { type Pooled, grouped } from '../selection.js';
import { durationText } from '../duration-text.js';
import { type HookMatch, matchHooks } from './hook-functions.js';
import { type Coverage, coveredPart, overRun } from './coverage.js';
import { type CorroborationLine, type Figure, notComparable, verdictOf } from './line.js';
import {
  STOPPED,
  type Sampled,
  type SampledThread,
  bareName,
  heaviestPlace,
  outermost,
  statesOf,
  wallShare,
  weightOf,
} from './sampled.js';
import { type StepRate, perStep } from './step-rate.js';

/** The hooks that run with every step, each against the samples in and below its function. */
export function hookLines(
  table: CostTable,
  sampled: Sampled,
  rate: StepRate | undefined,
  coverage: Coverage,
): readonly CorroborationLine[] {
  const rows = table.rows.filter(({ role, perStepUs }) => role === 'step' && perStepUs !== undefined);
  const [thread] = sampled.threads;
  const why = sampled.isLoad
    ? 'the recording is of the start-up, before any step'
    : rate === undefined
      ? 'nothing says how many steps a second the loop made: give --step-rate'
      : undefined;
  if (thread === undefined || rate === undefined || why !== undefined)
    return rows.map((row) =>
      notComparable('hook', nameOf([row]), 'us', why ?? 'no thread was sampled', row.perStepUs),
    );
  return [...grouped(rows, ({ of }) => of ?? '')].flatMap(([hook, own]) =>
    linesOf(hook, own, thread, sampled, rate, coverage),
  );
}

function linesOf(
  hook: string,
  rows: readonly CostRow[],
  thread: SampledThread,
  sampled: Sampled,
  rate: StepRate,
  coverage: Coverage,
): readonly CorroborationLine[] {
  const { profile } = sampled;
  const entry = outermost(profile, (frame) => frame.kind === 'python' && bareName(frame) === hook);
  const inHook = thread.pooled.filter(({ stack }) => (entry[stack] ?? -1) >= 0);
  const byFunction = grouped(inHook, ({ stack }) => {
    const frame = profile.frames[entry[stack] ?? -1];
    return frame === undefined ? '' : functionText(frame);
  });
  const functions = [...byFunction].map(([key, [first]]) => {
    const frame = profile.frames[entry[first?.stack ?? -1] ?? -1];
    return { key, name: frame?.name ?? '', ...(frame?.file === undefined ? {} : { file: frame.file }) };
  });
  const matches = matchHooks(rows, functions);
  const used = new Set(matches.flatMap((match) => match.function ?? []));
  const isOpen = functions.some(({ key }) => !used.has(key));
  const compare = (
    name: string,
    own: readonly CostRow[],
    entries: readonly Pooled[],
    match?: HookMatch,
  ): CorroborationLine => {
    const table = { value: own.reduce((sum, { perStepUs = 0 }) => sum + perStepUs, 0) };
    const share = wallShare(thread, entries, sampled);
    const samples = overRun(perStep(share, rate), coverage);
    const verdict = verdictOf(table, samples);
    return {
      subject: 'hook',
      name,
      unit: 'us',
      table,
      samples,
      verdict,
      ...(match?.function === undefined ? {} : { place: match.function }),
      ...(verdict === 'agrees'
        ? {}
        : {
            reason:
              table.value < samples.value
                ? whyMore({ sampled, thread, entries, rate }, table, samples)
                : whyLess(sampled, entries, coverage, match),
          }),
    };
  };
  const lines = matches.map((match) => {
    const name = nameOf(match.rows);
    if (match.function === undefined && isOpen)
      return notComparable(
        'hook',
        name,
        'us',
        `no function called ${hook} in the samples goes by that name: the sum of all is compared`,
        match.rows[0]?.perStepUs,
      );
    // Where each function has its row, this one was in none of the samples.
    return compare(name, match.rows, byFunction.get(match.function ?? '') ?? [], match);
  });
  return lines.some(({ verdict }) => verdict === 'not-comparable')
    ? [...lines, compare(`all ${hook}`, rows, inHook)]
    : lines;
}

function nameOf(rows: readonly CostRow[]): string {
  return `${rows.map(({ name }) => name).join(' + ')} ${rows[0]?.of ?? ''}`;
}

interface More {
  readonly sampled: Sampled;
  readonly thread: SampledThread;
  readonly entries: readonly Pooled[];
  readonly rate: StepRate;
}

/** Of what exceeds the table this part has to be of one kind for it to be the reason; a sleep brings a wait for a CPU and the GIL with it. */
const MOST_OF_IT = 0.5;
const SLEPT = 1 / 3;

/** The samples show more than the simulator's clock: what that clock did not hold. */
function whyMore({ sampled, thread, entries, rate }: More, table: Figure, samples: Required<Figure>): string {
  const all = weightOf(entries);
  const excess = samples.value - table.value;
  const states = thread.answer.estimate.states === undefined ? undefined : statesOf(entries);
  const us = (weight: number): number => (samples.value * weight) / all;
  const resting = states === undefined ? 0 : states.sleep + states.blocked;
  const cpu = states?.['cpu-wait'] ?? 0;
  const gil = states?.['gil-wait'] ?? 0;
  // A timer that holds a sleep says at least as much.
  const isAlone = resting > 0 && waitsMore(entries, thread, sampled);
  if (us(resting) > Math.min(SLEPT * excess, table.value) || isAlone) {
    const place = heaviestPlace(sampled.profile, entries, (one) =>
      one.states === undefined ? 0 : one.states.sleep + one.states.blocked,
    );
    const after = cpu + gil > 0 ? `, then waits ${durationText(us(cpu + gil))} for a CPU or the GIL` : '';
    return `it sleeps or blocks for ${durationText(us(resting))} of each step${
      place === undefined ? '' : `, most in ${place.text}`
    }${after}, and the timer of the hook does not hold all of that`;
  }
  if (us(gil) > MOST_OF_IT * excess)
    return `it waits for the GIL for ${durationText(us(gil))} of each step: another thread competes more in the recording than in the run`;
  if (sampled.stopped > 0) return STOPPED;
  if (us(cpu) > MOST_OF_IT * excess)
    return `it waits for a CPU for ${durationText(us(cpu))} of each step: the machine was busier while the recording was made`;
  const place = heaviestPlace(sampled.profile, entries, ({ weight }) => weight);
  return `its function does more than its timer holds${place === undefined ? '' : `, most in ${place.text}`}; or the loop made more than ${rate.value.toFixed(0)} steps/s while the recording was made`;
}

/** A hook that waits this many times as much as the rest of the work does not do so because of the machine: it gave its CPU away. */
const MORE_THAN_OTHERS = 3;

/** Whether it waits for a CPU and the GIL far more, for what it computes, than all else that the thread does but pacing. */
function waitsMore(entries: readonly Pooled[], { pooled }: SampledThread, { claimOf }: Sampled): boolean {
  const own = new Set(entries);
  const others = pooled.filter((one) => !own.has(one) && claimOf(one.stack).bucket !== 'pacer');
  const [mine, theirs] = [statesOf(entries), statesOf(others)];
  const waits = (states: typeof mine): number => states['cpu-wait'] + states['gil-wait'];
  return waits(mine) * theirs.running > MORE_THAN_OTHERS * waits(theirs) * mine.running;
}

/** The recording holds less than this part of the run: its mean need not be that of the run. */
const PART_OF_RUN = 0.8;

/** The simulator's clock shows more than the samples. */
function whyLess(
  { stopped }: Sampled,
  entries: readonly Pooled[],
  coverage: Coverage,
  match: HookMatch | undefined,
): string {
  if (stopped > 0) return STOPPED;
  if (match?.isGuess === true)
    return `that ${match.function ?? 'this function'} runs it is only guessed, as one row and one function were left`;
  if (coveredPart(coverage) < PART_OF_RUN)
    return `the mean of the table is over all of the run, the recording holds ${coverage.recordedS.toFixed(1)} of its ${(coverage.runS ?? 0).toFixed(1)} s: the first calls, and hooks that work only now and then, weigh otherwise`;
  if (entries.length === 0)
    return 'no sample was in it: it may run in a function of another name, or in another thread';
  return 'its mean is amortised over calls that do their work only now and then, and one long call weighs much in it; the two readings of the clock are in it, too';
}
