import os from 'node:os';
import { execa } from 'execa';
import { type FoldedPerf, foldPerfSlice, type PerfWindow } from '../recording/index.js';
import { PERF_ENVIRONMENT } from '../target/index.js';
import type { PerfRoute } from '../target/index.js';

/** What became of a recording of perf. */
export interface ResolvedPerf extends FoldedPerf {
  /** File that can be read without perf and without the target: `slices/000.folded`. */
  readonly file: string;
  /** What perf wrote, which the file was made of: `slices/000.perf.data`. */
  readonly data: string;
  /** What `perf script` said, and how it ended where that is not well. */
  readonly said: string;
}

/** End of the names of what perf writes. */
export const PERF_DATA = '.perf.data';

/** It works while the next slice is sampled, and must not take CPU time that the target wants. */
function makeWay(pid: number | undefined): void {
  try {
    if (pid !== undefined) os.setPriority(pid, os.constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already.
  }
}

/** Printing symbols of large libraries takes seconds. */
const PATIENCE_MS = 120_000;
const SAID_KEPT = 2000;

/**
 * Prints a slice with the symbols that the target has now, sorts what comes as it comes, and keeps the result: nothing in between is
 * written, or whole in memory. `data` is a file of the folder: `slices/000.perf.data`.
 */
export async function resolvePerf(
  script: PerfRoute['script'],
  folder: string,
  data: string,
  window: PerfWindow,
): Promise<ResolvedPerf> {
  const [program = 'perf', ...args] = script(`${folder}/${data}`);
  const child = execa(program, args, {
    reject: false,
    stdin: 'ignore',
    buffer: false,
    timeout: PATIENCE_MS,
    env: PERF_ENVIRONMENT,
  });
  makeWay(child.pid);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said = (said + chunk).slice(-SAID_KEPT);
  });
  const file = data.replace(/\.perf\.data$/, '.folded');
  const told = await foldPerfSlice(child.stdout, window, `${folder}/${file}`);
  const end = await child;
  return {
    ...told,
    file,
    data,
    said: end.exitCode === 0 ? '' : `${said.trim()} (${end.exitCode ?? end.signal ?? end.code ?? 'unknown'})`,
  };
}
