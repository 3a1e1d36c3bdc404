import { Command, Option } from 'commander';
import {
  binsThatFit,
  breakdownJson,
  breakdownText,
  byNamedStepJson,
  byNamedStepText,
  byStepJson,
  byStepText,
  groupsThatFit,
  overTimeJson,
  overTimeText,
} from '../report/index.js';
import { type Claim, type RuleSet, classifyProfile } from '../rules/index.js';
import { answer, answerOptions } from './answer.js';
import { type IntervalFlags, type SourceFlags, examples, withInterval, withSource } from './flags.js';
import { byStepAnswer, namedStepAnswer } from './by-step-answer.js';
import { cutTo } from './interval.js';
import type { Io } from './io.js';
import { overTimeAnswer } from './over-time-answer.js';
import { loadRules } from './rule-files.js';
import { type Loaded, loadSource } from './source.js';
import { withTimedGil } from './timed-gil.js';

interface BucketsFlags extends SourceFlags, IntervalFlags {
  readonly overTime?: true;
  readonly byStep?: true;
}

/** `profiler buckets`: the breakdown of every thread of a source. */
export function bucketsCommand(io: Io): Command {
  return withInterval(withSource(new Command('buckets')))
    .description('The breakdown by bucket, thread by thread, the physics thread first.')
    .option('--over-time', 'the physics thread second by second, where samples have times')
    .addOption(
      new Option(
        '--by-step',
        'what each bucket takes of a simulation step, and of the slow ones; or of the steps that a Node program names',
      ).conflicts(['overTime', 'from', 'to']),
    )
    .addHelpText(
      'after',
      examples([
        ['profiler buckets', 'of the newest recording'],
        ['profiler buckets --thread MainThread', 'one thread, taken as the physics thread'],
        ['profiler buckets --over-time', 'bursts and drift'],
        ['profiler buckets --by-step', 'microseconds of a step, and what makes slow steps slow'],
        ['profiler buckets py-spy.raw --json', 'of a file that py-spy wrote, for scripts'],
      ]),
    )
    .action((source: string | undefined, flags: BucketsFlags) => buckets(io, source, flags));
}

/** Bins of the JSON, which no line has to hold. */
const MOST_BINS = 600;

async function buckets(io: Io, source: string | undefined, flags: BucketsFlags): Promise<void> {
  const { loaded, claims, ruleSet } = await cutSource(io, source, flags);
  if (flags.overTime === true) {
    const all = claims ?? classifyProfile(ruleSet, loaded.profile);
    const breakdown = answer(loaded, { ...answerOptions(ruleSet, flags), claims: all });
    const most = flags.json === true ? MOST_BINS : binsThatFit(io.style.width);
    const found = overTimeAnswer(loaded, all, breakdown, most);
    return io.out(flags.json === true ? overTimeJson(found) : overTimeText(found, io.style));
  }
  if (flags.byStep === true) {
    const all = claims ?? classifyProfile(ruleSet, loaded.profile);
    const breakdown = answer(loaded, { ...answerOptions(ruleSet, flags), claims: all });
    const named = namedStepAnswer(loaded, all, breakdown);
    if (named !== undefined)
      return io.out(flags.json === true ? byNamedStepJson(named) : byNamedStepText(named, io.style));
    const most = flags.json === true ? MOST_BINS : groupsThatFit(io.style.width);
    const found = await byStepAnswer(loaded, all, breakdown, most);
    return io.out(flags.json === true ? byStepJson(found) : byStepText(found, io.style));
  }
  const told = answer(loaded, {
    ...answerOptions(ruleSet, flags),
    ...(claims === undefined ? {} : { claims }),
  });
  const found = await withTimedGil(loaded, told);
  return io.out(
    flags.json === true ? breakdownJson(found) : breakdownText(found, io.style, { allThreads: true }),
  );
}

interface CutSource {
  readonly loaded: Loaded;
  readonly claims?: readonly Claim[];
  readonly ruleSet: RuleSet;
}

async function cutSource(io: Io, source: string | undefined, flags: BucketsFlags): Promise<CutSource> {
  const ruleSet = await loadRules(io, flags.rules);
  const whole = await loadSource(io, source, flags.format, ruleSet);
  return { ...cutTo(whole, flags, { command: 'buckets', ruleSet }), ruleSet };
}

/** Reads a source and answers for it, as its flags say. */
export async function breakdownOf(
  io: Io,
  source: string | undefined,
  flags: SourceFlags,
): Promise<ReturnType<typeof answer>> {
  const ruleSet = await loadRules(io, flags.rules);
  const loaded = await loadSource(io, source, flags.format, ruleSet);
  return withTimedGil(loaded, answer(loaded, answerOptions(ruleSet, flags)));
}
