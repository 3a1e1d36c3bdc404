import { rm } from 'node:fs/promises';
import { ProfilerError, errorReason } from '../model/index.js';
import { createdMs, listRecordings } from './list-recordings.js';
import type { RecordingEntry } from './list-recordings.js';

const DAY_MS = 86_400_000;

export interface PruneWish {
  /** This many newest stay, however old. */
  readonly keep?: number;
  /** Only those made longer ago than this go. */
  readonly olderThanDays?: number;
  /** Say what would go, remove nothing. */
  readonly dryRun?: boolean;
}

export interface Pruned {
  readonly removed: readonly RecordingEntry[];
  readonly kept: readonly RecordingEntry[];
}

/**
 * Removes recordings under `./recordings`. What is not a recording that this version can read whole is never touched:
 * other folders, links, damaged and newer recordings, those under way. Without any wish nothing goes.
 * @throws ProfilerError `recording-not-removed`, as `listRecordings`.
 */
export async function pruneRecordings(cwd: string, wish: PruneWish, now: Date): Promise<Pruned> {
  const { recordings } = await listRecordings(cwd);
  const goes = (entry: RecordingEntry, rank: number): boolean => {
    if (wish.keep === undefined && wish.olderThanDays === undefined) return false;
    const old =
      wish.olderThanDays === undefined || now.getTime() - createdMs(entry) > wish.olderThanDays * DAY_MS;
    return rank >= (wish.keep ?? 0) && old;
  };
  const removed = recordings.filter(goes);
  const kept = recordings.filter((entry, rank) => !goes(entry, rank));
  if (wish.dryRun !== true) for (const entry of removed) await remove(entry);
  return { removed, kept };
}

async function remove(entry: RecordingEntry): Promise<void> {
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
