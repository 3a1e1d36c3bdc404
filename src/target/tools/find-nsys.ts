import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ProfilerError } from '../../model/index.js';
import { askProgram, type Asked } from './ask-program.js';
import type { Environment } from './folder.js';

/** An nsys that runs. */
export interface Nsys {
  readonly path: string;
  /** What `nsys --version` prints: `NVIDIA Nsight Systems version 2024.1.1.59-241133802077v0`. */
  readonly versionText: string;
}

/** Where NVIDIA's own packages and the CUDA toolkit put it, which neither adds to PATH. */
const PLACES = ['/opt/nvidia/nsight-systems', '/opt/nvidia/nsight-systems-cli', '/usr/local'] as const;
const BELOW = ['bin/nsys', 'target-linux-x64/nsys'] as const;
/** Folders of releases (`2024.1.1`) and of toolkits (`cuda`, `cuda-12.4`). */
const RELEASE = /^(?:20\d\d\.\d[\d.]*|cuda(?:-[\d.]+)?)$/;

/**
 * Named by PROFILER_NSYS, else from PATH, else where it is installed by itself, the newest. Throws `ProfilerError`: `nsys-missing`,
 * `nsys-broken`.
 */
export async function findNsys(env: Environment, places: readonly string[] = PLACES): Promise<Nsys> {
  const named = env['PROFILER_NSYS'] ?? '';
  const path = named === '' ? (inPath(env) ?? installed(places)) : named;
  if (path === undefined) throw missing();
  const run = await askProgram(path, ['--version'], env);
  const versionText = /^.*\bversion 20\d\d\.\d.*$/m.exec(run.stdout)?.[0];
  if (run.exitCode === 0 && versionText !== undefined) return { path, versionText };
  throw broken(path, named !== '', run);
}

function inPath(env: Environment): string | undefined {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, 'nsys')).find((path) => existsSync(path));
}

function installed(places: readonly string[]): string | undefined {
  const releases = places.flatMap((place) =>
    namesIn(place)
      .filter((name) => RELEASE.test(name))
      .toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }))
      .map((name) => join(place, name)),
  );
  return releases
    .flatMap((folder) => BELOW.map((file) => join(folder, file)))
    .find((path) => existsSync(path));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function missing(): ProfilerError {
  return new ProfilerError({
    id: 'nsys-missing',
    what: 'nsys (NVIDIA Nsight Systems) was not found.',
    why: 'It is neither in PATH nor where its package and the CUDA toolkit put it. It comes from NVIDIA: apt-get install nsight-systems-cli from their repository, or https://developer.nvidia.com/nsight-systems.',
    fix: 'PROFILER_NSYS=/path/to/nsys profiler run --nsys -- …',
  });
}

function broken(path: string, isNamed: boolean, run: Asked): ProfilerError {
  const said = (run.stderr || run.stdout).trim().split('\n')[0]?.slice(0, 200) ?? '';
  const end = run.timedOut
    ? 'It did not answer --version within 10 s.'
    : `Its --version ended with ${run.exitCode ?? run.code ?? run.signal ?? 'nothing'}${said === '' ? '.' : ` and said: ${said}`}`;
  return new ProfilerError({
    id: 'nsys-broken',
    what: `${path}${isNamed ? ', as named by PROFILER_NSYS,' : ''} is no nsys that runs.`,
    why: end,
    fix: 'PROFILER_NSYS=/path/to/nsys profiler run --nsys -- …',
  });
}
