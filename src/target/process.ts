import { readContainer } from './proc/container.js';
import { baseName, readCommand, readExe, type ProcExe } from './proc/command.js';
import { PROC, readProcText } from './proc/file.js';
import { readMaps, type MapRegion } from './proc/maps.js';
import { hasEnded, readStat, type ProcStat } from './proc/stat.js';
import { readStatus } from './proc/status.js';
import { listThreads } from './proc/tasks.js';
import { isPythonLibrary, isPythonProgram, readPythonFacts } from './python/interpreter.js';
import { simulatorIn, type SimulatorTrace } from './simulators.js';
import type { Runtime, Target, TargetThread } from './target.js';

/** One process as far as the choice between processes needs it. */
export interface ProcessFacts {
  readonly stat: ProcStat;
  readonly command: readonly string[];
  readonly exe?: ProcExe;
  /** Absent where we may not look into the process. */
  readonly maps?: readonly MapRegion[];
  readonly runtime: Runtime;
  readonly simulator?: SimulatorTrace;
}

/** `undefined` when there is no such process. */
export function readProcess(pid: number, proc: string = PROC): ProcessFacts | undefined {
  const stat = readStat(pid, proc);
  if (stat === undefined) return undefined;
  const command = readCommand(pid, proc);
  const exe = readExe(pid, proc);
  const maps = readMaps(pid, proc);
  const simulator = simulatorIn(command, maps ?? []);
  return {
    stat,
    command,
    ...(exe === undefined ? {} : { exe }),
    ...(maps === undefined ? {} : { maps }),
    runtime: runtimeOf(command, exe, maps ?? []),
    ...(simulator === undefined ? {} : { simulator }),
  };
}

function runtimeOf(
  command: readonly string[],
  exe: ProcExe | undefined,
  maps: readonly MapRegion[],
): Runtime {
  if (maps.some((region) => region.path !== undefined && isPythonLibrary(region.path))) return 'python';
  const program = exe?.path ?? command[0] ?? '';
  if (isPythonProgram(program)) return 'python';
  return /^(?:node|nodejs|bun|deno)$/.test(baseName(program)) ? 'node' : 'native';
}

/** Full facts of a chosen process. */
export function toTarget(
  facts: ProcessFacts,
  choice: Pick<Target, 'chosenBecause' | 'passedOver'>,
  proc: string = PROC,
): Target {
  const { stat, command, exe, runtime } = facts;
  const maps = facts.maps ?? [];
  const status = readStatus(stat.pid, proc);
  const nsPid = status?.nsPids.at(-1);
  const python = runtime === 'python' ? readPythonFacts(stat.pid, maps, exe, proc) : {};
  const libc = libcOf(maps);
  const container = readContainer(stat.pid, proc);
  return {
    pid: stat.pid,
    ...(nsPid === undefined || nsPid === stat.pid ? {} : { nsPid }),
    startTicks: stat.startTicks,
    command,
    ...(exe === undefined ? {} : { exe: exe.path }),
    runtime,
    ...(python.version === undefined ? {} : { runtimeVersion: python.version }),
    ...(python.freeThreaded === undefined ? {} : { freeThreaded: python.freeThreaded }),
    ...(libc === undefined ? {} : { libc }),
    uid: status?.uids[1] ?? 0,
    gid: status?.gids[1] ?? 0,
    ...(container === undefined ? {} : { container }),
    ...choice,
  };
}

function libcOf(maps: readonly MapRegion[]): 'glibc' | 'musl' | undefined {
  for (const { path = '' } of maps) {
    const name = baseName(path);
    if (/^ld-musl-|^libc\.musl-/.test(name)) return 'musl';
    if (/^libc(?:-2\.\d+)?\.so/.test(name) || name.startsWith('ld-linux-')) return 'glibc';
  }
  return undefined;
}

/** Whether the pid still means the process that was chosen: alive, and started at the same instant. Of one elsewhere only its sampler can tell. */
export function sameProcess(target: Target, proc: string = PROC): boolean {
  if (target.elsewhere !== undefined) return true;
  const stat = readStat(target.pid, proc);
  return stat !== undefined && stat.startTicks === target.startTicks && !hasEnded(stat);
}

/**
 * Tells one program of a process from the next: `exec` keeps pid and start time, but lays out new memory. By the auxiliary vector
 * (addresses that are drawn anew), else by the executable. `undefined` where neither may be read, or the process is gone.
 */
export function programOf(pid: number, proc: string = PROC): string | undefined {
  const vector = readProcText(proc, String(pid), 'auxv');
  if (vector !== undefined && vector !== '') return vector;
  return readExe(pid, proc)?.path;
}

/** Threads of the target right now. */
export function threads(target: Target, proc: string = PROC): TargetThread[] {
  return listThreads(target.pid, proc);
}
