import { execa } from 'execa';
import { leaveCpuGroup } from '../cpu-group.js';
import { REALTIME_PRIORITY } from '../probe-realtime.js';
import { PROC } from '../proc/file.js';
import { policyName, readStat } from '../proc/stat.js';
import { listThreads } from '../proc/tasks.js';

/** How V8 calls the thread that takes the samples of an isolate: `v8:ProfEvntProc`. It lives as long as a profile is taken. */
const NAME = 'v8:ProfEvntProc';

function samplingThreads(pid: number, proc: string): readonly number[] {
  return listThreads(pid, proc)
    .filter(({ comm }) => comm === NAME)
    .map(({ tid }) => tid);
}

/**
 * Gives the threads of a Node that take its samples real-time priority: at normal priority they get a turn when the loop rests, and
 * what it did until then counts as rest. In a container of cgroup v1 the kernel grants that to no thread, so there these threads leave
 * its group for the CPU, alone. They end with the profile. Never throws; whether it worked, `samplingPolicy` tells.
 */
export async function raiseSamplingThreads(pid: number): Promise<void> {
  for (const tid of samplingThreads(pid, PROC)) {
    if (await setPolicy(tid)) continue;
    leaveCpuGroup(tid, 'tasks');
    await setPolicy(tid);
  }
}

async function setPolicy(tid: number): Promise<boolean> {
  const chrt = await execa('chrt', ['-f', '-p', String(REALTIME_PRIORITY), String(tid)], {
    reject: false,
    stdin: 'ignore',
    timeout: 5000,
  });
  return chrt.exitCode === 0;
}

/** Policy of the thread that takes the samples: `fifo:50`, `other`; of several the one that is worst off. Undefined while there is none. */
export function samplingPolicy(pid: number, proc: string = PROC): string | undefined {
  const policies = samplingThreads(pid, proc).flatMap((tid) => {
    const stat = readStat(pid, proc, tid);
    return stat === undefined ? [] : [policyName(stat)];
  });
  return policies.find((policy) => policy.startsWith('other')) ?? policies[0];
}
