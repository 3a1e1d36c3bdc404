import { Command } from 'commander';
import { threadsJson, threadsText } from '../report/index.js';
import { breakdownOf } from './buckets.js';
import { type SourceFlags, examples, withSource } from './flags.js';
import type { Io } from './io.js';

/** `profiler threads`: who else runs in the process, and whether they are in the physics thread's way. */
export function threadsCommand(io: Io): Command {
  return withSource(new Command('threads'))
    .description('Every thread: name, role, and its time on a CPU, waiting for one, and blocked.')
    .addHelpText(
      'after',
      examples([
        ['profiler threads', 'of the newest recording'],
        ['profiler threads py-spy.raw --duration 20 --rate 100', 'how often each thread was seen'],
        ["profiler threads --thread '/^llvmpipe/'", 'only some of them'],
      ]),
    )
    .action((source: string | undefined, flags: SourceFlags) => threads(io, source, flags));
}

async function threads(io: Io, source: string | undefined, flags: SourceFlags): Promise<void> {
  const found = await breakdownOf(io, source, flags);
  await io.out(flags.json === true ? threadsJson(found) : threadsText(found, io.style));
}
