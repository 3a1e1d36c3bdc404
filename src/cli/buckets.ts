import { Command } from 'commander';
import { breakdownJson, breakdownText } from '../report/index.js';
import { answer, answerOptions } from './answer.js';
import { type IntervalFlags, type SourceFlags, examples, withInterval, withSource } from './flags.js';
import { cutTo } from './interval.js';
import type { Io } from './io.js';
import { loadRules } from './rule-files.js';
import { loadSource } from './source.js';

/** `profiler buckets`: the breakdown of every thread of a source. */
export function bucketsCommand(io: Io): Command {
  return withInterval(withSource(new Command('buckets')))
    .description('The breakdown by bucket, thread by thread, the physics thread first.')
    .addHelpText(
      'after',
      examples([
        ['profiler buckets', 'of the newest recording'],
        ['profiler buckets --thread MainThread', 'one thread, taken as the physics thread'],
        ['profiler buckets py-spy.raw --json', 'of a file that py-spy wrote, for scripts'],
      ]),
    )
    .action((source: string | undefined, flags: SourceFlags & IntervalFlags) => buckets(io, source, flags));
}

async function buckets(
  io: Io,
  source: string | undefined,
  flags: SourceFlags & IntervalFlags,
): Promise<void> {
  const found = await breakdownOf(io, source, flags);
  await io.out(
    flags.json === true ? breakdownJson(found) : breakdownText(found, io.style, { allThreads: true }),
  );
}

/** Reads a source and answers for it, as its flags say. */
export async function breakdownOf(
  io: Io,
  source: string | undefined,
  flags: SourceFlags & IntervalFlags,
): Promise<ReturnType<typeof answer>> {
  const ruleSet = await loadRules(io, flags.rules);
  const whole = await loadSource(io, source, flags.format, ruleSet);
  const { loaded, claims } = cutTo(whole, flags, ruleSet);
  return answer(loaded, { ...answerOptions(ruleSet, flags), ...(claims === undefined ? {} : { claims }) });
}
