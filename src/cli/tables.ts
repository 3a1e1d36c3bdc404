import { Command, Option } from 'commander';
import { ProfilerError } from '../model/index.js';
import { cleanText, tablesCsv, tablesJson, tablesText } from '../report/index.js';
import { readTables } from '../simulator/index.js';
import { examples, positive } from './flags.js';
import { inputText } from './input-text.js';
import type { Io } from './io.js';

interface TablesFlags {
  readonly timestep?: number;
  readonly json?: true;
  readonly csv?: true;
}

/** `profiler tables`: what simulators print about themselves, read. */
export function tablesCommand(io: Io): Command {
  return new Command('tables')
    .argument('<file...>', 'logs and files that a simulator wrote; - is standard input')
    .description('Reads the tables that simulators print about themselves, wherever they stand in a log.')
    .option('--timestep <s>', 'seconds of a simulation step: shares of its budget', positive)
    .addOption(new Option('--json', 'one JSON object').conflicts('csv'))
    .addOption(new Option('--csv', 'all rows as CSV, times in microseconds'))
    .addHelpText(
      'after',
      examples([
        ['profiler tables sim.log', 'the tables in a log, the dearest rows first'],
        ['profiler tables sim.log --timestep 0.002', 'and how much of a step of 2 ms they take'],
        ['roqsim sim world.yaml --steps 1000 --profile 2>&1 | profiler tables -', 'without a file'],
      ]),
    )
    .action((files: readonly string[], flags: TablesFlags) => tables(io, files, flags));
}

async function tables(io: Io, files: readonly string[], flags: TablesFlags): Promise<void> {
  const found = [];
  for (const file of files) found.push(...readTables(await inputText(io, file)));
  const source = files.join(' ');
  if (found.length === 0) throw noTables(source);
  const answer = {
    source,
    tables: found,
    ...(flags.timestep === undefined ? {} : { timestepS: flags.timestep }),
  };
  const write = flags.json === true ? tablesJson : flags.csv === true ? tablesCsv : undefined;
  await io.out(write === undefined ? tablesText(answer, io.style) : write(answer));
}

function noTables(source: string): ProfilerError {
  return new ProfilerError({
    id: 'no-tables',
    what: `${source === '-' ? 'Standard input' : cleanText(source)} holds no table that is known.`,
    why: 'Simulators print them to standard error, at the end of a run that was told to measure itself.',
    fix: 'roqsim sim WORLD --profile 2>&1 | profiler tables -',
  });
}
