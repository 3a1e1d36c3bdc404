import { ProfilerError } from '../model/index.js';
import { matchProcesses } from './match.js';
import { belongsToProfiler } from './own-processes.js';
import { pickSimulation } from './pick-simulation.js';
import { processExists } from './proc/exists.js';
import { listIds, PROC } from './proc/file.js';
import { isKernelThread, readStat } from './proc/stat.js';
import { readStatus } from './proc/status.js';
import { readProcess, toTarget, type ProcessFacts } from './process.js';
import type { Target } from './target.js';

export interface TargetQuery {
  /** A process, or the root of a tree to pick the simulation from. */
  readonly pid?: number;
  /** Regular expression for the command line. */
  readonly match?: string;
  /** Our own process: neither it nor what started it is ever a target. */
  readonly selfPid: number;
  readonly proc?: string;
}

/**
 * The process to profile, with the facts that decide how. Throws `ProfilerError`: `target-missing`, `target-pid`,
 * `match-invalid` (2, wrong usage); `no-such-pid`, `pid-hidden`, `pid-is-thread`, `pid-ended`, `kernel-thread`, `no-match`,
 * `match-ambiguous` (1).
 */
export function findTarget(query: TargetQuery): Target {
  const proc = query.proc ?? PROC;
  if ((query.pid === undefined) === (query.match === undefined)) {
    throw new ProfilerError(
      {
        id: 'target-missing',
        what: query.pid === undefined ? 'No target was named.' : 'Both --pid and --match were given.',
        why: 'Exactly one of them says which process to profile.',
        fix: 'profiler attach --pid PID',
      },
      2,
    );
  }
  if (query.match !== undefined) {
    const found = matchProcesses(query.match, query.selfPid, proc);
    return toTarget(found.facts, { chosenBecause: found.chosenBecause, passedOver: found.passedOver }, proc);
  }
  return findByPid(query.pid ?? 0, query.selfPid, proc);
}

function findByPid(pid: number, selfPid: number, proc: string): Target {
  if (!Number.isSafeInteger(pid) || pid <= 0) {
    throw new ProfilerError(
      {
        id: 'target-pid',
        what: `${pid} is not a process id.`,
        why: 'A process id is a whole number from 1.',
        fix: 'profiler attach --match REGEX  (a part of the command line)',
      },
      2,
    );
  }
  const root = readStat(pid, proc);
  if (root === undefined) throw missing(pid, proc);
  if (isKernelThread(root)) {
    throw new ProfilerError({
      id: 'kernel-thread',
      what: `Process ${pid} (${root.comm}) is a thread of the kernel.`,
      why: 'It runs no program, so there is no stack of a simulation in it.',
      fix: 'profiler attach --match REGEX  (a part of the command line)',
    });
  }
  const tgid = readStatus(pid, proc)?.tgid ?? 0;
  if (tgid !== 0 && tgid !== pid) {
    throw new ProfilerError({
      id: 'pid-is-thread',
      what: `${pid} is a thread (${root.comm}) of process ${tgid}.`,
      why: 'Tools such as htop show threads beside processes, each with an id of its own.',
      fix: `profiler attach --pid ${tgid} --thread ${pid}`,
    });
  }
  const choice = pickSimulation(pid, readTree(pid, selfPid, proc));
  if (choice === undefined) {
    throw new ProfilerError({
      id: 'pid-ended',
      what: `Process ${pid} (${root.comm}) has ended and is a zombie.`,
      why: `Its parent, process ${root.ppid}, has not collected its exit status yet.`,
      fix: 'Start the simulation again, then attach.',
    });
  }
  return toTarget(choice.facts, { chosenBecause: choice.chosenBecause, passedOver: choice.passedOver }, proc);
}

/** The process and all that descends from it, ascending by pid, without profilers and what they started: neither is ever a target. */
function readTree(rootPid: number, selfPid: number, proc: string): ProcessFacts[] {
  const children = new Map<number, number[]>();
  for (const pid of listIds(proc)) {
    const ppid = readStat(pid, proc)?.ppid;
    if (ppid !== undefined) children.set(ppid, [...(children.get(ppid) ?? []), pid]);
  }
  const pids = new Set([rootPid]);
  for (const pid of pids)
    for (const child of children.get(pid) ?? []) if (child !== selfPid && pid !== selfPid) pids.add(child);
  // Whoever names a process that a profiler started means it.
  const named = belongsToProfiler(rootPid, proc);
  const candidates = [...pids].filter((pid) => pid === rootPid || named || !belongsToProfiler(pid, proc));
  return candidates.sort((a, b) => a - b).flatMap((pid) => readProcess(pid, proc) ?? []);
}

function missing(pid: number, proc: string): ProfilerError {
  if (proc === PROC && processExists(pid)) {
    return new ProfilerError({
      id: 'pid-hidden',
      what: `Process ${pid} exists but /proc does not show it.`,
      why: '/proc is mounted with hidepid, which hides the processes of other users.',
      fix: `sudo profiler attach --pid ${pid}`,
    });
  }
  return new ProfilerError({
    id: 'no-such-pid',
    what: `There is no process ${pid}.`,
    why: 'It has ended, or the number is one from inside a container, which the host knows by another.',
    fix: 'profiler attach --match REGEX  (a part of the command line)',
  });
}
