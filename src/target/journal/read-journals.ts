import { errorReason } from '../../model/index.js';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../tools/folder.js';
import { journalFolder } from './folder.js';
import { isInUse, type JournalEntry } from './journal.js';
import { isRecord, isTrace } from './trace-shape.js';

/** A file among the journals that tells nothing, and why: it may have told of something that is still there. */
export interface UnreadableJournal {
  readonly path: string;
  /** `it is no JSON`. */
  readonly because: string;
  /** Its content can be looked at: it is a file, and not a pipe or a device. */
  readonly isFile: boolean;
}

export interface JournalsOnDisk {
  /** Oldest first. */
  readonly journals: readonly JournalEntry[];
  readonly unreadable: readonly UnreadableJournal[];
}

/** A journal has a few kilobytes. */
const MOST_BYTES = 1_000_000;

/** Every journal on disk that is to be understood, oldest first. */
export function readJournals(env: Environment): readonly JournalEntry[] {
  return lookIntoJournals(env).journals;
}

/** Every journal on disk, also what cannot be read. Files of another user are left out. */
export function lookIntoJournals(env: Environment): JournalsOnDisk {
  const folder = journalFolder(env);
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return { journals: [], unreadable: [] };
  }
  const found = names.sort().flatMap((name) => readJournal(join(folder, name)) ?? []);
  return {
    journals: found
      .flatMap((one) => ('traces' in one ? [one] : []))
      .sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0)),
    unreadable: found.flatMap((one) => ('because' in one ? [one] : [])),
  };
}

/** Undefined where there is none of ours. */
function readJournal(path: string): JournalEntry | UnreadableJournal | undefined {
  try {
    const facts = lstatSync(path);
    // It names commands to run: one that another user wrote is not ours.
    if (facts.uid !== process.geteuid?.()) return undefined;
    // To open a pipe waits for a writer, for ever.
    if (!facts.isFile()) return { path, because: 'it is no regular file', isFile: false };
    if (facts.size > MOST_BYTES)
      return { path, because: `it has ${facts.size} bytes, which no journal has`, isFile: true };
    return parseJournal(path, readFileSync(path, 'utf8'));
  } catch (error) {
    const code = errorReason(error);
    // Its profiler has just ended.
    return code === 'ENOENT' ? undefined : { path, because: `it cannot be read (${code})`, isFile: true };
  }
}

function parseJournal(path: string, text: string): JournalEntry | UnreadableJournal {
  const unreadable = (because: string): UnreadableJournal => ({ path, because, isFile: true });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return unreadable(text === '' ? 'it is empty' : 'it is damaged: no JSON');
  }
  if (!isRecord(value) || !isRecord(value['owner'])) return unreadable('it is damaged: no journal');
  const { createdAt, traces } = value;
  const { pid, startTicks, mark } = value['owner'];
  const isWhole =
    Number.isSafeInteger(pid) &&
    Number.isSafeInteger(startTicks) &&
    typeof createdAt === 'string' &&
    Array.isArray(traces);
  if (!isWhole) return unreadable('it is damaged: a part is missing');
  const known = traces.filter(isTrace);
  const entry = {
    path,
    owner: {
      pid: Number(pid),
      startTicks: Number(startTicks),
      ...(typeof mark === 'string' ? { mark } : {}),
    },
    createdAt,
    traces: known,
  };
  // A later version that runs knows its own things.
  return known.length === traces.length || isInUse(entry)
    ? entry
    : unreadable('it names a thing that this version does not know');
}
