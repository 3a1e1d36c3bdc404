import { KIND_LABEL } from '../docker/labels.js';
import { PROC, readProcLink, readProcText } from '../proc/file.js';
import { hasEnded, readStat } from '../proc/stat.js';

/** Environment variable of every sampler of ours; its value is the mark of the profiler that started it. */
export const OWNER_VARIABLE = 'SIM_PROFILER_OWNER';

/** The same as a label of a container. */
export const OWNER_LABEL = 'sim-profiler.owner';

/**
 * `PID:START:NAMESPACE` of this process, for `OWNER_VARIABLE` and `OWNER_LABEL`: a pid and its start time mean something only in one
 * pid namespace.
 */
export function ownerMark(proc: string = PROC): string {
  return `${process.pid}:${readStat(process.pid, proc)?.startTicks ?? 0}:${namespace(proc)}`;
}

/** Whether a container or an image was made by a profiler, and only for itself. */
export function isOurs(
  kind: 'sidecar' | 'image',
  labels: Readonly<Record<string, string>> | undefined | null,
): boolean {
  return labels?.[KIND_LABEL] === kind;
}

/**
 * Whether the process behind a mark still runs. `unknown` where the mark does not say, or comes from another pid namespace, as from
 * another machine that uses the same engine.
 */
export function ownerState(mark: string | undefined, proc: string = PROC): 'lives' | 'ended' | 'unknown' {
  const [, pid, startTicks, home] = /^(\d+):(\d+):(\d+-[0-9a-f]*)$/.exec(mark ?? '') ?? [];
  if (home === undefined || home !== namespace(proc)) return 'unknown';
  const stat = readStat(Number(pid), proc);
  return stat !== undefined && String(stat.startTicks) === startTicks && !hasEnded(stat) ? 'lives' : 'ended';
}

/** Digits of `pid:[4026531836]`, and some of the machine's boot: the first namespace has the same number everywhere. */
function namespace(proc: string): string {
  const digits = /\d+/.exec(readProcLink(proc, 'self/ns/pid') ?? '')?.[0] ?? '';
  const boot = readProcText(proc, 'sys/kernel/random/boot_id') ?? '';
  return `${digits}-${boot.slice(0, BOOT_DIGITS)}`;
}

const BOOT_DIGITS = 8;
