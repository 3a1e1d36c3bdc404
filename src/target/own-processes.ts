import { baseName, readCommand } from './proc/command.js';
import { OWNER_VARIABLE } from './cleanup/owner.js';
import { readProcText } from './proc/file.js';
import { readStat } from './proc/stat.js';

const NODE = /^(?:node|nodejs)$/;
/** The command as it is installed or run from its build, and the sampler of thread states that it starts. */
const OWN_SCRIPT = /(?:^|\/)(?:(?:sim-)?profiler|dist\/cli\/bin\.js|state-sampler\/main\.js)$/;
const FOLLOWER = /(?:^|\/)capture\/cpu_follower\.py$/;

/** A running `profiler`, or a state sampler or follower as it starts them. */
function isProfiler(command: readonly string[]): boolean {
  const [program = '', ...args] = command;
  const name = baseName(program);
  if (/^(?:sim-)?profiler$/.test(name)) return true;
  if (NODE.test(name)) return OWN_SCRIPT.test(args.find((argument) => !argument.startsWith('-')) ?? '');
  return FOLLOWER.test(args.find((argument) => !argument.startsWith('-')) ?? '');
}

/** A py-spy that was given a pid: unlike one that was given a program, it started nothing that could be meant. */
function isPySpyOnPid([program = '', ...args]: readonly string[]): boolean {
  if (baseName(program) !== 'py-spy') return false;
  const end = args.indexOf('--');
  const own = end < 0 ? args : args.slice(0, end);
  return own.some((argument) => /^(?:--pid(?:=.*)?|-p\d*)$/.test(argument));
}

/** What a route starts carries its profiler's mark, under whatever name it runs inside a container. */
function isMarked(pid: number, proc: string): boolean {
  const environment = readProcText(proc, String(pid), 'environ') ?? '';
  return environment.split('\0').some((line) => line.startsWith(`${OWNER_VARIABLE}=`));
}

/** Whether a process is a profiler, a sampler, or was started by one. */
export function belongsToProfiler(pid: number, proc: string): boolean {
  if (isPySpyOnPid(readCommand(pid, proc)) || isMarked(pid, proc)) return true;
  const seen = new Set<number>();
  for (let one = pid; one > 0 && !seen.has(one); one = readStat(one, proc)?.ppid ?? 0) {
    if (isProfiler(readCommand(one, proc))) return true;
    seen.add(one);
  }
  return false;
}
