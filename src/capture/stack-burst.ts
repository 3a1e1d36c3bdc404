import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { type Profile, ProfilerError } from '../model/index.js';
import { readRawSamples } from '../recording/index.js';
import type { StackDump } from './stack-dump.js';
import { hotLines, readSources } from './source-text.js';

/** Looks a second. A step of 4 % of the time is met by some 16 of them; by 4, where the sampler has no priority and gets its turn while the target sleeps. */
const BURST_HZ = 400;
const BURST_S = 1;
/** A hung sampler must not keep us. */
const PATIENCE_MS = 10_000;

/**
 * Reads the stacks of a process for a second, some 400 times, without stopping it: a look by itself costs the start of a program, and
 * a short step needs many. `priority`: what the sampler's command line begins with. Undefined where that cannot be done.
 */
export async function burstOfStacks(
  pyspy: string,
  pid: number,
  known: StackDump['sources'],
  priority: readonly string[] = [],
): Promise<Profile | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'sim-profiler-'));
  try {
    const file = join(folder, 'burst.raw');
    const what = ['record', '--pid', String(pid), '--idle', '--threads', '--nonblocking', '--full-filenames'];
    const args = [...what, '-f', 'raw', '-r', String(BURST_HZ), '-d', String(BURST_S), '-o', file];
    const [program = pyspy, ...words] = [...priority, pyspy, ...args];
    const run = await execa(program, words, { reject: false, stdin: 'ignore', timeout: PATIENCE_MS });
    if (run.exitCode !== 0) return undefined;
    const raw = await readFile(file);
    const sources = readSources(pid, hotLines(raw.toString('utf8')), known);
    return await readRawSamples(raw, sources);
  } catch (error) {
    if (error instanceof ProfilerError) return undefined;
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
