import { Command } from 'commander';
import { waitsJson, waitsText } from '../report/index.js';
import { answerOptions } from './answer.js';
import { type IntervalFlags, type SourceFlags, examples, withInterval, withSource } from './flags.js';
import { cutTo } from './interval.js';
import type { Io } from './io.js';
import { loadRules } from './rule-files.js';
import { loadSource } from './source.js';
import { timedWaits } from './timed-gil.js';
import { waitsAnswer } from './waits-answer.js';

/** `profiler waits`: where the physics thread waits for the GIL or a CPU, and for whom. */
export function waitsCommand(io: Io): Command {
  return withInterval(withSource(new Command('waits')))
    .description('Where the physics thread waits for the GIL or for a CPU, and who held the GIL meanwhile.')
    .addHelpText(
      'after',
      examples([
        ['profiler waits', 'of the newest recording'],
        ["profiler waits --thread '/spin/'", 'of another thread, by a part of its name'],
        ['profiler waits --from 3.2 --to 3.4', 'in those 0.2 seconds'],
        ['profiler waits recordings/NAME/slices/000.samples --json', 'of a file of samples, for scripts'],
      ]),
    )
    .action((source: string | undefined, flags: SourceFlags & IntervalFlags) => waits(io, source, flags));
}

async function waits(io: Io, source: string | undefined, flags: SourceFlags & IntervalFlags): Promise<void> {
  const ruleSet = await loadRules(io, flags.rules);
  const whole = await loadSource(io, source, flags.format, ruleSet);
  const { loaded, claims } = cutTo(whole, flags, { command: 'waits', ruleSet });
  const options = answerOptions(ruleSet, flags);
  const found = waitsAnswer(
    loaded,
    claims === undefined ? options : { ...options, claims },
    await timedWaits(loaded),
  );
  await io.out(flags.json === true ? waitsJson(found) : waitsText(found, io.style));
}
