import { KIND_LABEL } from '../docker/labels.js';
import { listIds, PROC, readProcLink, readProcText } from '../proc/file.js';
import { hasEnded, readStat } from '../proc/stat.js';
import { readStatus } from '../proc/status.js';

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

export type OwnerState = 'lives' | 'ended' | 'unknown';

/**
 * Whether the process behind a mark still runs. `unknown` where the mark does not say, comes from another machine that uses the same
 * engine, or from another pid namespace that we do not see into.
 */
export function ownerState(mark: string | undefined, proc: string = PROC): OwnerState {
  const [, pid, startTicks, home] = /^(\d+):(\d+):(\d*-[0-9a-f]*)$/.exec(mark ?? '') ?? [];
  if (home === undefined) return 'unknown';
  const here = namespace(proc);
  if (home === here) return stateOf(Number(pid), startTicks, proc);
  if (bootOf(home) !== bootOf(here) || !here.startsWith(`${FIRST_NAMESPACE}-`)) return 'unknown';
  // From the first namespace all others are seen, by other numbers.
  const found = listIds(proc).some(
    (one) =>
      readStatus(one, proc)?.nsPids.at(-1) === Number(pid) && stateOf(one, startTicks, proc) === 'lives',
  );
  return found ? 'lives' : 'ended';
}

/** The same of a journal, which lies on this machine: what was written before it was started last has ended. */
export function writerState(mark: string | undefined, proc: string = PROC): OwnerState {
  const state = ownerState(mark, proc);
  const home = mark?.split(':')[2] ?? '';
  return state === 'unknown' && bootOf(home) !== bootOf(namespace(proc)) ? 'ended' : state;
}

function stateOf(pid: number, startTicks: string | undefined, proc: string): 'lives' | 'ended' {
  const stat = readStat(pid, proc);
  return stat !== undefined && String(stat.startTicks) === startTicks && !hasEnded(stat) ? 'lives' : 'ended';
}

/** Its number is the same on every machine, from linux/proc_ns.h. */
const FIRST_NAMESPACE = 4_026_531_836;

function bootOf(home: string): string {
  return home.slice(home.indexOf('-') + 1);
}

/** Digits of `pid:[4026531836]`, and some of the machine's boot: the first namespace has the same number everywhere. */
function namespace(proc: string): string {
  const digits = /\d+/.exec(readProcLink(proc, 'self/ns/pid') ?? '')?.[0] ?? '';
  const boot = readProcText(proc, 'sys/kernel/random/boot_id') ?? '';
  return `${digits}-${boot.slice(0, BOOT_DIGITS)}`;
}

const BOOT_DIGITS = 8;
