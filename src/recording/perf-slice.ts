import { writeFile } from 'node:fs/promises';
import {
  type Chunks,
  foldedText,
  type PerfWindow,
  readPerfWindow,
  type WindowOfPerf,
} from '../formats/index.js';
import { totalWeight } from '../model/index.js';

export type { PerfWindow };

/** What became of a slice of perf. */
export interface FoldedPerf extends Omit<WindowOfPerf, 'profile'> {
  /** Counts of all stacks together. */
  readonly samples: number;
}

/** Keeps what `perf script` prints as folded stacks in `path`, which can be read without perf and without the target. */
export async function foldPerfSlice(chunks: Chunks, window: PerfWindow, path: string): Promise<FoldedPerf> {
  const { profile, ...told } = await readPerfWindow(chunks, window);
  let text = '';
  for (const line of foldedText(profile)) text += line;
  await writeFile(path, text, { mode: 0o600 });
  return { ...told, samples: totalWeight(profile) };
}
