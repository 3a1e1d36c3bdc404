import { execa } from 'execa';
import { setTimeout as delay } from 'node:timers/promises';
import type { Finding } from '../../model/index.js';
import { cpuRoot, leaveCpuGroup } from '../cpu-group.js';
import { REALTIME_PRIORITY } from '../probe-realtime.js';
import { PROC, listIds } from '../proc/file.js';
import { policyName, readStat } from '../proc/stat.js';
import { isRoot } from './namespaces.js';
import { lifeOf, lives, type Life } from './running.js';

const WANTED = `fifo:${REALTIME_PRIORITY}`;
/** A thread that was just made may have missed it; what a raised thread makes is born raised. */
const TRIES = 5;
const PAUSE_MS = 10;

/** What came of it; a finding is a refusal. */
export type Raise = 'raised' | 'ended' | Finding;

/**
 * Gives a running sampler of a container real-time priority from outside, and takes it out of the container's CPU quota on the way:
 * first every thread into the root group, then the policy, which the kernel refuses in the other order. Reads the policy of every
 * thread back. A process that has ended meanwhile tells nothing.
 */
export async function raisePriority(life: Life, proc: string = PROC): Promise<Raise> {
  if (!isRoot(proc)) return notRaised('we are not root on this machine.');
  const said: string[] = [];
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (!lives(life)) return 'ended';
    const stays = leaveCpuGroup(life.pid, 'cgroup.procs');
    said.push(...(stays === undefined ? [] : [stays]), ...(await setPolicy(life.pid)));
    if (everyThreadRaised(life.pid, proc)) return 'raised';
    await delay(PAUSE_MS);
  }
  return lives(life) ? notRaised(said.at(-1) ?? 'the kernel keeps another policy.') : 'ended';
}

/** The same on a process of ours that does nothing: whether it would work, without a sampler. */
export async function rehearseRaise(): Promise<Raise> {
  const child = execa('cat', [], { stdin: 'pipe', stdout: 'ignore', stderr: 'ignore', reject: false });
  try {
    const life = lifeOf(child.pid ?? 0);
    return life === undefined ? notRaised('nothing could be started.') : await raisePriority(life);
  } finally {
    child.stdin.end();
    await child;
  }
}

/** Raises the samplers of a route one after the other. */
export interface Raiser {
  readonly raise: (life: Life) => Promise<void>;
  /** As the policy of the latest one was read back; of the rehearsal before there is any. */
  readonly refused: () => Finding | undefined;
}

export function raiser(rehearsal: Raise): Raiser {
  let latest = rehearsal;
  return {
    raise: async (life) => {
      const result = await raisePriority(life);
      if (result !== 'ended') latest = result;
    },
    refused: () => (typeof latest === 'string' ? undefined : latest),
  };
}

/** Whether the sampler can leave the control group that holds its container's CPU quota. */
export function canLeaveQuota(proc: string = PROC): boolean {
  return isRoot(proc) && cpuRoot() !== undefined;
}

async function setPolicy(pid: number): Promise<readonly string[]> {
  const chrt = await execa('chrt', ['-a', '-f', '-p', String(REALTIME_PRIORITY), String(pid)], {
    reject: false,
    stdin: 'ignore',
    timeout: 10_000,
  });
  if (chrt.exitCode === 0) return [];
  return [chrt.code === 'ENOENT' ? 'the program chrt was not found.' : `${chrt.stderr.trim()}.`];
}

function everyThreadRaised(pid: number, proc: string): boolean {
  const stats = listIds(proc, String(pid), 'task').flatMap((tid) => readStat(pid, proc, tid) ?? []);
  return stats.length > 0 && stats.every((stat) => policyName(stat) === WANTED);
}

function notRaised(
  because: string,
  fix = 'sudo profiler attach …  (on the host, from a shell outside containers and slices)',
): Finding {
  return {
    level: 'warning',
    id: 'sampler-normal-priority',
    what: `The sampler runs at normal priority in its container: ${because}`,
    why: 'A sampler that has to wait for a CPU sees too much sleep: shares may be off by 20 points.',
    fix,
  };
}

/** The sampler's process is on another machine, or was not shown. */
export function notReachable(where: string): Finding {
  return notRaised(
    `its process cannot be reached from here (${where}).`,
    'sudo profiler attach …  (on the machine of the engine)',
  );
}
