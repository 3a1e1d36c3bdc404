/** A thread of a live process, from /proc. */
export interface TargetThread {
  readonly tid: number;
  readonly nsTid?: number;
  /** Kernel name, raw: 15 bytes at most, any byte may occur. */
  readonly comm: string;
}

export type Runtime = 'python' | 'node' | 'native';

/** A process that can be profiled, and the facts that decide how. All ids are the host's unless the name says `ns`. */
export interface Target {
  readonly pid: number;
  readonly nsPid?: number;
  /** Field 22 of /proc/PID/stat: tells a reused pid. */
  readonly startTicks: number;
  readonly command: readonly string[];
  readonly exe?: string;
  readonly runtime: Runtime;
  /** `3.11.7` where it can be read from outside. */
  readonly runtimeVersion?: string;
  readonly freeThreaded?: boolean;
  /** C library, where it could be told from what is loaded. */
  readonly libc?: 'glibc' | 'musl';
  readonly uid: number;
  readonly gid: number;
  /**
   * Host of the engine, where the process is not in this machine's /proc: on another machine, or in a virtual one. `pid` is then
   * `NOT_HERE`, `startTicks`, `uid` and `gid` say nothing, and `nsPid` is the number of its container.
   */
  readonly elsewhere?: string;
  /** Short container id from the cgroup path or the mount of the root, if the process lives in one. */
  readonly container?: string;
  /** Its name, where an engine was asked. */
  readonly containerName?: string;
  readonly chosenBecause?: string;
  /** The other processes of the tree that were looked at, with the reason each was passed over. */
  readonly passedOver: readonly {
    readonly pid: number;
    readonly command: readonly string[];
    readonly because: string;
  }[];
}

/** Address range of the interpreter's GIL, in the target's address space: the symbol `_PyRuntime`. */
export interface GilRange {
  readonly start: bigint;
  readonly end: bigint;
  /** File that defines the symbol, as the target sees it. */
  readonly file: string;
}

/** A pid that no process of Linux has (they end at 2^22): whoever reads or signals it hits nobody. */
export const NOT_HERE = 4_194_305;

/** The number to show for a process: this machine's, else that of its container. */
export function shownPid({ pid, nsPid, elsewhere }: Target): number {
  return elsewhere === undefined ? pid : (nsPid ?? pid);
}
