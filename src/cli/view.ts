import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { basename } from 'node:path';
import { Command, Option } from 'commander';
import { speedscopeText } from '../formats/index.js';
import { type Finding, type Lost, ProfilerError, shellLine } from '../model/index.js';
import { cleanText, objectText } from '../report/index.js';
import { answerOptions } from './answer.js';
import { distinct } from './answer-findings.js';
import { drawn } from './drawn.js';
import {
  type IntervalFlags,
  SOURCE_HELP,
  examples,
  outputPath,
  sampledRate,
  withInterval,
  withRules,
} from './flags.js';
import { cutTo } from './interval.js';
import { interrupted } from './interrupt.js';
import type { Io } from './io.js';
import { printPieces, twoForStdout, writeNamedFile } from './output-file.js';
import { loadRules } from './rule-files.js';
import { type Loaded, loadSource } from './source.js';
import { speedscopeView } from './speedscope-view.js';
import { tellFindings, tellLost } from './tell-findings.js';
import { writeView } from './view-files.js';
import { OTHER_VIEWERS, type OtherViewer, viewIn } from './view-in.js';
import { viewerFiles } from './view-page.js';
import type { View } from './view-profile.js';
import { serveView } from './view-serve.js';
import { PROFILE_NAME, TRACE_NAME } from './view-server.js';
import { howToOpen, viewedText } from './view-text.js';
import { type Surroundings, tunnelLine, viewWay } from './view-way.js';
import { viewersOwnFile } from './viewers-own-file.js';

interface ViewFlags extends IntervalFlags {
  readonly format?: string;
  readonly thread?: string;
  readonly rules?: readonly string[];
  readonly rate?: number;
  readonly in?: OtherViewer;
  readonly open: boolean;
  readonly once?: true;
  readonly output?: string;
  readonly json?: true;
}

/** `profiler view`: a source in speedscope. */
export function viewCommand(io: Io): Command {
  return withInterval(
    withRules(
      new Command('view')
        .description('Shows recordings or profile files in speedscope, served to this machine alone.')
        .argument('[sources...]', SOURCE_HELP)
        .option('--no-open', 'do not open a browser, only print the address')
        .option('--once', 'end as soon as a browser has loaded it')
        .addOption(
          new Option('--in <viewer>', 'write the file for that viewer and say how to open it there')
            .choices([...OTHER_VIEWERS])
            .conflicts(['once', 'open']),
        )
        .option(
          '-o, --output <file>',
          'write the file for the viewer there (- for standard output), and do nothing else',
          outputPath,
        )
        .option('--format <id>', 'format of the files, where their content is not enough')
        .option('--thread <thread>', 'NAME, TID or /regex/ of the threads to show'),
    ),
  )
    .option('--rate <hz>', 'rate that a bare file was sampled at: its samples become seconds', sampledRate)
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      examples([
        ['profiler view', 'the newest recording, in your browser'],
        ['profiler view before after', 'two recordings, thread by thread'],
        ['profiler view py-spy.raw --rate 100', 'a file that py-spy wrote, in seconds'],
        ['profiler view --no-open', 'print the address, for a browser at the other end of ssh'],
        ['profiler view --in firefox', 'a file for profiler.firefox.com; perfetto: for ui.perfetto.dev'],
        ['profiler view -o demo.speedscope.json', 'a file to keep or to send'],
      ]),
    )
    .action((sources: readonly string[], flags: ViewFlags) => view(io, sources, flags));
}

/** Everything that is shown, and how to tell of it. */
interface Prepared extends Pick<View, 'order' | 'threads' | 'findings'> {
  readonly pieces: () => Iterable<string>;
  readonly profileName: string;
  /** In a few words, cleaned. */
  readonly text: string;
  readonly title: string;
  readonly sources: readonly (Loaded['source'] & { readonly lost?: Lost })[];
}

async function view(io: Io, named: readonly string[], flags: ViewFlags): Promise<void> {
  if (flags.output === '-' && flags.json === true) throw twoForStdout('profiler view -o FILE --json');
  if (flags.in !== undefined) return viewIn(io, flags.in, named, flags, await loadRules(io, flags.rules));
  const shown = (await asItIs(io, named, flags)) ?? (await prepare(io, named, flags));
  const { pieces } = shown;
  const tell = (where: object): Promise<void> | void => {
    if (flags.json === true) return io.out(viewJson(shown, where));
    tellFindings(io, shown.findings);
    for (const { lost } of shown.sources) if (lost !== undefined) tellLost(io, lost);
  };
  if (flags.output === '-') return printPieces(io, pieces());
  if (flags.output !== undefined) {
    const made = shown.sources.map(({ path }) => path);
    await writeNamedFile(io, flags.output, pieces(), 'profiler view -o FILE', made);
    await tell({ path: flags.output });
    if (flags.json !== true) io.err(`Wrote ${shown.text}, to ${cleanText(flags.output)}.\n`);
    return;
  }
  const here: Surroundings = {
    env: io.env,
    platform: process.platform,
    isTerminal: io.stdoutIsTerminal,
    hostname: hostname(),
  };
  const way = viewWay(here, flags.open);
  if (way.kind === 'write') return keep(way.why);
  const token = randomBytes(24).toString('base64url');
  let where: object = {};
  const end = await serveView(io, {
    exhibit: { token, page: viewerFiles(), profile: pieces, profileName: shown.profileName },
    opens: way.opens,
    once: flags.once === true,
    leaves: way.leaves,
    announce: async ({ url, port }) => {
      const address = `${url}#profileURL=${shown.profileName}&view=${shown.order}`;
      const ssh = way.overSsh ? tunnelLine(here, port) : undefined;
      where = { url: address, ...(ssh === undefined ? {} : { ssh }) };
      // Nobody can type while it is served, and what comes of it is told in one object.
      if (way.leaves) return address;
      await tell(where);
      if (flags.json === true) return address;
      io.err(`${shown.text}: served to this machine alone. Ctrl-C ends it.\n`);
      await io.out(`${address}\n`);
      if (ssh !== undefined)
        io.err(`  -> ${cleanText(ssh)}  (where your browser is; then open that address there)\n`);
      return address;
    },
  });
  if (!way.leaves) return undefined;
  // Nobody reads what is printed then, and its address would lead nowhere.
  if (end.kind === 'interrupted') throw interrupted(' before a browser had loaded it', 'nothing was shown');
  if (end.kind === 'unseen') return keep(`No browser could be opened (${end.why}).`);
  await tell(where);
  if (flags.json !== true) io.err(`${shown.text}: opened in your browser.\n`);
  return undefined;

  /** Writes it where a browser can read it, and says how. */
  async function keep(why: string): Promise<void> {
    // The viewer tells the format by the end of the name.
    const path = await writeView(io.env, shown.title, pieces(), shown.profileName.replace('profile', ''));
    await tell({ path });
    if (flags.json === true) return;
    io.err(`${cleanText(why)} ${shown.text}, written to:\n`);
    await io.out(`${cleanText(path)}\n`);
    io.err(howToOpen(path, named, flags));
  }
}

/** The second reading would find nothing, and pass for a target that was idle. */
function stdinTwice(named: readonly string[]): ProfilerError {
  const once = named.filter((source, index) => source !== '-' || index === named.indexOf('-'));
  return new ProfilerError(
    {
      id: 'stdin-twice',
      what: 'Standard input is named more than once.',
      why: 'It can be read only once.',
      fix: shellLine(['profiler', 'view', ...once]),
    },
    2,
  );
}

async function prepare(io: Io, named: readonly string[], flags: ViewFlags): Promise<Prepared> {
  if (named.filter((source) => source === '-').length > 1) throw stdinTwice(named);
  const ruleSet = await loadRules(io, flags.rules);
  const loaded: Loaded[] = [];
  for (const source of named.length === 0 ? [undefined] : named)
    loaded.push(
      cutTo(await loadSource(io, source, flags.format, ruleSet), flags, { command: 'view', ruleSet }).loaded,
    );
  const shown = speedscopeView(loaded, answerOptions(ruleSet, flags));
  const findings = loaded.flatMap((one) =>
    distinct([...one.findings, ...(one.recording?.findings ?? []), ...drawn(one.profile).findings]),
  );
  return {
    ...shown,
    pieces: () => speedscopeText(shown.file),
    profileName: PROFILE_NAME,
    text: viewedText(shown),
    sources: loaded.map(({ source, profile: { lost } }) => ({
      ...source,
      ...(lost.lines > 0 || lost.samples > 0 ? { lost } : {}),
    })),
    findings: [...unlike(findings), ...shown.findings],
  };
}

/** Undefined where the viewer cannot read it as it is, or something is to be done with it first. */
async function asItIs(io: Io, named: readonly string[], flags: ViewFlags): Promise<Prepared | undefined> {
  const [name, ...more] = named;
  const { format, thread, from, to, rate } = flags;
  const isWhole = [format, thread, from, to, rate].every((flag) => flag === undefined);
  const file = name === undefined || more.length > 0 || !isWhole ? undefined : await viewersOwnFile(io, name);
  if (name === undefined || file === undefined) return undefined;
  return {
    pieces: () => [file.text],
    profileName: file.format === 'speedscope' ? PROFILE_NAME : TRACE_NAME,
    text: `${cleanText(basename(name))}, ${file.isAsItIs ? 'as it is' : 'what is whole of it'}`,
    title: basename(name),
    order: 'time-ordered',
    threads: [],
    sources: [{ path: name, format: file.format }],
    findings: file.findings,
  };
}

/** The same sentence about several sources once. */
function unlike(findings: readonly Finding[]): Finding[] {
  return findings.filter(
    ({ id, what }, index) => findings.findIndex((one) => one.id === id && one.what === what) === index,
  );
}

/** `kind: "view"`. */
function viewJson({ sources, order, threads, findings }: Prepared, where: object): string {
  return objectText('view', { sources, ...where, view: order, profiles: threads, findings });
}
