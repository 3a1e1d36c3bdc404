import { Command } from 'commander';
import { waitsJson, waitsText } from '../report/index.js';
import { answerOptions } from './answer.js';
import { type SourceFlags, examples, withSource } from './flags.js';
import type { Io } from './io.js';
import { loadRules } from './rule-files.js';
import { loadSource } from './source.js';
import { waitsAnswer } from './waits-answer.js';

/** `profiler waits`: where the physics thread waits for the GIL or a CPU, and for whom. */
export function waitsCommand(io: Io): Command {
  return withSource(new Command('waits'))
    .description('Where the physics thread waits for the GIL or for a CPU, and who held the GIL meanwhile.')
    .addHelpText(
      'after',
      examples([
        ['profiler waits', 'of the newest recording'],
        ['profiler waits --thread executor', 'of another thread'],
        ['profiler waits slices/000.samples --json', 'of a file of samples, for scripts'],
      ]),
    )
    .action((source: string | undefined, flags: SourceFlags) => waits(io, source, flags));
}

async function waits(io: Io, source: string | undefined, flags: SourceFlags): Promise<void> {
  const ruleSet = await loadRules(io, flags.rules);
  const loaded = await loadSource(io, source, flags.format, ruleSet);
  const found = waitsAnswer(loaded, answerOptions(ruleSet, flags));
  await io.out(flags.json === true ? waitsJson(found) : waitsText(found, io.style));
}
