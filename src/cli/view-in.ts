import { FORMATS, MOST_CHROME_CALLS, chromeCalls } from '../formats/index.js';
import {
  type Finding,
  type Profile,
  ProfilerError,
  filterByThread,
  shellLine,
  withoutUnverifiedEdges,
} from '../model/index.js';
import { cleanText, objectText } from '../report/index.js';
import type { RuleSet } from '../rules/index.js';
import { distinct, requireSamples } from './answer-findings.js';
import { drawn } from './drawn.js';
import type { IntervalFlags } from './flags.js';
import { cutTo } from './interval.js';
import type { Io } from './io.js';
import { printPieces, writeNamedFile } from './output-file.js';
import { type Loaded, loadSource } from './source.js';
import { tellFindings, tellLost } from './tell-findings.js';
import { chooseThreads } from './thread-choice.js';
import { writeView } from './view-files.js';
import { sourceLabels } from './view-names.js';
import { writeFacts } from './write-facts.js';

/** A viewer that is a page of others, and opens files by itself. */
interface Viewer {
  readonly name: string;
  /** Id of the format that it reads. */
  readonly format: string;
  readonly ending: string;
  readonly url: string;
  /** What to press there. */
  readonly press: string;
}

const VIEWERS = {
  firefox: {
    name: 'the Firefox Profiler',
    format: 'firefox',
    ending: '.firefox.json',
    url: 'https://profiler.firefox.com',
    press: 'Load a profile from file',
  },
  perfetto: {
    name: 'Perfetto',
    format: 'chrome',
    ending: '.trace.json',
    url: 'https://ui.perfetto.dev',
    press: 'Open trace file',
  },
} as const satisfies Readonly<Record<string, Viewer>>;

export type OtherViewer = keyof typeof VIEWERS;

export const OTHER_VIEWERS: readonly OtherViewer[] = ['firefox', 'perfetto'];

interface ViewInFlags extends IntervalFlags {
  readonly format?: string;
  readonly thread?: string;
  readonly rate?: number;
  readonly output?: string;
  readonly json?: true;
}

/**
 * `profiler view --in`: writes the file and says how to open it. Nothing is sent: the page is asked for the file in the user's own browser,
 * and reads it there.
 * @throws ProfilerError `one-source` (exit code 2), `cannot-write`.
 */
export async function viewIn(
  io: Io,
  id: OtherViewer,
  named: readonly string[],
  flags: ViewInFlags,
  ruleSet: RuleSet,
): Promise<void> {
  const viewer = VIEWERS[id];
  const [source, ...others] = named;
  if (others.length > 0) throw severalSources(id, viewer, source ?? '');
  const whole = await loadSource(io, source, flags.format, ruleSet);
  const cut = cutTo(whole, flags, { command: `view --in ${id}`, ruleSet });
  const loaded = onlyThreads(cut.loaded, flags.thread);
  requireSamples(loaded);
  const { profile, dropped } = thatOpens(withoutUnverifiedEdges(loaded.profile), viewer);
  const format = FORMATS.find((one) => one.id === viewer.format);
  const facts = writeFacts({ ...whole, profile }, ruleSet);
  const pieces =
    format?.write?.(profile, flags.rate === undefined ? facts : { ...facts, rateHz: flags.rate }) ?? [];
  if (flags.output === '-') return printPieces(io, pieces);
  const path = await written();
  const findings = distinct([
    ...loaded.findings,
    ...(loaded.recording?.findings ?? []),
    ...drawn(loaded.profile).findings,
    ...dropped,
    ...(format?.writeNotes?.(profile) ?? []).filter(
      ({ id: note }) => dropped.length === 0 || note !== 'no-sample-times',
    ),
  ]);
  if (flags.json === true) {
    const told = { sources: [loaded.source], in: id, path, open: viewer.url, lost: profile.lost, findings };
    return io.out(objectText('view', told));
  }
  tellFindings(io, findings);
  tellLost(io, profile.lost);
  io.err(`Written for ${viewer.name}:\n`);
  await io.out(`${cleanText(path)}\n`);
  io.err(
    `  -> open ${viewer.url}, press "${viewer.press}" and choose that file (it is read in your browser, and sent nowhere)\n`,
  );
  return undefined;

  async function written(): Promise<string> {
    if (flags.output === undefined)
      return writeView(io.env, sourceLabels([loaded])[0] ?? '', pieces, viewer.ending);
    await writeNamedFile(io, flags.output, pieces, `profiler view --in ${id} -o FILE`, [loaded.source.path]);
    return flags.output;
  }
}

/** What is more than the viewer should open loses its times: equal stacks are put together, and every width stays right. */
function thatOpens(
  profile: Profile,
  { format }: Viewer,
): { readonly profile: Profile; readonly dropped: readonly Finding[] } {
  const isTimed = profile.samples.timeNs !== undefined;
  if (format !== 'chrome' || !isTimed || chromeCalls(profile, MOST_CHROME_CALLS) <= MOST_CHROME_CALLS)
    return { profile, dropped: [] };
  const { length, stack, thread, weight } = profile.samples;
  const note: Finding = {
    level: 'note',
    id: 'times-dropped',
    what: `In order of time there are more than ${MOST_CHROME_CALLS / 1e6} million calls, more than a browser should open: they are put together by stack.`,
    why: 'Widths and totals are right; when a sample was taken is not shown.',
    fix: 'profiler view --in perfetto --from 3.2 --to 3.4, or: profiler view --in firefox',
  };
  return { profile: { ...profile, samples: { length, stack, thread, weight } }, dropped: [note] };
}

function onlyThreads(loaded: Loaded, wanted: string | undefined): Loaded {
  if (wanted === undefined) return loaded;
  const chosen = chooseThreads(loaded.profile, wanted);
  return { ...loaded, profile: filterByThread(loaded.profile, (_, index) => chosen.has(index)) };
}

function severalSources(id: string, { name }: Viewer, first: string): ProfilerError {
  return new ProfilerError(
    {
      id: 'one-source',
      what: `${name[0]?.toUpperCase() ?? ''}${name.slice(1)} opens one file at a time.`,
      why: 'Several sources side by side are what profiler view shows in speedscope.',
      fix: shellLine(['profiler', 'view', '--in', id, first]),
    },
    2,
  );
}
