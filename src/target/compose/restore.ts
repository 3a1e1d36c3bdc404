import type Docker from 'dockerode';
import { type Finding, ProfilerError, shellLine } from '../../model/index.js';
import { openEngine } from '../docker/connect.js';
import type { Journal, OverrideUndo, ServiceInstance } from '../journal/journal.js';
import type { Environment } from '../tools/folder.js';
import { inWords } from './engine-words.js';
import { replayVariables } from './environment.js';
import { inspectService, instanceOf } from './instances.js';
import { overrideBook } from './override-journal.js';
import { composeWords } from './run-compose.js';
import { settle } from './settle.js';
import { isThrowawayMade } from './throwaway-made.js';
import { removeThrowaway } from './throwaway.js';
import { untilIdle, workCompose } from './work.js';

export interface RestoreOptions {
  /** Default: the engine that the override was applied on. */
  readonly docker?: Docker;
  readonly env: Environment;
  /** Of this process, where it applied the override itself. */
  readonly journal?: Journal;
}

export interface RestoredOverride {
  /**
   * `restored`: the service is as it was; `untouched`: it had not been changed yet, or somebody restored it; `changed`: somebody brought it
   * up in another way since; `stopped`: somebody stopped it, and it was not started; `gone`: somebody took it down.
   */
  readonly outcome: 'restored' | 'untouched' | 'changed' | 'stopped' | 'gone';
  /** Warnings: what is not as it was before. Notes: what was left to whoever did it. */
  readonly findings: readonly Finding[];
}

/** A stop takes its grace; nobody waits for ever. */
const WAIT_MS = 120_000;

/**
 * Undoes an override, whatever became of it meanwhile, and forgets it: folder and journal entry go. Safe to call twice. Never starts what
 * somebody else stopped or took down. Throws ProfilerError `override-busy` or `override-restore-failed`, what the engine
 * refuses, or what `openEngine` throws; the journal entry stays then.
 */
export async function restoreOverride(
  undo: OverrideUndo,
  options: RestoreOptions,
): Promise<RestoredOverride> {
  const { env, journal } = options;
  const docker =
    options.docker ?? (await openEngine({ ...env, DOCKER_HOST: undo.engine }, { writtenDown: true })).docker;
  const working = await untilIdle(undo.folder, WAIT_MS);
  if (working.length > 0) throw busy(undo, working);
  const name = undo.before[0]?.name ?? undo.service;
  const result = await inWords('restore the service', name, () => restoreService(undo, docker, options));
  // Only now: until here everything has to be known that a second try needs.
  removeThrowaway(undo.folder);
  overrideBook(env, journal).forget(undo);
  if (result === 'gone') return { outcome: 'gone', findings: [takenDown(undo)] };
  const after = await inspectService(docker, undo.project, undo.service);
  return { outcome: result, findings: compare(undo, after.map(instanceOf), result) };
}

async function restoreService(
  undo: OverrideUndo,
  docker: Docker,
  options: RestoreOptions,
): Promise<RestoredOverride['outcome']> {
  const { kept } = await settle(docker, undo);
  if (kept.length === 0) return 'gone';
  const overridden = kept.filter(isThrowawayMade);
  if (overridden.length > 0) {
    const runs = !undo.settled || overridden.some(({ State }) => State.Running);
    await bringUp(undo, options, runs);
    return runs ? 'restored' : 'stopped';
  }
  const stopped = kept.filter(({ State }) => !State.Running);
  if (!undo.settled) {
    for (const info of stopped) if (ranBefore(undo, info)) await docker.getContainer(info.Id).start();
    if (stopped.length > 0) return 'restored';
  }
  if (kept.some((info) => isChanged(undo, info))) return 'changed';
  return stopped.some((info) => ranBefore(undo, info)) ? 'stopped' : 'untouched';
}

function beforeOf(undo: OverrideUndo, number: number): ServiceInstance | undefined {
  return undo.before.find((one) => one.number === number);
}

function ranBefore(undo: OverrideUndo, info: Docker.ContainerInspectInfo): boolean {
  return beforeOf(undo, instanceOf(info).number)?.running === true;
}

function isChanged(undo: OverrideUndo, info: Docker.ContainerInspectInfo): boolean {
  const now = instanceOf(info);
  const before = beforeOf(undo, now.number);
  return before !== undefined && before.configHash !== now.configHash;
}

/** The original list of files, with the variables of then. `runs`: false makes the containers without starting them. */
async function bringUp(undo: OverrideUndo, { env, journal }: RestoreOptions, runs: boolean): Promise<void> {
  // Should we end in the middle, what does not run was stopped by us.
  if (runs) overrideBook(env, journal).write({ ...undo, settled: false });
  const present = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const variables = replayVariables(Object.fromEntries(present) as Record<string, string>, undo);
  const argv = runs ? undo.restore : undo.restore.map((one) => (one === '-d' ? '--no-start' : one));
  const run = await workCompose(argv, { cwd: undo.cwd, env: variables }, undo.folder);
  if (run.code === 0) return;
  throw new ProfilerError({
    id: 'override-restore-failed',
    what: `Compose could not bring service ${undo.service} of project ${undo.project} back to how it was.`,
    list: run.code === undefined ? [`${argv[0] ?? ''} could not be started`] : composeWords(run.err),
    why: 'It still runs with the override, or not at all; the journal keeps what is needed for another try.',
    fix: shellLine(argv),
  });
}

/** What is not as it was before, field by field. */
function compare(
  undo: OverrideUndo,
  after: readonly ServiceInstance[],
  outcome: RestoredOverride['outcome'],
): readonly Finding[] {
  const findings = undo.before.flatMap((before) => {
    const now = after.find((one) => one.number === before.number);
    const name = before.name;
    if (now === undefined) return [notAsBefore(name, ['it is gone'])];
    const differ = differences(before, now, outcome);
    return differ.length === 0 ? [] : [notAsBefore(now.name, differ)];
  });
  const left = after.filter(({ name }) => undo.before.some((one) => name.slice(13) === one.name));
  const more = left.map(({ name }) => notAsBefore(name, ['it was left behind by a recreation']));
  if (outcome === 'stopped') return [leftStopped(undo), ...findings, ...more];
  return outcome === 'changed' ? [leftChanged(undo)] : [...findings, ...more];
}

const FIELDS = {
  name: 'name',
  configHash: 'configuration hash',
  imageId: 'image',
  capAdd: 'added capabilities',
  capDrop: 'dropped capabilities',
  privileged: 'privileged',
  mounts: 'mounts',
  networks: 'networks',
  running: 'running or not',
} as const;

function differences(
  before: ServiceInstance,
  now: ServiceInstance,
  outcome: RestoredOverride['outcome'],
): readonly string[] {
  return (Object.keys(FIELDS) as (keyof typeof FIELDS)[])
    .filter((field) => !(field === 'running' && outcome === 'stopped'))
    .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(now[field]))
    .map((field) => FIELDS[field]);
}

function notAsBefore(name: string, differ: readonly string[]): Finding {
  return {
    level: 'warning',
    id: 'override-not-as-before',
    what: `Container ${name} is not as it was before the override: ${differ.join(', ')}.`,
    why: 'The compose files, an image or a variable changed while the override was in place.',
    fix: `docker inspect ${name}`,
  };
}

function takenDown({ service, project }: OverrideUndo): Finding {
  return {
    level: 'note',
    id: 'override-gone',
    what: `Service ${service} of project ${project} has no container any more.`,
    why: 'It was taken down meanwhile, so nothing was started and nothing is left of the override.',
  };
}

function leftStopped({ service, project }: OverrideUndo): Finding {
  return {
    level: 'note',
    id: 'override-stopped',
    what: `Service ${service} of project ${project} was stopped meanwhile, and stays stopped.`,
    why: 'It has its original settings again.',
  };
}

function leftChanged({ service, project }: OverrideUndo): Finding {
  return {
    level: 'note',
    id: 'override-replaced',
    what: `Service ${service} of project ${project} was brought up anew meanwhile, with other settings than before.`,
    why: 'It runs without the override, so it was left as it is.',
  };
}

function busy({ service }: OverrideUndo, pids: readonly number[]): ProfilerError {
  return new ProfilerError({
    id: 'override-busy',
    what: `Compose still works on service ${service} (process ${pids.join(', ')}).`,
    why: 'It was started by a run of ours that is gone, and two at a time would undo each other.',
    fix: `kill -INT ${pids.join(' ')}  (then again)`,
  });
}
