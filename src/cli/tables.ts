import { Command, Option } from 'commander';
import { ProfilerError } from '../model/index.js';
import {
  type SourcedTable,
  type Tables,
  tableChangesCsv,
  tableChangesJson,
  tableChangesText,
  tablesCsv,
  tablesJson,
  tablesText,
} from '../report/index.js';
import { MUJOCO_TIMER_SNIPPET, compareTables } from '../simulator/index.js';
import type { CorroborateFlags } from './corroborate.js';
import { collect, examples, outputPath, positive, wholeFromOne } from './flags.js';
import type { Io } from './io.js';
import { noTables } from './no-tables.js';
import { tablesOfFiles } from './table-files.js';

interface TablesFlags extends Partial<CorroborateFlags> {
  readonly timestep?: number;
  readonly top: number;
  readonly against?: readonly string[];
  readonly snippet?: 'mujoco';
  readonly json?: true;
  readonly csv?: true;
}

/** Rows of a table that a screen is for. */
const MOST_ROWS = 25;

/** `profiler tables`: what simulators print about themselves, read. */
export function tablesCommand(io: Io): Command {
  return new Command('tables')
    .argument('[file...]', 'logs, traces, exports and reports of nsys; - is standard input')
    .description('Reads the tables that simulators print about themselves, wherever they stand in a log.')
    .option('--timestep <s>', 'seconds of a simulation step: shares of its budget', positive)
    .option('--top <n>', 'rows of each table on the screen', wholeFromOne, MOST_ROWS)
    .option(
      '--against <file>',
      'what an older run said: how much each row changed; may be given several times',
      collect,
    )
    .addOption(
      new Option(
        '--snippet <simulator>',
        'print what to put into a program so that it writes its timers down; installs nothing',
      ).choices(['mujoco']),
    )
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
        ['profiler tables raccoon-profile.*.json', "a run's missions, with the standstill between them"],
        ['profiler tables gpu.sqlite', 'what nsys exported: who waits for whom'],
        ['profiler tables new.log --against old.log', 'what became dearer, and what cheaper'],
        ['profiler tables --snippet mujoco', "Python that prints MuJoCo's own timers"],
      ]),
    )
    .action((files: readonly string[], flags: TablesFlags) => tables(io, files, flags));
}

async function tables(io: Io, files: readonly string[], flags: TablesFlags): Promise<void> {
  if (flags.snippet !== undefined) return io.out(MUJOCO_TIMER_SNIPPET);
  if (files.length === 0) throw noFile();
  const found = await knownTables(io, files);
  const source = files.join(' ');
  if (flags.against !== undefined) return compare(io, { source, tables: found }, flags.against, flags);
  const { corroborate } = flags;
  if (corroborate !== undefined) {
    const { corroborateTables } = await import('./corroborate.js');
    return corroborateTables(io, source, found, { ...flags, corroborate });
  }
  const answer = {
    source,
    tables: found,
    top: flags.top,
    ...(flags.timestep === undefined ? {} : { timestepS: flags.timestep }),
  };
  const write = flags.json === true ? tablesJson : flags.csv === true ? tablesCsv : undefined;
  await io.out(write === undefined ? tablesText(answer, io.style) : write(answer));
}

/** Throws also where there is no table. */
async function knownTables(io: Io, files: readonly string[]): Promise<readonly SourcedTable[]> {
  const found = await tablesOfFiles(io, files);
  if (found.length === 0) throw noTables(files.join(' '));
  return found;
}

async function compare(
  io: Io,
  { source, tables: now }: Tables,
  older: readonly string[],
  { top, json, csv }: TablesFlags,
): Promise<void> {
  const compared = compareTables(await knownTables(io, older), now);
  const answer = { source, against: older.join(' '), compared, top };
  const write = json === true ? tableChangesJson : csv === true ? tableChangesCsv : undefined;
  await io.out(write === undefined ? tableChangesText(answer, io.style) : write(answer));
}

function noFile(): ProfilerError {
  return new ProfilerError(
    {
      id: 'no-file',
      what: 'A file to read is missing.',
      why: 'Tables stand in what a simulator printed, or in files that it wrote.',
      fix: 'roqsim sim WORLD --profile 2>&1 | profiler tables -',
    },
    2,
  );
}
