import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, shellLine } from '../../model/index.js';
import type { Engine } from '../docker/engine.js';
import { journalFolder } from '../journal/folder.js';
import { isInUse, type JournalEntry, type OverrideUndo, type Trace } from '../journal/journal.js';
import { lookIntoJournals, type UnreadableJournal } from '../journal/read-journals.js';
import { readStat } from '../proc/stat.js';
import type { Environment } from '../tools/folder.js';
import { engineRemedy, type FindEngine } from './engine-remedy.js';
import { inspectorRemedy } from './inspector-remedy.js';
import { overrideRemedy, restorer, type RestoreOverride } from './override-remedy.js';
import { orphans, type OwnedProcess } from './owned-processes.js';
import { leftProbes, probeRemedy } from './probe-remedy.js';
import { processRemedy, samplerRemedy } from './process-remedy.js';
import { apply, type CleanupChoices, type CleanupItem, type Remedy, type Stays } from './remedy.js';
import { sweepEngine } from './sweep-engine.js';

export interface CleanupOptions extends CleanupChoices {
  readonly env: Environment;
  /** Connects to the engine that a `DOCKER_HOST` names, or to the user's own. Rejects where it does not answer. */
  readonly openEngine: (host: string | undefined) => Promise<Engine>;
  /** Undoes an override, unless a test has another way. */
  readonly restore?: RestoreOverride;
  /** The samplers of this machine whose profiler has ended, unless a test has others. */
  readonly findOrphans?: () => readonly OwnedProcess[];
  /** Names of probes whose profiler has ended, unless a test has others. */
  readonly findProbes?: () => readonly string[];
}

export interface Cleanup {
  readonly items: readonly CleanupItem[];
  /** Things of profilers that still run: left alone. */
  readonly inUse: number;
  /** What could not be looked at. */
  readonly findings: readonly Finding[];
}

/** Samplers first, so that they let go of their targets and files; the override last, since it takes the container away. */
const ORDER: readonly Trace['kind'][] = [
  'process',
  'probed',
  'uprobe',
  'inspector',
  'file',
  'container',
  'image',
  'override',
];

/** Takes back what ended profilers left behind, by their journals, their marks on processes, and their labels on an engine. */
export async function cleanUp(options: CleanupOptions): Promise<Cleanup> {
  const { journals, unreadable } = lookIntoJournals(options.env);
  const inUse = journals.filter(isInUse).flatMap(({ traces }) => traces);
  const find = engineFinder(options.openEngine);
  const findings: Finding[] = [];
  const restore = options.restore ?? restorer(options.env, find);
  const remedyFor = (trace: Trace): Remedy =>
    remedyOf(trace, find, (undo) => overrideRemedy(undo, restore, (said) => void findings.push(...said)));
  const items: CleanupItem[] = [];
  const add = async (remedy: Remedy): Promise<CleanupItem> => {
    const known = items.find(({ what }) => what === remedy.what);
    if (known !== undefined) return known;
    const item = await apply(remedy, options);
    items.push(item);
    return item;
  };
  const ended = journals
    .filter((one) => !isInUse(one))
    .map((entry) => ({ entry, left: leftOf(entry, inUse) }));
  // One kind after the other over all journals: an image goes only once no container is made from it.
  const states = new Map<JournalEntry, CleanupItem['state'][]>(ended.map(({ entry }) => [entry, []]));
  for (const kind of ORDER)
    for (const { entry, left } of ended)
      for (const trace of left.filter((one) => one.kind === kind))
        states.get(entry)?.push((await add(remedyFor(trace))).state);
  for (const [entry, found] of states) items.push(...closeJournal(entry, found, options.dryRun));
  items.push(...unreadable.map(unreadableItem));
  for (const life of (options.findOrphans ?? orphans)()) await add(samplerRemedy(life));
  for (const group of (options.findProbes ?? leftProbes)()) await add(probeRemedy({ kind: 'uprobe', group }));
  const engine = await find(undefined);
  if ('because' in engine) findings.push(notAsked(engine));
  else {
    try {
      for (const remedy of await sweepEngine(engine, inUse, find)) await add(remedy);
    } catch (error) {
      findings.push(notAsked({ because: error instanceof Error ? error.message : String(error) }));
    }
  }
  if (!options.dryRun) removeUnfinished(options.env);
  return { items: items.filter(({ state }) => state !== 'gone'), inUse: inUse.length, findings };
}

/** What a journal tells of that is still to be looked for. */
function leftOf({ traces }: JournalEntry, inUse: readonly Trace[]): readonly Trace[] {
  return traces.filter(
    (trace, index) => !isOutdated(trace, traces.slice(index + 1)) && !isShared(trace, inUse),
  );
}

/** Removes a journal of which nothing is left. Answers what is to say about the journal itself. */
function closeJournal(
  journal: JournalEntry,
  states: readonly CleanupItem['state'][],
  dryRun: boolean,
): readonly CleanupItem[] {
  if (states.includes('left')) return [];
  if (!dryRun) rmSync(journal.path, { force: true });
  if (states.some((state) => state !== 'gone')) return [];
  const state = dryRun ? 'planned' : 'done';
  return [
    {
      kind: 'journal',
      what: `journal of a run of ${journal.createdAt} that left nothing`,
      verb: 'removed',
      state,
    },
  ];
}

/** What it told of cannot be known, so nobody but a person may remove it. */
function unreadableItem({ path, because, isFile }: UnreadableJournal): CleanupItem {
  const look = shellLine(isFile ? ['head', '-c', '2000', path] : ['ls', '-ld', path]);
  return {
    kind: 'journal',
    what: `journal ${path}`,
    verb: 'removed',
    state: 'left',
    because: `${because}, so what it names may be left too`,
    fix: `${look}  (look at it, then remove it: ${shellLine(['rm', ...(isFile ? [] : ['-r']), path])})`,
  };
}

/** A crash between two writes leaves two about one override: the later one is the truth. */
function isOutdated(trace: Trace, later: readonly Trace[]): boolean {
  return (
    trace.kind === 'override' &&
    later.some((other) => other.kind === 'override' && other.undo.folder === trace.undo.folder)
  );
}

/** An image is shared by all profilers of an engine. */
function isShared(trace: Trace, inUse: readonly Trace[]): boolean {
  return (
    trace.kind === 'image' &&
    inUse.some(
      (other) =>
        other.kind === 'image' && other.engine === trace.engine && other.reference === trace.reference,
    )
  );
}

function remedyOf(trace: Trace, find: FindEngine, ofOverride: (undo: OverrideUndo) => Remedy): Remedy {
  switch (trace.kind) {
    case 'process':
    case 'probed':
      return processRemedy(trace);
    case 'uprobe':
      return probeRemedy(trace);
    case 'inspector':
      return inspectorRemedy(trace);
    case 'container':
    case 'image':
    case 'file':
      return engineRemedy(trace, find);
    case 'override':
      return ofOverride(trace.undo);
  }
}

/** Each engine is asked for once. */
function engineFinder(
  open: CleanupOptions['openEngine'],
): (host: string | undefined) => Promise<Engine | Stays> {
  const asked = new Map<string | undefined, Promise<Engine | Stays>>();
  const ask = (host: string | undefined): Promise<Engine | Stays> =>
    open(host).catch((error: unknown) => ({
      because: `the engine does not answer (${error instanceof Error ? error.message : String(error)})`,
      fix: `${host === undefined ? '' : `DOCKER_HOST=${host} `}docker version`,
    }));
  return (host) => {
    const known = asked.get(host) ?? ask(host);
    asked.set(host, known);
    return known;
  };
}

function notAsked({ because }: Stays): Finding {
  return {
    level: 'note',
    id: 'cleanup-no-engine',
    what: 'No container engine was asked for containers and images of ours.',
    why: `Without one there are none: ${because}.`,
  };
}

/** A profiler that was killed while it wrote its journal leaves the unfinished one; what it told of was not made yet. */
function removeUnfinished(env: Environment): void {
  const folder = journalFolder(env);
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return;
  }
  for (const name of names) {
    const pid = /^(\d+)-[0-9a-f]{8}\.json\.new$/.exec(name)?.[1];
    if (pid !== undefined && readStat(Number(pid)) === undefined) rmSync(join(folder, name), { force: true });
  }
}
