import { statSync } from 'node:fs';
import { execa } from 'execa';
import type { Finding } from '../model/index.js';
import { PROC, readProcLink, readProcText } from './proc/file.js';
import { readMaps } from './proc/maps.js';
import { memoryError } from './proc/memory.js';
import { isTornRead } from './pyspy-diagnosis.js';
import {
  CAP_SYS_PTRACE,
  hasCapability,
  isOwnUserNamespace,
  readStatus,
  type ProcStatus,
} from './proc/status.js';
import type { Target } from './target.js';

/** What decides whether the kernel lets one process trace another; see ptrace(2), access mode checking. */
export interface TraceFacts {
  readonly pid: number;
  readonly self: ProcStatus;
  readonly target: ProcStatus;
  /** Value of Yama's ptrace_scope; absent on kernels without Yama. */
  readonly yama?: number;
  /** Whether `maps` could be read: the same check without Yama's part. */
  readonly mapsReadable: boolean;
  /** Owner of `/proc/PID`: root instead of the process's user once it is not dumpable. */
  readonly folderUid?: number;
  /** We live in another user namespace than the first one of the machine. */
  readonly ownUserNamespace: boolean;
}

export interface TraceProbeOptions {
  readonly proc?: string;
  /** Path of a sampler to try as well. */
  readonly pyspy?: string;
  /** Try it in the mode that stops the target for each sample, which needs more system calls. */
  readonly blocking?: boolean;
}

/**
 * Whether we may read the target: tried on its memory, then, where a sampler is given, by one stack dump with it.
 * `undefined` when it works; a blocker that names the gate otherwise.
 */
export async function probeTrace(
  target: Target,
  options: TraceProbeOptions = {},
): Promise<Finding | undefined> {
  const proc = options.proc ?? PROC;
  const maps = readMaps(target.pid, proc);
  const address = maps?.find((region) => region.readable && region.path !== undefined)?.start ?? 0n;
  const code = memoryError(target.pid, address, proc);
  const self = readStatus('self', proc);
  const other = readStatus(target.pid, proc);
  if (other === undefined || self === undefined || code === 'ENOENT' || code === 'ESRCH')
    return goneFinding(target.pid);
  if (code === undefined) {
    if (options.pyspy === undefined) return undefined;
    return probeSampler(target.pid, options.pyspy, options.blocking === true, self.seccomp);
  }
  const yama = readProcText(proc, 'sys/kernel/yama/ptrace_scope');
  const folderUid = ownerOf(`${proc}/${target.pid}`);
  return explainTraceDenial({
    pid: target.pid,
    self,
    target: other,
    ...(yama === undefined ? {} : { yama: Number(yama.trim()) }),
    mapsReadable: maps !== undefined,
    ...(folderUid === undefined ? {} : { folderUid }),
    ownUserNamespace:
      isOwnUserNamespace(proc) ||
      differ(readProcLink(proc, 'self/ns/user'), readProcLink(proc, String(target.pid), 'ns/user')),
  });
}

/** Which gate refused, in the order in which the kernel asks. */
export function explainTraceDenial(facts: TraceFacts): Finding {
  const { pid, self, target, yama } = facts;
  const denied = `Process ${pid} may not be read`;
  const again = `sudo profiler attach --pid ${pid}`;
  if (yama === 3) {
    return blocker(
      'trace-yama',
      `${denied}: kernel.yama.ptrace_scope is 3.`,
      'This value forbids tracing to everyone, root included, and cannot be lowered until the next boot.',
      'grep -rs ptrace_scope /etc/sysctl.conf /etc/sysctl.d /usr/lib/sysctl.d  (set it to 1 there, then reboot)',
    );
  }
  if (hasCapability(self, CAP_SYS_PTRACE)) {
    return facts.ownUserNamespace
      ? otherNamespace(denied, again)
      : blocker(
          'trace-security-module',
          `${denied}, though we hold CAP_SYS_PTRACE.`,
          'A security module such as AppArmor or SELinux forbids it.',
          'journalctl -k -g "apparmor|avc"  (shows which profile; for a container: --security-opt apparmor=unconfined)',
        );
  }
  const [ourUid = 0, ourGid = 0] = [self.uids[1], self.gids[1]];
  const otherUid = target.uids.slice(0, 3).find((uid) => uid !== ourUid);
  const otherGid = target.gids.slice(0, 3).find((gid) => gid !== ourGid);
  const lacksCapabilities = (target.capPermitted & ~self.capEffective) !== 0n;
  if (facts.ownUserNamespace && otherUid === undefined && lacksCapabilities)
    return otherNamespace(denied, again);
  if (ourUid === 0 && (otherUid !== undefined || otherGid !== undefined || lacksCapabilities)) {
    return blocker(
      'trace-capability',
      `${denied}: we are root without CAP_SYS_PTRACE, and it runs as user ${target.uids[0] ?? '?'}${
        otherUid === undefined && lacksCapabilities ? ' with capabilities that we lack' : ''
      }.`,
      'Root in a container does not hold the capability unless it was added when the container was created.',
      `profiler attach --pid ${pid}  (on the host as root, or in a container with --cap-add SYS_PTRACE)`,
    );
  }
  if (otherUid !== undefined) {
    return blocker(
      'trace-other-user',
      `${denied}: it runs as user ${otherUid}, we run as user ${ourUid}.`,
      'Only its own user, or root, may look into a process.',
      again,
    );
  }
  if (otherGid !== undefined) {
    return blocker(
      'trace-other-group',
      `${denied}: it runs as group ${otherGid}, we run as group ${ourGid}.`,
      'Without CAP_SYS_PTRACE the group has to be the same as well as the user.',
      again,
    );
  }
  if (lacksCapabilities) {
    return blocker(
      'trace-target-capabilities',
      `${denied}: it holds capabilities that we lack.`,
      'Without CAP_SYS_PTRACE a process can only be read by one that holds at least the same capabilities.',
      again,
    );
  }
  if (facts.mapsReadable && (yama === 1 || yama === 2)) {
    return blocker(
      'trace-yama',
      `${denied}: kernel.yama.ptrace_scope is ${yama}.`,
      yama === 1
        ? 'With this value a process may only be read by what started it, or by root.'
        : 'With this value a process may only be read by root.',
      yama === 1 ? `${again}  (or once: sudo sysctl kernel.yama.ptrace_scope=0)` : again,
    );
  }
  if (!facts.mapsReadable && facts.folderUid !== undefined && facts.folderUid !== (target.uids[1] ?? 0)) {
    return blocker(
      'trace-not-dumpable',
      `${denied}: it is marked as not dumpable.`,
      'It changed its user after it was started, or asked the kernel for this protection.',
      again,
    );
  }
  return blocker(
    'trace-security-module',
    `${denied}, though user, group and capabilities allow it.`,
    'A security module such as AppArmor or SELinux forbids it, or /proc is restricted.',
    again,
  );
}

const REFUSED = /EPERM|permission denied|not permitted|failed to (?:get stack traces|suspend)/i;

/** One stack dump: the only way to learn of a filter on the system calls that the sampler itself uses. */
async function probeSampler(
  pid: number,
  pyspy: string,
  blocking: boolean,
  seccomp: number,
): Promise<Finding | undefined> {
  const mode = blocking ? [] : ['--nonblocking'];
  const dump = await execa(pyspy, ['dump', ...mode, '--pid', String(pid)], {
    reject: false,
    stdin: 'ignore',
    timeout: 20_000,
  });
  if (dump.exitCode === 0 || !REFUSED.test(dump.stderr) || isTornRead(dump.stderr)) return undefined;
  const what = `The memory of process ${pid} can be read, but py-spy is refused.`;
  const call = blocking ? 'ptrace' : 'process_vm_readv';
  if (seccomp !== 2) {
    const why = `A security module or another tracer forbids the system call ${call}.`;
    return blocker('trace-sampler-denied', what, why, `sudo profiler attach --pid ${pid}`);
  }
  return blocker(
    'trace-seccomp',
    what,
    `A seccomp filter of our container forbids the system call ${call}.`,
    blocking
      ? `profiler attach --pid ${pid}  (without --native, which alone needs it)`
      : 'docker run --security-opt seccomp=unconfined …  (or attach from the host)',
  );
}

function goneFinding(pid: number): Finding {
  return {
    level: 'blocker',
    id: 'no-such-pid',
    what: `There is no process ${pid} any more.`,
    why: 'It ended before it could be read.',
    fix: 'Start the simulation again, then attach.',
  };
}

function otherNamespace(denied: string, again: string): Finding {
  return blocker(
    'trace-user-namespace',
    `${denied}: it belongs to another user namespace than ours.`,
    'CAP_SYS_PTRACE only counts inside the user namespace that it was given in, as in a rootless container.',
    `${again}  (on the host, outside the container)`,
  );
}

function blocker(id: string, what: string, why: string, fix: string): Finding {
  return { level: 'blocker', id, what, why, fix };
}

function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid;
  } catch {
    return undefined;
  }
}

function differ(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}
