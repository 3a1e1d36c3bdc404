import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { release } from 'node:os';
import { ProfilerError } from '../../model/index.js';
import { askProgram } from './ask-program.js';
import type { Environment } from './folder.js';

export interface Perf {
  readonly path: string;
  readonly version: string;
}

/** The first that says when it begins to measure. */
const OLDEST = [5, 9] as const;

/** Debian and Ubuntu name the packages differently; `id` as in os-release(5). */
function packageOf(id: string): string {
  if (id === 'debian') return 'apt-get install linux-perf';
  if (id === 'ubuntu') return `apt-get install linux-tools-generic linux-tools-${release()}`;
  if (['fedora', 'rhel', 'centos', 'rocky', 'almalinux'].includes(id)) return 'dnf install perf';
  if (id === 'arch') return 'pacman -S perf';
  if (id === 'alpine') return 'apk add perf';
  return "your distribution's package perf";
}

function distribution(path = '/etc/os-release'): string {
  try {
    return /^ID="?([\w-]+)"?$/m.exec(readFileSync(path, 'utf8'))?.[1] ?? '';
  } catch {
    return '';
  }
}

/** What `perf --version` came to. */
export interface PerfAnswer {
  /** `ENOENT` where there is no such program. */
  readonly code?: string;
  readonly exitCode?: number;
  /** Both outputs. */
  readonly said: string;
}

/** Reads the answer of `perf --version`. Throws `ProfilerError`: `perf-missing`, `perf-wrapper`, `perf-too-old`, `perf-broken`. */
export function readPerfVersion(answer: PerfAnswer, path = 'perf', id = distribution()): Perf {
  const install = packageOf(id);
  if (answer.code === 'ENOENT')
    throw new ProfilerError({
      id: 'perf-missing',
      what: 'The sampler perf was not found.',
      why: 'It is not in PATH.',
      fix: install,
    });
  const [, version, major, minor] = /^perf version ((\d+)\.(\d+)\S*)/m.exec(answer.said) ?? [];
  if (answer.exitCode === 0 && version !== undefined) {
    const isOld = Number(major) < OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) < OLDEST[1]);
    if (!isOld) return { path, version };
    throw new ProfilerError({
      id: 'perf-too-old',
      what: `perf ${version} is too old.`,
      why: `It does not say when it begins to measure; ${OLDEST.join('.')} is the oldest that does. A perf newer than the kernel works.`,
      fix: install,
    });
  }
  // The wrapper of Ubuntu looks for the one that was built with the running kernel.
  if (/not found for kernel/i.test(answer.said))
    throw new ProfilerError({
      id: 'perf-wrapper',
      what: `The perf in PATH is a wrapper, and there is no perf for kernel ${release()}.`,
      why: 'The distribution packs one for each of its own kernels; in a container the kernel is that of the host.',
      fix: id === 'ubuntu' ? install : `${install}  (its version need not be the kernel's)`,
    });
  const said = answer.said.trim().split('\n')[0]?.slice(0, 200) ?? '';
  throw new ProfilerError({
    id: 'perf-broken',
    what: 'The perf in PATH cannot be used.',
    why: `perf --version ended with ${answer.exitCode ?? answer.code ?? 'nothing'}${said === '' ? '' : ` and said: ${said}`}.`,
    fix: install,
  });
}

async function ask(path: string, env: Environment): Promise<Perf> {
  const run = await askProgram(path, ['--version'], env);
  return readPerfVersion(
    {
      ...(run.code === undefined ? {} : { code: run.code }),
      ...(run.exitCode === undefined ? {} : { exitCode: run.exitCode }),
      said: `${run.stdout}\n${run.stderr}`,
    },
    path,
  );
}

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Where Ubuntu keeps the perf of each kernel, newest first: `linux-tools/6.8.0-31-generic`, `linux-tools-6.8.0-31`. */
function kernelPerfs(lib: string): readonly string[] {
  const folders = names(lib).filter((name) => name.startsWith('linux-tools'));
  const inside = folders.flatMap((folder) =>
    ['', ...names(`${lib}/${folder}`)].map((name) => [folder, name]),
  );
  return inside
    .map((parts) => [lib, ...parts.filter((part) => part !== ''), 'perf'].join('/'))
    .filter((path) => existsSync(path))
    .sort(newestFirst);
}

function versionIn(path: string): string {
  return /\d+\.\d+\S*?(?=\/perf$)/.exec(path)?.[0] ?? '';
}

function newestFirst(a: string, b: string): number {
  return versionIn(b).localeCompare(versionIn(a), 'en', { numeric: true });
}

/**
 * perf from PATH, really run. Where that is only a wrapper that finds none for the running kernel, one of another kernel: it works as
 * well. `lib`: where such are. Throws as `readPerfVersion` does.
 */
export async function findPerf(env: Environment, lib = '/usr/lib'): Promise<Perf> {
  try {
    return await ask('perf', env);
  } catch (error) {
    if (!(error instanceof ProfilerError) || error.finding.id !== 'perf-wrapper') throw error;
    for (const path of kernelPerfs(lib)) {
      const found = await ask(path, env).catch(() => undefined);
      if (found !== undefined) return found;
    }
    throw error;
  }
}
