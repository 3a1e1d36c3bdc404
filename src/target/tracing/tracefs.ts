import {
  accessSync,
  appendFileSync,
  constants,
  readFileSync,
  readdirSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { arch } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { errorReason } from '../../model/index.js';
import { PROC, readProcLink, readProcText } from '../proc/file.js';
import { hasEnded, readStat } from '../proc/stat.js';

/** Where the kernel shows its tracing: the kernel's Documentation/trace/ftrace.rst. The second is that of kernels before 4.1. */
const PLACES = ['/sys/kernel/tracing', '/sys/kernel/debug/tracing'];

/** Name of what one process makes there: `sim_profiler_PID_NAMESPACE_RANDOM`, so that another can tell whether that process lives. */
export const GROUP = /^sim_profiler_(\d+)_(\d+)_[0-9a-f]{8}$/;

export function newGroup(): string {
  return `sim_profiler_${process.pid}_${pidNamespace()}_${randomBytes(4).toString('hex')}`;
}

/** Groups of processes that have ended without taking them back. Those of another pid namespace are not ours to judge. */
export function deadGroups(tracefs: string): readonly string[] {
  const own = pidNamespace();
  const text = readFileSync(join(tracefs, 'uprobe_events'), 'utf8');
  const named = text.split('\n').map((line) => /^[pr]:(\w+)\//.exec(line)?.[1] ?? '');
  return [...new Set([...readdirSync(join(tracefs, 'instances')), ...named])].filter((group) => {
    const [, pid, namespace] = GROUP.exec(group) ?? [];
    return pid !== undefined && namespace === own && !isThere(pid);
  });
}

function isThere(pid: string): boolean {
  const stat = readStat(Number(pid));
  return stat !== undefined && !hasEnded(stat);
}

/** Inode of our pid namespace; 0 where the kernel does not tell. */
function pidNamespace(): string {
  return /\[(\d+)\]/.exec(readProcLink(PROC, 'self', 'ns/pid') ?? '')?.[1] ?? '0';
}

/** What a probe at the entry of a function reads, as the kernel names registers. */
export interface Fetched {
  /** The first two arguments, as whole numbers `a` and `b`. */
  readonly two: string;
  /** Where the function returns to, as `c`: who called it. */
  readonly caller: string;
}

const FETCHED: Readonly<Record<string, Fetched>> = {
  x64: { two: 'a=%di:x64 b=%si:x64', caller: 'c=+0(%sp):x64' },
  arm64: { two: 'a=%x0:x64 b=%x1:x64', caller: 'c=%x30:x64' },
};

export const REGISTERS_UNKNOWN: NoTracing = {
  because: 'the registers of this kind of machine are not known',
};

/** Undefined on a machine whose registers are not known. */
export function fetchedOn(machine: string = arch()): Fetched | undefined {
  return FETCHED[machine];
}

/** Why nothing can be traced, and the line to type where one would help. */
export interface NoTracing {
  readonly because: string;
  readonly fix?: string;
}

/** Folder of the kernel's tracing, or why it cannot be used from here. */
export function findTracefs(
  places: readonly string[] = PLACES,
  proc: string = PROC,
): { readonly path: string } | NoTracing {
  let because: string | undefined;
  for (const path of places) {
    try {
      accessSync(join(path, 'uprobe_events'), constants.W_OK);
      return { path };
    } catch (error) {
      const reason = errorReason(error);
      if (reason === 'EACCES' || reason === 'EPERM' || reason === 'EROFS')
        because = `${path} is not for this user (${reason}): it takes root of this machine`;
    }
  }
  if (because !== undefined) return { because };
  const isKnown = readProcText(proc, 'filesystems')?.split('\n').includes('nodev\ttracefs') === true;
  return isKnown && process.geteuid?.() === 0
    ? { because: 'tracefs is not mounted', fix: `mount -t tracefs tracefs ${places[0]}` }
    : { because: `there is no tracefs here (${places[0]})` };
}

/** Takes back all that was made under the name of a group: its instance, then its probes. What is not there is no fault. Throws what the kernel says. */
export function removeGroup(tracefs: string, group: string): void {
  const instance = join(tracefs, 'instances', group);
  const events = eventsOf(tracefs, group);
  for (const event of events)
    ignoreMissing(() => writeFileSync(join(instance, 'events', group, event, 'enable'), '0'));
  ignoreMissing(() => rmdirSync(instance));
  for (const event of events) appendFileSync(join(tracefs, 'uprobe_events'), `-:${group}/${event}\n`);
}

/** Whether anything of a group is there. */
export function hasGroup(tracefs: string, group: string): boolean {
  return eventsOf(tracefs, group).length > 0 || readdirSync(join(tracefs, 'instances')).includes(group);
}

function eventsOf(tracefs: string, group: string): readonly string[] {
  const text = readFileSync(join(tracefs, 'uprobe_events'), 'utf8');
  return text.split('\n').flatMap((line) => {
    const [, owner, event] = /^[pr]:(\w+)\/(\w+) /.exec(line) ?? [];
    return owner === group && event !== undefined ? [event] : [];
  });
}

function ignoreMissing(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (errorReason(error) !== 'ENOENT') throw error;
  }
}
