import { execa } from 'execa';
import type { Finding } from '../model/index.js';
import { PROC, readProcText } from './proc/file.js';
import { parseStat, policyName } from './proc/stat.js';
import { CAP_SYS_NICE, hasCapability, isOwnUserNamespace, readStatus } from './proc/status.js';

export const REALTIME_PRIORITY = 50;

/** `argv` goes in front of a command to run it at real-time priority. */
export type Realtime =
  | { readonly allowed: true; readonly argv: readonly string[] }
  | { readonly allowed: false; readonly refusedBy: RealtimeGate; readonly finding: Finding };

export type RealtimeGate =
  | 'no-chrt'
  | 'kernel'
  | 'user-namespace'
  | 'cgroup'
  | 'capability'
  | 'limit'
  | 'seccomp'
  | 'unknown';

export interface RealtimeFacts {
  readonly root: boolean;
  readonly mayNice: boolean;
  /** RLIMIT_RTPRIO. */
  readonly limit: number;
  /** kernel.sched_rt_runtime_us: 0 forbids, -1 is without bound. */
  readonly kernelRuntimeUs?: number;
  /** cpu.rt_runtime_us of our control group (cgroup v1 with RT_GROUP_SCHED). */
  readonly cgroupRuntimeUs?: number;
  /** Capabilities of a user namespace of its own do not count here. */
  readonly ownUserNamespace: boolean;
  /** A filter on system calls is in force. */
  readonly seccomp: boolean;
  /** We sit below the root of the cpu hierarchy. */
  readonly inCgroup: boolean;
}

/** Tries to start a child under SCHED_FIFO and reads its policy back. */
export async function probeRealtime(
  options: { readonly proc?: string; readonly cgroups?: string; readonly chrt?: string } = {},
): Promise<Realtime> {
  const chrt = options.chrt ?? 'chrt';
  const argv = [chrt, '-f', String(REALTIME_PRIORITY)];
  const child = await execa(chrt, [...argv.slice(1), 'cat', '/proc/self/stat'], {
    reject: false,
    stdin: 'ignore',
    timeout: 10_000,
  });
  if (child.exitCode === 0) {
    const stat = parseStat(child.stdout);
    if (stat !== undefined && policyName(stat) === `fifo:${REALTIME_PRIORITY}`)
      return { allowed: true, argv };
  }
  if (child.code === 'ENOENT')
    return { allowed: false, refusedBy: 'no-chrt', finding: finding('no-chrt', undefined) };
  const facts = readRealtimeFacts(options.proc, options.cgroups);
  const refusedBy = realtimeGate(facts);
  return { allowed: false, refusedBy, finding: finding(refusedBy, facts) };
}

/** Which gate refused, given that one did. */
export function realtimeGate(facts: RealtimeFacts): RealtimeGate {
  if (facts.kernelRuntimeUs === 0) return 'kernel';
  if (!facts.mayNice && facts.limit < REALTIME_PRIORITY) return facts.root ? 'capability' : 'limit';
  if (facts.ownUserNamespace && facts.limit < REALTIME_PRIORITY) return 'user-namespace';
  if (facts.cgroupRuntimeUs === 0 || facts.inCgroup) return 'cgroup';
  return facts.seccomp ? 'seccomp' : 'unknown';
}

/** What decides whether real-time priority is granted, as the kernel says itself. */
export function readRealtimeFacts(proc: string = PROC, cgroups = '/sys/fs/cgroup'): RealtimeFacts {
  const status = readStatus('self', proc);
  const limits = readProcText(proc, 'self/limits') ?? '';
  const limit = /^Max realtime priority\s+(\S+)/m.exec(limits)?.[1] ?? '0';
  const kernel = readProcText(proc, 'sys/kernel/sched_rt_runtime_us');
  const group = ownGroup(readProcText(proc, 'self/cgroup') ?? '');
  // Inside a container the path of the host's tree may not exist: there the mount itself is our group.
  const cgroup = ['cpu', 'cpu,cpuacct']
    .flatMap((controller) => [`${controller}${group}`, controller])
    .map((folder) => readProcText(cgroups, folder, 'cpu.rt_runtime_us'))
    .find((text) => text !== undefined);
  return {
    root: status?.uids[1] === 0,
    mayNice: status !== undefined && hasCapability(status, CAP_SYS_NICE),
    limit: limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit),
    ...(kernel === undefined ? {} : { kernelRuntimeUs: Number(kernel) }),
    ...(cgroup === undefined ? {} : { cgroupRuntimeUs: Number(cgroup) }),
    ownUserNamespace: isOwnUserNamespace(proc),
    seccomp: status?.seccomp === 2,
    inCgroup: group !== '/',
  };
}

/** Path of our group in the cpu hierarchy of cgroup v1, else in the single one of v2. */
function ownGroup(text: string): string {
  return (/^\d+:(?:[^:]*,)?cpu(?:,[^:]*)?:(.*)$/m.exec(text) ?? /^0::(.*)$/m.exec(text))?.[1] ?? '/';
}

function finding(gate: RealtimeGate, facts: RealtimeFacts | undefined): Finding {
  return { level: 'warning', id: `realtime-${gate}`, ...TEXTS[gate](facts) };
}

const TEXTS: Record<RealtimeGate, (facts: RealtimeFacts | undefined) => Omit<Finding, 'level' | 'id'>> = {
  'no-chrt': () => ({
    what: 'The sampler runs at normal priority: the program chrt was not found.',
    why: 'A sampler that has to wait for a CPU sees too much sleep: shares may be off by 20 points.',
    fix: 'sudo apt-get install util-linux',
  }),
  kernel: () => ({
    what: 'The sampler runs at normal priority: kernel.sched_rt_runtime_us is 0.',
    why: 'This value forbids real-time priority to everyone; shares may be off by 20 points.',
    fix: 'sudo sysctl kernel.sched_rt_runtime_us=950000',
  }),
  cgroup: (facts) => ({
    what: `The sampler runs at normal priority: our control group grants no real-time runtime${
      facts?.cgroupRuntimeUs === undefined ? '' : ` (cpu.rt_runtime_us is ${facts.cgroupRuntimeUs})`
    }.`,
    why: 'Groups below the root get none by default, as in a container; shares may be off by 20 points.',
    fix: 'profiler attach …  (on the host as root, from a shell outside containers and slices)',
  }),
  capability: () => ({
    what: 'The sampler runs at normal priority: we are root without CAP_SYS_NICE.',
    why: 'Containers do not hold this capability by default; shares may be off by 20 points.',
    fix: 'profiler attach …  (on the host as root, or in a container with --cap-add SYS_NICE)',
  }),
  limit: (facts) => ({
    what: `The sampler runs at normal priority: the limit for real-time priority is ${facts?.limit ?? 0}.`,
    why: `Priority ${REALTIME_PRIORITY} needs root or a higher limit; shares may be off by 20 points.`,
    fix: 'sudo profiler attach …  (or raise it for good: rtprio 99 in /etc/security/limits.conf)',
  }),
  'user-namespace': () => ({
    what: 'The sampler runs at normal priority: we live in a user namespace of our own.',
    why: 'CAP_SYS_NICE does not count there, as in a rootless container; shares may be off by 20 points.',
    fix: 'profiler attach …  (on the host as root)',
  }),
  seccomp: () => ({
    what: 'The sampler runs at normal priority: a seccomp filter forbids real-time priority.',
    why: 'Nothing else stands in its way, and a filter is in force; shares may be off by 20 points.',
    fix: 'docker run --security-opt seccomp=unconfined …  (or attach from the host)',
  }),
  unknown: () => ({
    what: 'The sampler runs at normal priority: real-time priority was refused.',
    why: 'Neither capability, limit nor control group explains it; shares may be off by 20 points.',
    fix: `chrt -f ${REALTIME_PRIORITY} true  (shows the refusal)`,
  }),
};
