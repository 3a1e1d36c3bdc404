import type { Finding } from '../../model/index.js';
import type { Target } from '../target.js';

/** Newest Python 3 whose memory layout py-spy 0.4 knows. */
const NEWEST_MINOR = 14;

/** Whether py-spy can read this process at all; a blocker otherwise. */
export function pythonSupport(target: Target): Finding | undefined {
  const pid = target.pid;
  const program = target.exe ?? target.command[0] ?? 'unknown program';
  if (target.runtime !== 'python') {
    return {
      level: 'blocker',
      id: 'not-python',
      what: `Process ${pid} is not a Python process: it runs ${program}.`,
      why: 'It is probably a launcher or a native node beside the simulation, which py-spy cannot read.',
      fix: 'profiler attach --match REGEX  (a part of the command line of the Python simulation)',
    };
  }
  const version = target.runtimeVersion ?? 'of unknown version';
  if (target.freeThreaded === true) {
    return {
      level: 'blocker',
      id: 'python-free-threaded',
      what: `Process ${pid} runs a free-threaded Python ${version}.`,
      why: 'py-spy does not know the object layout of free-threaded builds.',
      fix: `Start the simulation with the ordinary build of Python ${version}, then attach again.`,
    };
  }
  const [major = 3, minor = 0] = (target.runtimeVersion ?? '').split('.').map(Number);
  if (major > 3 || (major === 3 && minor > NEWEST_MINOR)) {
    return {
      level: 'blocker',
      id: 'python-too-new',
      what: `Process ${pid} runs Python ${version}.`,
      why: `py-spy knows the memory layout of Python up to 3.${NEWEST_MINOR}.`,
      fix: `perf record -F 499 -g -p ${pid} -- sleep 20`,
    };
  }
  return undefined;
}
