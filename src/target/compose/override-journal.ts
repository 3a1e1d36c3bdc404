import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import {
  isInUse,
  type Journal,
  type JournalEntry,
  type OverrideUndo,
  type Trace,
} from '../journal/journal.js';
import { readJournals } from '../journal/read-journals.js';
import type { Environment } from '../tools/folder.js';

export interface JournalledOverride {
  readonly undo: OverrideUndo;
  readonly createdAt: string;
  /** The process that applied it still works with it. */
  readonly inUse: boolean;
}

/** Every override that was applied and not undone, oldest first. */
export function listOverrides(env: Environment): readonly JournalledOverride[] {
  const found = new Map<string, JournalledOverride>();
  for (const entry of readJournals(env)) {
    for (const undo of undosOf(entry.traces)) {
      // A crash between two writes leaves both: the later one is the truth.
      found.delete(undo.folder);
      found.set(undo.folder, { undo, createdAt: entry.createdAt, inUse: isInUse(entry) });
    }
  }
  return [...found.values()];
}

function undosOf(traces: readonly Trace[]): readonly OverrideUndo[] {
  return traces.flatMap((trace) => (trace.kind === 'override' ? [trace.undo] : []));
}

/** Where an override is written down: the journal of this process, and those that other processes left. */
export interface OverrideBook {
  /** Writes it down, in place of what was written about the same folder. Says why where the disk refuses. */
  readonly write: (undo: OverrideUndo) => string | undefined;
  readonly forget: (undo: OverrideUndo) => void;
}

/** `journal` is that of this process. Without one only entries that exist already are changed. */
export function overrideBook(env: Environment, journal?: Journal): OverrideBook {
  const forgetOurs = (undo: OverrideUndo, but?: OverrideUndo): void => {
    for (const trace of journal?.traces() ?? [])
      if (trace.kind === 'override' && trace.undo.folder === undo.folder && trace.undo !== but)
        journal?.remove(trace);
  };
  return {
    write: (undo) => {
      rewriteLeft(env, journal, undo.folder, () => [undo]);
      const isOurs = journal?.traces().some((trace) => isAbout(trace, undo.folder)) === true;
      const isLeft = listOverrides(env).some((one) => one.undo.folder === undo.folder);
      if (journal === undefined || (isLeft && !isOurs)) return undefined;
      journal.add({ kind: 'override', undo });
      forgetOurs(undo, undo);
      return journal.failed();
    },
    forget: (undo) => {
      forgetOurs(undo);
      rewriteLeft(env, journal, undo.folder, () => []);
    },
  };
}

function isAbout(trace: Trace, folder: string): boolean {
  return trace.kind === 'override' && trace.undo.folder === folder;
}

/** Changes what processes that ended wrote about a folder. */
function rewriteLeft(
  env: Environment,
  journal: Journal | undefined,
  folder: string,
  now: () => readonly OverrideUndo[],
): void {
  for (const entry of readJournals(env)) {
    if (entry.path === journal?.path || !entry.traces.some((trace) => isAbout(trace, folder))) continue;
    const others = entry.traces.filter((trace) => !isAbout(trace, folder));
    save(entry, [...others, ...now().map((undo) => ({ kind: 'override' as const, undo }))]);
  }
}

function save(entry: JournalEntry, traces: readonly Trace[]): void {
  if (traces.length === 0) {
    rmSync(entry.path, { force: true });
    return;
  }
  const { path, ...kept } = entry;
  const text = `${JSON.stringify({ ...kept, traces }, undefined, 2)}\n`;
  if (text === readFileSync(path, 'utf8')) return;
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
