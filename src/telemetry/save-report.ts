import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { isMainThread, threadId } from 'node:worker_threads';
import type { Saved } from './api.js';

/** Whole or not at all: written beside it, then put in its place. Lines are those that Pyrite prints, which `profiler tables` knows. */
export function saveText(path: string, text: string): Saved {
  const beside = `${path}.${process.pid}-${threadId}.tmp`;
  try {
    writeFileSync(beside, text);
    renameSync(beside, path);
    return { isSaved: true, line: `[TELEMETRY] Report successfully saved to ${path}` };
  } catch (error) {
    try {
      rmSync(beside, { force: true });
    } catch {
      // What kept it from being written may keep it from being removed.
    }
    return { isSaved: false, line: `[TELEMETRY] ERROR: Failed to write report file: ${reasonOf(error)}` };
  }
}

/** The report is of all threads, so the main one writes it. */
export function saveAtExit(save: () => Saved): void {
  if (!isMainThread) return;
  process.on('exit', () => {
    const { isSaved, line } = save();
    // Nobody else is left to be told.
    if (!isSaved) process.stderr.write(`${line}\n`);
  });
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ');
}
