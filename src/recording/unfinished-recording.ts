import { readdir, stat } from 'node:fs/promises';
import { basename, isAbsolute, join, relative } from 'node:path';
import { type Finding, shellLine } from '../model/index.js';
import { MANIFEST } from './manifest-file.js';

/** A folder with samples and without a manifest: its profiler was killed in the first slice, or is still at work. */
export interface UnfinishedRecording {
  /** Name of its folder. */
  readonly name: string;
  readonly path: string;
  /** Its first file of samples. */
  readonly file: string;
  /** When samples were last written to it. */
  readonly writtenMs: number;
}

const SLICES = 'slices';
const SAMPLES = /^\d+(?:\.samples|\.raw|\.perf\.data|\.cpuprofile)$/;

/** Whether a file of a slice is what a sampler wrote, by its name. */
export function isOfSampler(name: string): boolean {
  return SAMPLES.test(name);
}

/** Every sampler writes more often than this while it is at work. */
const AT_WORK_MS = 10_000;

/** What a folder is, if it is an unfinished recording. One that cannot be looked into is none. */
export async function unfinishedAt(path: string): Promise<UnfinishedRecording | undefined> {
  if (await exists(join(path, MANIFEST))) return undefined;
  const names = await readdir(join(path, SLICES)).catch((): string[] => []);
  let file: string | undefined;
  let writtenMs = 0;
  for (const name of names.filter(isOfSampler).sort()) {
    const found = await stat(join(path, SLICES, name)).catch(() => undefined);
    if (found === undefined || !found.isFile() || found.size === 0) continue;
    file ??= join(path, SLICES, name);
    writtenMs = Math.max(writtenMs, found.mtimeMs);
  }
  return file === undefined ? undefined : { name: basename(path), path, file, writtenMs };
}

/** Whether samples may still come: it is not to be removed then. */
export function mayBeAtWork({ writtenMs }: UnfinishedRecording, now: Date): boolean {
  return now.getTime() - writtenMs < AT_WORK_MS;
}

/** What to say of it, and the line that reads its samples from `cwd`. */
export function unfinishedFinding({ path, file }: UnfinishedRecording, cwd: string): Omit<Finding, 'level'> {
  const named = fromHere(cwd, file);
  return {
    id: 'recording-unfinished',
    what: `The recording ${fromHere(cwd, path)} was never finished: it holds samples, but no ${MANIFEST}.`,
    why: 'Its profiler was killed, or is still at work; its samples can be read without what the kernel counted.',
    fix: file.endsWith('.perf.data')
      ? `${shellLine(['perf', 'script', '-i', named])} | profiler hot -`
      : shellLine(['profiler', 'hot', named]),
  };
}

function fromHere(cwd: string, path: string): string {
  const inner = relative(cwd, path);
  return inner === '' || inner.startsWith('..') || isAbsolute(inner) ? path : inner;
}

/** Whatever cannot be told apart from being there is left alone. */
async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  );
}
