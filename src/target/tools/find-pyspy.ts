import { accessSync, constants, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ProfilerError } from '../../model/index.js';
import { PROC, readProcLink, readProcText } from '../proc/file.js';
import type { Target } from '../target.js';
import { toolsFolder, type Environment } from './folder.js';
import { runVersion } from './version.js';

export type ToolSource = 'flag' | 'environment' | 'path' | 'target' | 'tools-folder';

export interface PySpy {
  readonly path: string;
  readonly version: string;
  readonly from: ToolSource;
  /** Binaries found earlier in the order that could not be used. */
  readonly passedOver: readonly { readonly path: string; readonly because: string }[];
}

export interface PySpyQuery {
  /** Path from the command line. */
  readonly explicit?: string;
  readonly env: Environment;
  /** Its own Python may have py-spy installed. */
  readonly target?: Target;
  readonly proc?: string;
}

/**
 * Looks for py-spy: the flag, `PROFILER_PY_SPY`, PATH, the target's own Python, our tools folder; the first that answers
 * `--version`. A path that the user named is used or refused, never replaced by another. Throws `ProfilerError`
 * `py-spy-missing` or `py-spy-broken`.
 */
export async function findPySpy(query: PySpyQuery): Promise<PySpy> {
  const passedOver: { path: string; because: string }[] = [];
  const named = namedByUser(query);
  for (const { path, from } of named ? [named] : candidates(query, passedOver)) {
    const found = await runVersion(path);
    if (found.state === 'works') return { path, version: found.version, from, passedOver };
    if (found.state === 'broken') passedOver.push({ path, because: found.because });
    else if (named !== undefined) throw missingNamed(path, from);
  }
  const [broken] = passedOver;
  if (broken !== undefined) throw brokenError(broken.path, broken.because, named !== undefined);
  throw new ProfilerError({
    id: 'py-spy-missing',
    what: 'The sampler py-spy was not found.',
    why: `It is neither in PATH, nor in the target's own Python, nor in ${toolsFolder(query.env)}.`,
    fix: 'profiler tools install py-spy',
  });
}

interface Candidate {
  readonly path: string;
  readonly from: ToolSource;
}

function namedByUser({ explicit, env }: PySpyQuery): Candidate | undefined {
  if (explicit !== undefined) return { path: resolve(explicit), from: 'flag' };
  const path = env['PROFILER_PY_SPY'];
  return path === undefined || path === '' ? undefined : { path: resolve(path), from: 'environment' };
}

function candidates(query: PySpyQuery, passedOver: { path: string; because: string }[]): Candidate[] {
  const { env, target } = query;
  const found: Candidate[] = [];
  for (const folder of (env['PATH'] ?? '').split(':').filter((part) => part.startsWith('/'))) {
    const path = join(folder, 'py-spy');
    if (isExecutable(path)) found.push({ path, from: 'path' });
  }
  for (const folder of target === undefined ? [] : targetFolders(target, query.proc ?? PROC)) {
    const path = join(folder, 'py-spy');
    if (!isExecutable(path)) continue;
    // Often we are root: a program that another user can rewrite must not run with our rights.
    if (isTrusted(path, env)) found.push({ path, from: 'target' });
    else passedOver.push({ path, because: 'it belongs to another user' });
  }
  found.push({ path: join(toolsFolder(env), 'py-spy'), from: 'tools-folder' });
  return found.filter(({ path }, index) => found.findIndex((other) => other.path === path) === index);
}

/** Folders where pip puts the programs of the target's Python; none for a target that sees other files than we do. */
function targetFolders(target: Target, proc: string): string[] {
  const ownRoot = readProcLink(proc, 'self/ns/mnt');
  if (ownRoot === undefined || readProcLink(proc, String(target.pid), 'ns/mnt') !== ownRoot) return [];
  const environment = new Map(
    (readProcText(proc, String(target.pid), 'environ') ?? '').split('\0').map((line) => {
      const equals = line.indexOf('=');
      return [line.slice(0, equals), line.slice(equals + 1)] as const;
    }),
  );
  const below = (name: string, ...parts: string[]): string[] => {
    const value = environment.get(name);
    return value?.startsWith('/') === true ? [join(value, ...parts)] : [];
  };
  return [
    ...calledFrom(target, environment.get('PATH') ?? '', proc),
    ...below('VIRTUAL_ENV', 'bin'),
    ...below('CONDA_PREFIX', 'bin'),
    ...(target.exe === undefined ? [] : [dirname(target.exe)]),
    ...below('HOME', '.local', 'bin'),
  ];
}

/**
 * Folder of the program that was called. A virtual environment's python is a link, so its folder only shows in how it was called: by a
 * path, by one from the working folder, or by its bare name, which is looked for in the PATH that it was given.
 */
function calledFrom({ pid, command: [called] }: Target, path: string, proc: string): string[] {
  if (called === undefined || called === '') return [];
  if (called.startsWith('/')) return [dirname(called)];
  if (called.includes('/')) {
    const working = readProcLink(proc, String(pid), 'cwd');
    return working === undefined ? [] : [dirname(resolve(working, called))];
  }
  const folders = path.split(':').filter((part) => part.startsWith('/'));
  return folders.filter((folder) => isExecutable(join(folder, called))).slice(0, 1);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isTrusted(path: string, env: Environment): boolean {
  const uid = process.geteuid?.();
  const owner = statSync(path).uid;
  return owner === 0 || owner === uid || (uid === 0 && String(owner) === env['SUDO_UID']);
}

function missingNamed(path: string, from: ToolSource): ProfilerError {
  return new ProfilerError({
    id: 'py-spy-missing',
    what: `There is no py-spy at ${path}.`,
    why:
      from === 'environment' ? 'The variable PROFILER_PY_SPY names this path.' : 'The flag names this path.',
    fix: 'profiler tools install py-spy  (and leave the path out)',
  });
}

function brokenError(path: string, because: string, named: boolean): ProfilerError {
  return new ProfilerError({
    id: 'py-spy-broken',
    what: `The py-spy at ${path} cannot be used.`,
    why: `This is because ${because}${because.endsWith('.') ? '' : '.'}`,
    fix: `profiler tools install py-spy${named ? '  (and leave the path out)' : ''}`,
  });
}
