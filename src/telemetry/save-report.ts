import { chmodSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isMainThread, threadId } from 'node:worker_threads';
import type { Saved } from './api.js';

/** Whole or not at all. Lines are those that Pyrite prints, which `profiler tables` knows. */
export function saveText(path: string, text: string): Saved {
  try {
    write(path, text);
    return { isSaved: true, line: `[TELEMETRY] Report successfully saved to ${path}` };
  } catch (error) {
    return { isSaved: false, line: `[TELEMETRY] ERROR: Failed to write report file: ${reasonOf(error)}` };
  }
}

/** Written beside the file, then put in its place, behind a link too and with the rights that the old one had. */
function write(path: string, text: string): void {
  const old = statSync(path, { throwIfNoEntry: false });
  // A pipe or a device is not replaced.
  if (old !== undefined && !old.isFile()) {
    writeFileSync(path, text);
    return;
  }
  const target = old === undefined ? path : realpathSync(path);
  const beside = `${target}.${process.pid}-${threadId}.tmp`;
  try {
    writeFileSync(beside, text);
    if (old !== undefined) chmodSync(beside, old.mode);
    renameSync(beside, target);
  } catch (error) {
    remove(beside);
    throw error;
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // What kept it from being written may keep it from being removed.
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
