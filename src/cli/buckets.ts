import { Command } from 'commander';
import { breakdownJson, breakdownText } from '../report/index.js';
import { answer, answerOptions } from './answer.js';
import { type SourceFlags, examples, withSource } from './flags.js';
import type { Io } from './io.js';
import { loadRules } from './rule-files.js';
import { loadSource } from './source.js';

/** `profiler buckets`: the breakdown of every thread of a source. */
export function bucketsCommand(io: Io): Command {
  return withSource(new Command('buckets'))
    .description('The breakdown by bucket, thread by thread, the physics thread first.')
    .addHelpText(
      'after',
      examples([
        ['profiler buckets', 'of the newest recording'],
        ['profiler buckets --thread MainThread', 'one thread, taken as the physics thread'],
        ['profiler buckets py-spy.raw --json', 'of a file that py-spy wrote, for scripts'],
      ]),
    )
    .action((source: string | undefined, flags: SourceFlags) => buckets(io, source, flags));
}

async function buckets(io: Io, source: string | undefined, flags: SourceFlags): Promise<void> {
  const found = await breakdownOf(io, source, flags);
  await io.out(
    flags.json === true ? breakdownJson(found) : breakdownText(found, io.style, { allThreads: true }),
  );
}

/** Reads a source and answers for it, as its flags say. */
export async function breakdownOf(
  io: Io,
  source: string | undefined,
  flags: SourceFlags,
): Promise<ReturnType<typeof answer>> {
  const ruleSet = await loadRules(io, flags.rules);
  const loaded = await loadSource(io, source, flags.format, ruleSet);
  return answer(loaded, answerOptions(ruleSet, flags));
}
