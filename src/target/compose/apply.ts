import type Docker from 'dockerode';
import { type Finding, ProfilerError } from '../../model/index.js';
import type { Journal, OverrideUndo } from '../journal/journal.js';
import { PROC, readProcText } from '../proc/file.js';
import { readContainer } from '../proc/container.js';
import type { Environment } from '../tools/folder.js';
import { capabilityName, missingCapabilities } from './capabilities.js';
import { inspectContainer, inspectService, instanceOf, nameOf, numberOf } from './instances.js';
import { inWords } from './engine-words.js';
import { overrideBook } from './override-journal.js';
import type { OverridePlan } from './plan.js';
import { restoreOverride } from './restore.js';
import { composeWords } from './run-compose.js';
import { measurePace, type Pace, untilItSteps } from './steps-again.js';
import { isThrowawayMade } from './throwaway-made.js';
import { writeThrowaway } from './throwaway.js';
import { workCompose } from './work.js';

export interface ApplyOptions {
  readonly docker: Docker;
  readonly env: Environment;
  /** Of this process: what must be undone is written there before anything is done. */
  readonly journal: Journal;
  /** Aborting it puts the original back. A Compose command that is under way is waited for. */
  readonly signal?: AbortSignal;
  /** How long the new container may take until it steps. Default: 300 s. */
  readonly stepsWithinS?: number;
  readonly onEvent?: (event: ApplyEvent) => void;
}

export type ApplyEvent = 'recreating' | 'waiting' | 'restoring';

export interface AppliedOverride {
  /** The new container in place of the one that was asked for. */
  readonly container: { readonly id: string; readonly name: string };
  /** For `restoreOverride`. Undefined where nothing had to be done. */
  readonly undo?: OverrideUndo;
  readonly findings: readonly Finding[];
}

const STEPS_WITHIN_S = 300;

/**
 * Does what the plan says, and waits until the service steps again. Whatever goes wrong, and whenever the signal says so, the original is
 * put back before this throws a ProfilerError: the first obstacle of the plan, `override-changed-meanwhile`, `override-no-journal`,
 * `override-apply-failed`, `override-start-failed`, `override-no-effect`, `override-interrupted`.
 */
export function applyOverride(plan: OverridePlan, options: ApplyOptions): Promise<AppliedOverride> {
  return inWords('make the service anew', plan.container.name, () => apply(plan, options));
}

async function apply(plan: OverridePlan, options: ApplyOptions): Promise<AppliedOverride> {
  if (!isNeeded(plan)) return { container: plan.container, findings: [] };
  const [obstacle] = plan.obstacles;
  if (obstacle !== undefined) throw new ProfilerError(obstacle);
  const before = await currentService(plan, options.docker);
  const chosen = before.find(({ Id }) => Id === plan.container.id);
  // Under 0x another command line is right, and another pace.
  const pace = chosen === undefined || plan.zeroX !== undefined ? undefined : await measurePace(chosen);
  if (isAborted(options)) throw interrupted(plan);
  const undo = plan.undo;
  const book = overrideBook(options.env, options.journal);
  const refused = book.write(undo);
  if (refused !== undefined) {
    book.forget(undo);
    throw noJournal(options.journal, refused);
  }
  try {
    return await change(plan, options, { pace, number: chosen === undefined ? 1 : numberOf(chosen) });
  } catch (error) {
    options.onEvent?.('restoring');
    await restoreOverride(undo, options);
    throw error;
  }
}

/** Whether there is anything to do. */
export function isNeeded({ capabilities, zeroX }: OverridePlan): boolean {
  return capabilities.length > 0 || zeroX !== undefined;
}

function isAborted({ signal }: ApplyOptions): boolean {
  return signal?.aborted === true;
}

async function change(
  plan: OverridePlan,
  options: ApplyOptions,
  old: { readonly pace: Pace | undefined; readonly number: number },
): Promise<AppliedOverride> {
  const { docker, signal, onEvent } = options;
  writeThrowaway(plan.undo.folder, plan.file.text);
  onEvent?.('recreating');
  const run = await workCompose(plan.commands.apply, plan.place, plan.undo.folder);
  if (isAborted(options)) throw interrupted(plan);
  if (run.code !== 0) throw applyFailed(plan, run.err);
  const made = await inspectService(docker, plan.project, plan.service);
  const info = made.find((one) => numberOf(one) === old.number && isThrowawayMade(one));
  if (info === undefined) throw noEffect(plan, plan.container.name, plan.capabilities);
  // Under 0x it ends by itself: that it does not run says nothing of what somebody wants.
  const undo: OverrideUndo = { ...plan.undo, settled: plan.zeroX === undefined };
  overrideBook(options.env, options.journal).write(undo);
  onEvent?.('waiting');
  const waited = await untilItSteps({
    docker,
    id: info.Id,
    pace: old.pace,
    timeoutS: options.stepsWithinS ?? STEPS_WITHIN_S,
    ...(signal === undefined ? {} : { signal }),
  });
  if (isAborted(options)) throw interrupted(plan);
  const now = await inspectContainer(docker, info.Id);
  const lacking = now === undefined ? plan.capabilities : lackingCapabilities(now, plan.capabilities);
  if (lacking.length > 0) throw noEffect(plan, nameOf(info), lacking);
  return { container: { id: info.Id, name: nameOf(info) }, undo, findings: waited };
}

/** The containers as the plan found them. */
async function currentService(
  plan: OverridePlan,
  docker: Docker,
): Promise<readonly Docker.ContainerInspectInfo[]> {
  const now = await inspectService(docker, plan.project, plan.service);
  const planned = plan.undo.before.map(({ id }) => id).sort();
  const found = now.map(({ Id }) => Id).sort();
  if (planned.join() === found.join()) return now;
  throw new ProfilerError({
    id: 'override-changed-meanwhile',
    what: `Service ${plan.service} was brought up or taken down while its override was prepared.`,
    why: 'What was said about it may not hold any more.',
    fix: `profiler override --service ${plan.service} --project ${plan.project} --apply`,
  });
}

/** Bit of each capability that an override may add; linux/capability.h. */
const BITS: Readonly<Record<string, bigint>> = { SYS_PTRACE: 19n, SYS_ADMIN: 21n, PERFMON: 38n };

/** Those that the engine's settings or, where /proc shows it, the bounding set of the first process lacks. */
function lackingCapabilities(
  info: Docker.ContainerInspectInfo,
  wanted: readonly string[],
): readonly string[] {
  const inSettings = missingCapabilities(wanted, instanceOf(info));
  const bounding = boundingSet(info);
  if (bounding === undefined) return inSettings;
  const missing = wanted.filter((name) => {
    const bit = BITS[capabilityName(name)];
    return bit !== undefined && ((bounding >> bit) & 1n) === 0n;
  });
  return [...new Set([...inSettings, ...missing])];
}

/** A process that is not root has nothing in its effective set, but exec may have what the bounding set holds. */
function boundingSet({ Id, State }: Docker.ContainerInspectInfo): bigint | undefined {
  if (readContainer(State.Pid) !== Id.slice(0, 12)) return undefined;
  const found = /^CapBnd:\s*([0-9a-f]+)$/m.exec(readProcText(PROC, String(State.Pid), 'status') ?? '')?.[1];
  return found === undefined ? undefined : BigInt(`0x${found}`);
}

function interrupted({ service }: OverridePlan): ProfilerError {
  return new ProfilerError({
    id: 'override-interrupted',
    what: `The override of service ${service} was interrupted.`,
    why: 'The original is in place.',
  });
}

function noJournal(journal: Journal, because: string): ProfilerError {
  return new ProfilerError({
    id: 'override-no-journal',
    what: `The way back cannot be written down in ${journal.path} (${because}).`,
    why: 'After a crash nobody would know how to restore the service, so nothing was changed.',
    fix: 'XDG_STATE_HOME=/tmp/state profiler override …',
  });
}

function applyFailed({ service }: OverridePlan, err: string): ProfilerError {
  return new ProfilerError({
    id: 'override-apply-failed',
    what: `Compose could not bring service ${service} up with the override.`,
    list: composeWords(err),
    why: 'The original was put back.',
    fix: 'profiler attach --via sidecar  (needs no restart)',
  });
}

function noEffect({ service }: OverridePlan, name: string, lacking: readonly string[]): ProfilerError {
  return new ProfilerError({
    id: 'override-no-effect',
    what: `Container ${name} lacks ${lacking.join(', ')} even with the override of service ${service}.`,
    why: 'The engine itself may lack the right, as in a rootless engine or a container. The original was put back.',
    fix: 'profiler doctor',
  });
}
