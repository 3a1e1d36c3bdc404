import { rm } from 'node:fs/promises';
import { ProfilerError, errorReason } from '../model/index.js';
import { createdMs, listRecordings } from './list-recordings.js';
import type { RecordingEntry } from './list-recordings.js';
import { mayBeAtWork } from './unfinished-recording.js';

const DAY_MS = 86_400_000;

export interface PruneWish {
  /** This many newest stay, however old. */
  readonly keep?: number;
  /** Only those made longer ago than this go. */
  readonly olderThanDays?: number;
  /** Say what would go, remove nothing. */
  readonly dryRun?: boolean;
}

export type PrunedEntry = Pick<RecordingEntry, 'name' | 'path'>;

export interface Pruned {
  readonly removed: readonly PrunedEntry[];
  readonly kept: readonly PrunedEntry[];
}

/**
 * Removes recordings under `./recordings`, unfinished ones too. What is not a recording that this version can read whole is never touched:
 * other folders, links, damaged and newer recordings, those under way. Without any wish nothing goes.
 * @throws ProfilerError `recording-not-removed`, as `listRecordings`.
 */
export async function pruneRecordings(cwd: string, wish: PruneWish, now: Date): Promise<Pruned> {
  const { recordings, unfinished } = await listRecordings(cwd);
  const all: readonly Aged[] = [
    ...recordings.map((entry) => ({ name: entry.name, path: entry.path, madeMs: createdMs(entry) })),
    ...unfinished
      .filter((entry) => !mayBeAtWork(entry, now))
      .map(({ name, path, writtenMs }) => ({ name, path, madeMs: writtenMs })),
  ].sort((a, b) => b.madeMs - a.madeMs);
  const goes = ({ madeMs }: Aged, rank: number): boolean => {
    if (wish.keep === undefined && wish.olderThanDays === undefined) return false;
    const old = wish.olderThanDays === undefined || now.getTime() - madeMs > wish.olderThanDays * DAY_MS;
    return rank >= (wish.keep ?? 0) && old;
  };
  const removed = all.filter(goes);
  const kept = all.filter((entry, rank) => !goes(entry, rank));
  if (wish.dryRun !== true) for (const entry of removed) await remove(entry);
  return { removed, kept };
}

interface Aged extends PrunedEntry {
  readonly madeMs: number;
}

async function remove(entry: PrunedEntry): Promise<void> {
  try {
    await rm(entry.path, { recursive: true });
  } catch (error) {
    throw new ProfilerError({
      id: 'recording-not-removed',
      what: `${entry.path} could not be removed (${errorReason(error)}).`,
      why: 'It may belong to another user; those named before it are gone.',
      fix: 'sudo profiler recordings prune',
    });
  }
}
