import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import { type Finding, ProfilerError } from '../../model/index.js';
import { findTarget } from '../find-target.js';
import { readContainer } from '../proc/container.js';
import { PROC } from '../proc/file.js';
import { readStatus } from '../proc/status.js';
import { listThreads } from '../proc/tasks.js';
import type { Target } from '../target.js';
import { inspectContainer, nameOf } from './instances.js';
import { lastLines } from './last-lines.js';

/** The simulation of a container before it is made anew, and how often a second its busiest pacer went to sleep. */
export interface Pace {
  readonly command: readonly string[];
  readonly sleepsHz: number;
}

const WINDOW_MS = 500;
const LOOK_MS = 100;
/** Below this a loop is not one that paces itself, and going to sleep says nothing about stepping. */
const PACED_HZ = 5;

/** Undefined where this machine's /proc does not show the container. */
export async function measurePace(info: Docker.ContainerInspectInfo): Promise<Pace | undefined> {
  const target = simulationOf(info);
  if (target === undefined) return undefined;
  return { command: target.command, sleepsHz: await sleepsHz(target.pid) };
}

function simulationOf(info: Docker.ContainerInspectInfo, proc: string = PROC): Target | undefined {
  const { Pid } = info.State;
  if (Pid === 0 || readContainer(Pid, proc) !== info.Id.slice(0, 12)) return undefined;
  try {
    return findTarget({ pid: Pid, selfPid: process.pid, proc });
  } catch {
    return undefined;
  }
}

/** Voluntary switches a second of the thread that has most of them. */
async function sleepsHz(pid: number): Promise<number> {
  const before = switches(pid);
  const startMs = performance.now();
  await delay(WINDOW_MS);
  const seconds = (performance.now() - startMs) / 1000;
  const after = switches(pid);
  const rates = [...after].map(([tid, count]) => (count - (before.get(tid) ?? count)) / seconds);
  return Math.max(0, ...rates);
}

function switches(pid: number): ReadonlyMap<number, number> {
  return new Map(
    listThreads(pid).flatMap(({ tid }) => {
      const status = readStatus(pid, PROC, tid);
      return status === undefined ? [] : [[tid, status.voluntarySwitches] as const];
    }),
  );
}

export interface StepsQuery {
  readonly docker: Docker;
  readonly id: string;
  readonly pace: Pace | undefined;
  readonly timeoutS: number;
  readonly signal?: AbortSignal;
}

/**
 * Waits until a container that was made anew does what the old one did: it runs, its health check passes, the same program is there, and
 * a loop that paces itself sleeps at least half as often again. Resolves with what is still missing when the time is up, or early when
 * the signal says so. Throws ProfilerError `override-start-failed` when it ends instead.
 */
export async function untilItSteps(query: StepsQuery): Promise<readonly Finding[]> {
  const end = performance.now() + query.timeoutS * 1000;
  let missing = 'It has not started.';
  while (performance.now() < end && query.signal?.aborted !== true) {
    const info = await inspectContainer(query.docker, query.id);
    if (info === undefined || info.State.Status === 'exited' || info.State.Status === 'dead')
      throw await startFailed(query, info);
    const still = await whatIsMissing(info, query.pace);
    if (still === undefined) return [];
    missing = still;
    await delay(LOOK_MS);
  }
  if (query.signal?.aborted === true) return [];
  return [
    {
      level: 'warning',
      id: 'override-not-stepping',
      what: `After ${query.timeoutS} s the new container does not step as the old one did. ${missing}`,
      why: 'It may still be loading, or it waits for another service that only greets it once.',
      fix: `docker logs ${query.id.slice(0, 12)}`,
    },
  ];
}

async function whatIsMissing(
  info: Docker.ContainerInspectInfo,
  pace: Pace | undefined,
): Promise<string | undefined> {
  if (!info.State.Running) return `It is ${info.State.Status}.`;
  const health = info.State.Health?.Status;
  if (health !== undefined && health !== 'none' && health !== 'healthy')
    return `Its health check says ${health}.`;
  if (pace === undefined) return undefined;
  const target = simulationOf(info);
  if (target === undefined || target.command.join('\0') !== pace.command.join('\0'))
    return `Its program is not there: ${pace.command.join(' ')}.`;
  if (pace.sleepsHz < PACED_HZ) return undefined;
  const now = await sleepsHz(target.pid);
  return now >= pace.sleepsHz / 2
    ? undefined
    : `Its loop sleeps ${now.toFixed(0)} times a second, before it was ${pace.sleepsHz.toFixed(0)}.`;
}

async function startFailed(
  { docker, id }: StepsQuery,
  info: Docker.ContainerInspectInfo | undefined,
): Promise<ProfilerError> {
  const log = await lastLines(docker, id, info);
  return new ProfilerError({
    id: 'override-start-failed',
    what:
      info === undefined
        ? 'The container with the override was removed while it started.'
        : `Container ${nameOf(info)} ended with ${info.State.ExitCode} when it was started with the override.`,
    ...(log.length === 0 ? {} : { list: log }),
    why: 'A simulation may not start twice by itself: a file of the last run, or a peer that is gone.',
    fix: 'profiler attach --via sidecar  (needs no restart)',
  });
}
