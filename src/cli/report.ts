import { join } from 'node:path';
import { Command } from 'commander';
import { type Finding, ProfilerError } from '../model/index.js';
import type { Recording } from '../recording/index.js';
import {
  type Breakdown,
  type ByNamedStep,
  type ByStep,
  type RecordedFacts,
  type Report,
  type SourcedTable,
  cleanText,
  objectText,
  reportHtml,
  reportMarkdown,
} from '../report/index.js';
import { type Claim, classifyProfile } from '../rules/index.js';
import { type AnswerOptions, answer, answerOptions } from './answer.js';
import { byStepOf, namedStepAnswer } from './by-step-answer.js';
import { drawn } from './drawn.js';
import { flameOf } from './flame.js';
import { type SourceFlags, collect, examples, outputPath, withSource } from './flags.js';
import { hotAnswer, select } from './hot-answer.js';
import type { Io } from './io.js';
import { twoForStdout, writeNamedFile } from './output-file.js';
import { overTimeOf } from './over-time-answer.js';
import { pageAssets } from './page-assets.js';
import { noTables } from './no-tables.js';
import { loadRules } from './rule-files.js';
import { type Loaded, loadSource } from './source.js';
import { timelineOf } from './timeline.js';
import { ownVersion } from './version.js';
import { timedGilFindings } from './timed-gil.js';

interface ReportFlags extends SourceFlags {
  readonly output?: string;
  readonly md?: true;
  readonly tables?: readonly string[];
}

/** Stacks on the page. */
const HOTTEST = 25;

/** Columns of a picture over time: what a phone still tells apart. */
const MOST_MOMENTS = 120;

/** `profiler report`: everything on one page, to look at and to send on. */
export function reportCommand(io: Io): Command {
  return withSource(new Command('report'))
    .description(
      'One self-contained page: the answer, its trust, threads over time, flame graph, hottest stacks.',
    )
    .option(
      '-o, --output <file>',
      'file to write, - for standard output (default: report.html in the recording)',
      outputPath,
    )
    .option(
      '--tables <file>',
      'a log or file of the simulator whose tables belong on the page; may be given several times',
      collect,
    )
    .option('--md', 'a summary in Markdown, for a pull request, on standard output unless -o is given')
    .addHelpText(
      'after',
      examples([
        ['profiler report', 'report.html in the newest recording'],
        ['profiler report my-run -o my-run.html', 'a page to send to a colleague'],
        ['profiler report py-spy.raw -o page.html', 'of a file that py-spy wrote'],
        ['profiler report --tables sim.log', 'with what the simulator printed of itself'],
        ['profiler report --md', 'a summary for a pull request'],
      ]),
    )
    .action((source: string | undefined, flags: ReportFlags) => report(io, source, flags));
}

async function report(io: Io, source: string | undefined, flags: ReportFlags): Promise<void> {
  const ruleSet = await loadRules(io, flags.rules);
  const loaded = await loadSource(io, source, flags.format, ruleSet);
  const output = flags.output ?? defaultOutput(loaded, flags);
  if (output === '-' && flags.json === true) throw twoForStdout('profiler report -o FILE --json');
  const tables = await tablesFor(io, loaded, flags.tables);
  const told = {
    ...(await gather(loaded, answerOptions(ruleSet, flags))),
    ...(tables.length > 0 && { tables }),
  };
  const text = flags.md === true ? reportMarkdown(told) : reportHtml(told, await pageAssets());
  if (output === '-') return io.out(text);
  await writeNamedFile(io, output, [text], 'profiler report -o - > FILE', [loaded.source.path]);
  const bytes = Buffer.byteLength(text);
  if (flags.json === true) {
    const { findings, lost } = told.breakdown;
    return io.out(objectText('report', { source: loaded.source, output, bytes, lost, findings }));
  }
  const open = flags.md === true ? '' : ': open it in any browser';
  io.err(`Wrote ${cleanText(output)} (${Math.ceil(bytes / 1000)} kB)${open}.\n`);
}

/** What the program printed while it was recorded, and what files say that were named. */
async function tablesFor(
  io: Io,
  { recording }: Loaded,
  files: readonly string[] = [],
): Promise<readonly SourcedTable[]> {
  if (recording?.printed === undefined && files.length === 0) return [];
  // Loaded where there is something to read: most reports have no tables.
  const [{ printedTables }, { tablesOfFiles }] = await Promise.all([
    import('./printed-tables.js'),
    import('./table-files.js'),
  ]);
  const own = recording === undefined ? [] : printedTables(recording);
  const found = await tablesOfFiles(io, files);
  if (found.length === 0 && files.length > 0) throw noTables(files.join(' '));
  return [...own, ...found];
}

function defaultOutput({ folder }: Loaded, { md }: ReportFlags): string {
  if (md === true) return '-';
  if (folder !== undefined) return join(folder, 'report.html');
  throw new ProfilerError(
    {
      id: 'no-output',
      what: 'A file to write the report to is missing.',
      why: 'Only the report of a recording has a place of its own, in its folder.',
      fix: 'profiler report SOURCE -o report.html',
    },
    2,
  );
}

/** All that the report tells, from one reading of the source, classified once. */
async function gather(loaded: Loaded, asked: AnswerOptions): Promise<Report> {
  const options = { ...asked, claims: classifyProfile(asked.ruleSet, loaded.profile) };
  const found = answer(loaded, options);
  const steps = await stepsOf(loaded, options.claims, found);
  const told = [
    ...found.findings,
    ...drawn(loaded.profile).findings,
    ...steps.findings,
    ...(await timedGilFindings(loaded, found)),
  ];
  const breakdown = { ...found, findings: told };
  const hot = hotAnswer(loaded, { ...options, by: 'stack', top: HOTTEST });
  const { pooled, claimOf } = select(loaded, options);
  const flame = flameOf(loaded, breakdown, pooled, claimOf);
  const { recording } = loaded;
  const overTime = overTimeOf(loaded, options.claims, breakdown, MOST_MOMENTS);
  const { byStep, byNamedStep } = steps;
  const timeline = recording === undefined ? undefined : timelineOf(recording, breakdown.threads);
  return {
    breakdown,
    hot,
    ...(flame === undefined ? {} : { flame }),
    ...(overTime === undefined ? {} : { overTime }),
    ...(byStep === undefined ? {} : { byStep }),
    ...(byNamedStep === undefined ? {} : { byNamedStep }),
    ...(timeline === undefined ? {} : { timeline }),
    ...(recording === undefined ? {} : { recorded: recordedFacts(recording) }),
    version: ownVersion(),
  };
}

/** A page is none the worse without its steps; why it has none is said. */
async function stepsOf(
  loaded: Loaded,
  claims: readonly Claim[],
  found: Breakdown,
): Promise<{
  readonly byStep?: ByStep | undefined;
  readonly byNamedStep?: ByNamedStep;
  readonly findings: readonly Finding[];
}> {
  try {
    const named = namedStepAnswer(loaded, claims, found);
    if (named !== undefined) return { byNamedStep: named.byStep, findings: [] };
    return { byStep: await byStepOf(loaded, claims, found, 1), findings: [] };
  } catch (error) {
    if (error instanceof ProfilerError) return { findings: [{ ...error.finding, level: 'note' }] };
    throw error;
  }
}

function recordedFacts(recording: Recording): RecordedFacts {
  const { target } = recording;
  const version = recording.backendVersion === undefined ? '' : ` ${recording.backendVersion}`;
  const container = target.containerName ?? target.container;
  return {
    createdAt: recording.createdAt,
    toolVersion: recording.version,
    sampler: `${recording.backend}${version} at ${recording.rateHz} Hz${recording.native ? ', native frames' : ''}`,
    route: recording.route,
    commands: recording.commands,
    slices: recording.slices.length,
    policy: recording.policy,
    target: target.command,
    runtime: `${target.runtime}${target.runtimeVersion === undefined ? '' : ` ${target.runtimeVersion}`}`,
    ...(container === undefined ? {} : { container }),
    machine: recording.machine,
  };
}
