import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { ProfilerError, errorCode } from '../model/index.js';
import { cleanText, tablesCsv, tablesJson, tablesText } from '../report/index.js';
import { readTables } from '../simulator/index.js';
import { type CorroborateFlags, corroborateTables } from './corroborate.js';
import { examples, outputPath, positive } from './flags.js';
import type { Io } from './io.js';

interface TablesFlags extends Partial<CorroborateFlags> {
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
    .addOption(
      new Option('--corroborate <recording>', 'holds them against a recording of the same run')
        .argParser(outputPath)
        .conflicts('csv'),
    )
    .option('--step-rate <hz>', 'with --corroborate: steps per second, where no table says it', positive)
    .addOption(new Option('--json', 'one JSON object').conflicts('csv'))
    .addOption(new Option('--csv', 'all rows as CSV, times in microseconds'))
    .addHelpText(
      'after',
      examples([
        ['profiler tables sim.log', 'the tables in a log, the dearest rows first'],
        ['profiler tables sim.log --timestep 0.002', 'and how much of a step of 2 ms they take'],
        ['profiler tables sim.log --corroborate run1', 'line by line against the samples of that run'],
        ['roqsim sim world.yaml --steps 1000 --profile 2>&1 | profiler tables -', 'without a file'],
      ]),
    )
    .action((files: readonly string[], flags: TablesFlags) => tables(io, files, flags));
}

async function tables(io: Io, files: readonly string[], flags: TablesFlags): Promise<void> {
  const found = [];
  for (const file of files) found.push(...readTables(await textOf(io, file)));
  const source = files.join(' ');
  if (found.length === 0) throw noTables(source);
  const { corroborate } = flags;
  if (corroborate !== undefined) return corroborateTables(io, source, found, { ...flags, corroborate });
  const answer = {
    source,
    tables: found,
    ...(flags.timestep === undefined ? {} : { timestepS: flags.timestep }),
  };
  const write = flags.json === true ? tablesJson : flags.csv === true ? tablesCsv : undefined;
  await io.out(write === undefined ? tablesText(answer, io.style) : write(answer));
}

async function textOf(io: Io, file: string): Promise<string> {
  if (file === '-') {
    const chunks: Uint8Array[] = [];
    for await (const chunk of io.stdin()) chunks.push(Uint8Array.from(chunk));
    return Buffer.concat(chunks).toString('utf8');
  }
  try {
    return await readFile(resolve(io.cwd, file), 'utf8');
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    throw new ProfilerError({
      id: 'cannot-read',
      what: `${cleanText(file)} could not be read (${code}).`,
      why: code === 'ENOENT' ? 'There is no such file.' : 'The system refused to read it.',
      fix: `ls -l ${cleanText(file)}`,
    });
  }
}

function noTables(source: string): ProfilerError {
  return new ProfilerError({
    id: 'no-tables',
    what: `${source === '-' ? 'Standard input' : cleanText(source)} holds no table that is known.`,
    why: 'Simulators print them to standard error, at the end of a run that was told to measure itself.',
    fix: 'roqsim sim WORLD --profile 2>&1 | profiler tables -',
  });
}
