import { existsSync } from 'node:fs';
import { PROC, readProcText } from '../proc/file.js';
import { CAP_SYS_PTRACE, hasCapability, isOwnUserNamespace, readStatus } from '../proc/status.js';
import { type NoTracing, findTracefs } from '../tracing/tracefs.js';

export type CgroupVersion = 'v1' | 'v2' | 'hybrid' | 'none';

/** What the kernel allows us, as it says itself. A value that it does not have is absent. */
export interface KernelFacts {
  /** Effective user. */
  readonly uid: number;
  readonly mayTrace: boolean;
  readonly ownUserNamespace: boolean;
  /** kernel.perf_event_paranoid. */
  readonly perfParanoid?: number;
  readonly mayMeasure: boolean;
  /** kernel.yama.ptrace_scope. */
  readonly ptraceScope?: number;
  /** Of ourselves: 0 none, 1 strict, 2 filter. */
  readonly seccomp: number;
  readonly cgroups: CgroupVersion;
  /** Option `hidepid` of the mount of /proc. */
  readonly hidepid: string;
  /** Why no probe can be put on a simulation's steps; absent where one can. */
  readonly noStepProbe?: NoTracing;
  /** We live in a container ourselves. */
  readonly container: boolean;
}

const CAP_SYS_ADMIN = 21n;
const CAP_PERFMON = 38n;

export interface KernelRoots {
  readonly proc?: string;
  readonly cgroups?: string;
  /** Where the kernel may show its tracing. */
  readonly tracing?: readonly string[];
}

/** Reads the settings; never throws. */
export function readKernelFacts(roots: KernelRoots = {}): KernelFacts {
  const proc = roots.proc ?? PROC;
  const status = readStatus('self', proc);
  const mounts = readProcText(proc, 'self', 'mounts') ?? '';
  const perfParanoid = readNumber(proc, 'sys/kernel/perf_event_paranoid');
  const ptraceScope = readNumber(proc, 'sys/kernel/yama/ptrace_scope');
  const tracefs = findTracefs(roots.tracing, proc);
  const may = (capability: bigint): boolean => status !== undefined && hasCapability(status, capability);
  return {
    uid: status?.uids[1] ?? process.geteuid?.() ?? 0,
    mayTrace: may(CAP_SYS_PTRACE),
    ownUserNamespace: isOwnUserNamespace(proc),
    ...(perfParanoid === undefined ? {} : { perfParanoid }),
    mayMeasure: may(CAP_PERFMON) || may(CAP_SYS_ADMIN),
    ...(ptraceScope === undefined ? {} : { ptraceScope }),
    seccomp: status?.seccomp ?? 0,
    cgroups: cgroupVersion(mounts, roots.cgroups ?? '/sys/fs/cgroup'),
    hidepid: hidepidOf(mounts),
    ...('because' in tracefs ? { noStepProbe: tracefs } : {}),
    container: existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
  };
}

function readNumber(proc: string, path: string): number | undefined {
  const text = readProcText(proc, path)?.trim();
  return text !== undefined && /^-?\d+$/.test(text) ? Number(text) : undefined;
}

/** From the mounts: a v2 hierarchy alone, v1 hierarchies alone, or both. */
export function cgroupVersion(mounts: string, folder: string): CgroupVersion {
  const types = new Set(
    mounts.split('\n').flatMap((line) => {
      const [, point = '', type = ''] = line.split(' ');
      return point === folder || point.startsWith(`${folder}/`) ? [type] : [];
    }),
  );
  const one = types.has('cgroup');
  const two = types.has('cgroup2');
  if (one && two) return 'hybrid';
  return two ? 'v2' : one ? 'v1' : 'none';
}

/** `0` where nothing is hidden; the kernel prints a word or a number. */
export function hidepidOf(mounts: string): string {
  const options = mounts.split('\n').flatMap((line) => {
    const [, point, type, given = ''] = line.split(' ');
    return point === '/proc' && type === 'proc' ? [given] : [];
  });
  // The last mount lies on top.
  const value = /(?:^|,)hidepid=([^,]+)/.exec(options.at(-1) ?? '')?.[1] ?? '0';
  return value === 'off' ? '0' : value;
}
