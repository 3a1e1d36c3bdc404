import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ProfilerError, type Finding } from '../../model/index.js';
import { putFile } from '../docker/archive.js';
import { runExec, type ExecRequest, type ExecResult } from '../docker/exec.js';
import { engineAnswer } from './engine-refusal.js';
import { innerFileTrace, removeInnerFile } from './inner-file.js';
import type { Inside } from './inside.js';
import { innerPythons, pythonCommand, RUN_FROM_MEMORY } from './inner-python.js';
import { runningContainer } from '../docker/running.js';
import { samplerEnvironment } from './sampler-environment.js';

/** py-spy as it can be run inside the container; a run of `--version` has proved it. */
export interface InnerProgram {
  /** What to run for these arguments. */
  readonly request: (args: readonly string[]) => ExecRequest;
  /** First argument of its processes: no other process has it. */
  readonly name: string;
  /** Takes a file of ours back. Safe to call twice. */
  readonly remove: () => Promise<readonly Finding[]>;
}

/** A program, or why there is none; a finding ends the search. */
type Brought = InnerProgram | Finding | string;

/**
 * Not /tmp: a file system in memory lies over it in many containers, which hides what an engine puts there for good, or it forbids
 * to run programs; and a folder of the image that a file was in for a while counts as changed.
 */
const FOLDER = '/';

/** What no other way of bringing it gets round. */
const HOPELESS: ReadonlySet<string> = new Set([
  'no-such-container',
  'container-exited',
  'container-paused',
  'engine-unreachable',
]);

/** Brings py-spy into a container: as a file, else in the memory of a process. The finding says why neither works. */
export async function bringProgram(inside: Inside): Promise<InnerProgram | Finding> {
  const { container, engine } = inside;
  try {
    // One that has stopped takes a file, and then nothing can remove it.
    await runningContainer(engine, container.id, 0);
  } catch (error) {
    if (error instanceof ProfilerError) return error.finding;
    throw error;
  }
  const name = `py-spy-${randomBytes(6).toString('hex')}`;
  const file = await asFile(inside, name);
  if (typeof file !== 'string') return file;
  const memory = await inMemory(inside, name);
  if (typeof memory !== 'string') return memory;
  const refused = inside.privileged ? engineAnswer('privileged', file) : engineAnswer('exec', memory);
  if (refused !== undefined) return refused;
  return {
    level: 'blocker',
    id: 'exec-no-program',
    what: `py-spy could not be run in container ${container.name}: as a file: ${file}; through its Python: ${memory}.`,
    why: 'It takes a folder that programs run from, or a Python 3.8 or later that is a program of its own.',
    fix: `profiler attach --container ${container.name} --via sidecar`,
  };
}

function requestOf(
  { user, privileged }: Inside,
  command: readonly string[],
  input?: Uint8Array,
): ExecRequest {
  return {
    command,
    user,
    env: samplerEnvironment(),
    ...(privileged ? { privileged } : {}),
    ...(input === undefined ? {} : { input }),
  };
}

/** Why a run of `--version` was none; undefined where it was one. */
function whyNot({ exitCode, stdout, stderr }: ExecResult): string | undefined {
  if (exitCode === 0 && stdout.startsWith('py-spy ')) return undefined;
  const line = `${stderr}\n${stdout}`.split('\n').find((text) => text.trim() !== '');
  return line?.trim() ?? `it ended with ${exitCode ?? 'nothing'} and said nothing`;
}

async function asFile(inside: Inside, name: string): Promise<Brought> {
  const { context, engine, container, user } = inside;
  const path = `${FOLDER}${name}`;
  if (container.readOnlyRoot) return 'its root is read-only';
  if (context.journal.failed() !== undefined) return 'it could not be written down before';
  const remove = (): Promise<readonly Finding[]> => removeInnerFile(inside, path);
  const [uid = 0, gid = 0] = user.split(':').map(Number);
  context.journal.add(innerFileTrace(inside, path));
  try {
    await putFile(engine, container.id, {
      folder: FOLDER,
      name,
      content: readFileSync(context.pyspy.path),
      uid,
      gid,
    });
    const why = whyNot(await runExec(engine, container.id, requestOf(inside, [path, '--version'])));
    if (why === undefined)
      return { request: (args) => requestOf(inside, [path, ...args]), name: path, remove };
    await remove();
    return why;
  } catch (error) {
    await remove();
    return refusalOf(error, inside);
  }
}

async function inMemory(inside: Inside, name: string): Promise<Brought> {
  const { context, engine, container } = inside;
  if (inside.privileged) return 'not tried, since a program of the container would get every capability';
  const pythons = innerPythons(context);
  const binary = readFileSync(context.pyspy.path);
  let why = 'it has none';
  for (const python of pythons) {
    const request = (args: readonly string[]): ExecRequest =>
      requestOf(
        inside,
        pythonCommand(python, RUN_FROM_MEMORY, [String(binary.length), name, ...args]),
        binary,
      );
    try {
      const failed = whyNot(await runExec(engine, container.id, request(['--version'])));
      if (failed === undefined) return { request, name, remove: () => Promise.resolve([]) };
      why = failed;
    } catch (error) {
      return refusalOf(error, inside);
    }
  }
  return why;
}

/** An engine's refusal: an end, or a reason to stand in a longer sentence. */
function refusalOf(error: unknown, { container }: Inside): Finding | string {
  if (!(error instanceof ProfilerError)) throw error;
  const { finding } = error;
  const named = (text: string): string => text.replaceAll(container.id, container.name);
  if (!HOPELESS.has(finding.id)) return named(finding.what).replace(/\.$/, '');
  return {
    ...finding,
    what: named(finding.what),
    ...(finding.fix === undefined ? {} : { fix: named(finding.fix) }),
  };
}
