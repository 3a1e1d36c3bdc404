import { existsSync, statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { type Finding, ProfilerError, shellLine } from '../model/index.js';
import { type NsysRun, cleanText } from '../report/index.js';
import {
  type CostTable,
  type NsysProfilePlan,
  UNDER_NSYS,
  nsysExport,
  nsysProfile,
  nsysStats,
  nsysYear,
  readNsysSqlite,
  readTables,
} from '../simulator/index.js';
import { type Nsys, type ProgramEnd, type ToolRun, findNsys, findProgram, runTool } from '../target/index.js';
import type { Io } from './io.js';
import type { Moment } from './moment.js';
import { programName } from './program-name.js';
import { type PlaceFlags, newFolder } from './recording-place.js';
import { runProgram } from './run-program.js';
import type { PassedSignals } from './run-signals.js';

/** What nsys and we write, in the folder of the recording. */
const REPORT = 'nsys';
const STATS = 'nsys-stats.csv';
/** It is read in memory, which a larger one would not fit into. */
const LARGEST_SQLITE = 1 << 30;
/** Last lines that are kept of the output, in case nsys fails. */
const LAST_LINES = 3;

export interface NsysProgram {
  readonly end: ProgramEnd;
  readonly run: NsysRun;
  /** Whether the folder holds anything. */
  readonly recorded: boolean;
}

/**
 * Has `nsys profile` start a program, waits for both, and reads what `nsys stats` says of the report. Within an nsys the program is started
 * as it is. Throws `ProfilerError`: `nsys-missing`, `nsys-broken`, `nsys-no-report`, `nsys-unreadable`, `nsys-empty`, what `nsysProfile` and
 * `findProgram` throw.
 */
export async function runNsys(
  io: Io,
  command: readonly string[],
  flags: PlaceFlags,
  signals: PassedSignals,
  onEnd: (end: ProgramEnd) => void,
): Promise<NsysProgram> {
  // With a path of the kind that it will have: what is wrong with it is said before anything is made.
  const tried = resolve(io.cwd, flags.output ?? 'recordings', REPORT);
  if (nsysProfile({ nsys: 'nsys', command, output: tried, env: io.env }) === undefined)
    return withoutNsys(io, command, signals, onEnd);
  findProgram(command[0] ?? '', io.env, io.cwd);
  const nsys = await findNsys(io.env);
  const folder = await newFolder(io, flags, programName(command).replace(/\.py$/, ''));
  const plan = nsysProfile({
    nsys: nsys.path,
    command,
    output: join(folder, REPORT),
    env: io.env,
  }) as NsysProfilePlan;
  const { end, last } = await runToEnd({ ...io, env: { ...io.env, ...plan.env } }, plan.argv, signals);
  onEnd(end);
  if (!existsSync(plan.report)) throw noReport(plan, end, last);
  const stop = signals.signal.aborted ? new AbortController().signal : signals.signal;
  const read = await readReport(io, nsys, plan.report, join(folder, STATS), stop);
  const here = (path: string): string => {
    const near = relative(io.cwd, path);
    return near.startsWith('..') ? path : near;
  };
  const files = Object.fromEntries(Object.entries(read.files).map(([name, path]) => [name, here(path)]));
  return {
    end,
    recorded: true,
    run: {
      command,
      nsys: nsys.versionText,
      files: { report: here(plan.report), ...files },
      exitCode: end.code,
      tables: read.tables.map((table) => ({
        ...table,
        findings: table.findings.map((finding) => ofThis(finding, here(plan.report))),
      })),
      findings: read.findings,
    },
  };
}

/** Advice about any report, as a line for this one. */
function ofThis(finding: Finding, report: string): Finding {
  const { fix } = finding;
  if (fix === undefined || !fix.includes('FILE.nsys-rep')) return finding;
  const sqlite = report.replace(/\.nsys-rep$/, '.sqlite');
  return {
    ...finding,
    fix: fix
      .replaceAll('FILE.nsys-rep', () => shellLine([report]))
      .replaceAll('FILE.sqlite', () => shellLine([sqlite])),
  };
}

/** What a program that nsys has started itself asks for: nsys cannot be within itself. */
async function withoutNsys(
  io: Io,
  command: readonly string[],
  signals: PassedSignals,
  onEnd: (end: ProgramEnd) => void,
): Promise<NsysProgram> {
  const { end } = await runToEnd(io, command, signals);
  onEnd(end);
  const active: Finding = {
    level: 'note',
    id: 'nsys-active',
    what: 'nsys records this program already, so it was not started a second time.',
    why: `${UNDER_NSYS} is set, by profiler run --nsys or a script of FlyGym's kind above it.`,
  };
  return {
    end,
    recorded: false,
    run: { command, files: {}, exitCode: end.code, tables: [], findings: [active] },
  };
}

/**
 * Runs a command with our own standard streams. Where neither output is a terminal it comes through us, which the program cannot tell, so
 * that the last words of nsys are known.
 */
async function runToEnd(
  io: Io,
  command: readonly string[],
  signals: PassedSignals,
): Promise<{ readonly end: ProgramEnd; readonly last: readonly string[] }> {
  const last: string[] = [];
  const never: Moment = {
    kind: 'output',
    text: '',
    holds: (line) => {
      last.push(line);
      if (last.length > LAST_LINES) last.shift();
      return false;
    },
  };
  const running = await runProgram(io, command, io.stdoutIsTerminal || io.stderrIsTerminal ? [] : [never]);
  signals.to(running.program);
  const end = await running.program.ended;
  await running.passedOn;
  return { end, last };
}

interface ReadReport {
  readonly tables: readonly CostTable[];
  readonly files: { readonly sqlite?: string; readonly stats?: string };
  readonly findings: readonly Finding[];
}

/** The export has times and is read first; the statistics are kept, and stand in for it. */
async function readReport(
  io: Io,
  nsys: Nsys,
  report: string,
  statsFile: string,
  stop: AbortSignal,
): Promise<ReadReport> {
  const statsArgv = nsysStats(nsys.path, report, nsysYear(nsys.versionText));
  const stats = await runTool(statsArgv, io.env, stop);
  if (stats.stdout.trim() !== '') await writeFile(statsFile, stats.stdout);
  // `nsys stats` leaves the export that it reads.
  const made = nsysExport(nsys.path, report);
  const exported = existsSync(made.file) ? undefined : await runTool(made.argv, io.env, stop);
  const sqlite = await readExport(made.file, exported);
  const printed = stats.ok ? readTables(stats.stdout) : [];
  const tables = sqlite.tables.length > 0 ? sqlite.tables : printed;
  if (tables.length === 0 && !stats.ok && sqlite.failed !== undefined)
    throw unreadable(report, stats, sqlite.failed, statsArgv);
  if (tables.length === 0) throw empty(report);
  return {
    tables,
    files: {
      ...(existsSync(made.file) ? { sqlite: made.file } : {}),
      ...(existsSync(statsFile) ? { stats: statsFile } : {}),
    },
    findings: [
      ...(stats.ok ? [] : [statsFailed(stats, statsArgv)]),
      ...(sqlite.failed === undefined ? [] : [exportFailed(sqlite.failed, made.argv)]),
    ],
  };
}

interface ReadExport {
  readonly tables: readonly CostTable[];
  /** Why there is nothing of it. */
  readonly failed?: string;
}

async function readExport(file: string, exported: ToolRun | undefined): Promise<ReadExport> {
  if (!existsSync(file)) return { tables: [], failed: `nsys export ${exported?.ending ?? 'wrote nothing'}` };
  if (statSync(file).size > LARGEST_SQLITE)
    return { tables: [], failed: 'The export is larger than 1 GiB, and is not read' };
  try {
    return { tables: await readNsysSqlite(await readFile(file)) };
  } catch (error) {
    if (!(error instanceof ProfilerError)) throw error;
    return { tables: [], failed: error.finding.what.replace(/\.$/, '') };
  }
}

function statsFailed({ ending }: ToolRun, argv: readonly string[]): Finding {
  return {
    level: 'note',
    id: 'nsys-stats-failed',
    what: `nsys stats ${cleanText(ending)}.`,
    why: 'The tables are of the export instead, which has more in it.',
    fix: shellLine(argv),
  };
}

function exportFailed(failed: string, argv: readonly string[]): Finding {
  return {
    level: 'note',
    id: 'nsys-no-times',
    what: `${cleanText(failed)}: the tables are of nsys stats, which has no times.`,
    why: 'How busy the GPU was and what was warm-up is told by times alone.',
    fix: shellLine(argv),
  };
}

function noReport(
  { argv, report }: NsysProfilePlan,
  { code, signal }: ProgramEnd,
  last: readonly string[],
): ProfilerError {
  const said =
    last.length === 0 ? 'What it said stands above.' : `Its last words: ${last.map(cleanText).join(' / ')}`;
  return new ProfilerError({
    id: 'nsys-no-report',
    what: `nsys ended with ${signal ?? `exit code ${code}`} and left no report (${report}).`,
    why: said,
    fix: shellLine(argv),
  });
}

function unreadable(
  report: string,
  { ending }: ToolRun,
  failed: string,
  argv: readonly string[],
): ProfilerError {
  return new ProfilerError({
    id: 'nsys-unreadable',
    what: `The report ${report} is kept, but could not be read: nsys stats ${cleanText(ending)}.`,
    why: `${cleanText(failed)}.`,
    fix: shellLine(argv),
  });
}

function empty(report: string): ProfilerError {
  return new ProfilerError({
    id: 'nsys-empty',
    what: `The report ${report} holds nothing of CUDA, NVTX or the operating system.`,
    why: 'The program ended before it did anything of the kind, or another process of it did.',
    fix: shellLine(['nsys', 'stats', report]),
  });
}
