import { basename } from 'node:path';
import { ProfilerError } from '../../model/index.js';
import { PROC, readProcText } from '../proc/file.js';
import { CAP_SYS_PTRACE, hasCapability, readStatus } from '../proc/status.js';
import type { Environment } from '../tools/folder.js';
import { findProgram } from './find-program.js';

/**
 * Permits one process and what it starts to trace this one, then becomes the program. prctl(2): PR_SET_PTRACER survives exec.
 * A Python that starts changes two things that a program would inherit, and they are put back: it ignores SIGPIPE and SIGXFSZ,
 * and in the C locale it sets LC_CTYPE (PEP 538).
 */
const PERMIT = [
  'import ctypes, os, signal, sys',
  'ctypes.CDLL(None).prctl(ctypes.c_int(0x59616d61), ctypes.c_ulong(int(sys.argv[1])), 0, 0, 0)',
  'signal.signal(signal.SIGPIPE, signal.SIG_DFL)',
  'signal.signal(signal.SIGXFSZ, signal.SIG_DFL)',
  'if sys.argv[2] == "unset": os.environ.pop("LC_CTYPE", None)',
  'os.execv(sys.argv[3], sys.argv[4:])',
].join('\n');

/** What decides how a program has to be started so that we may read it. */
export interface LaunchFacts {
  /** Value of Yama's ptrace_scope; undefined on a kernel without Yama. */
  readonly yama: number | undefined;
  /** We hold CAP_SYS_PTRACE, to which Yama's level 1 does not matter. */
  readonly capable: boolean;
  readonly selfPid: number;
  /** A Python that can run the launcher; undefined where there is none. */
  readonly python: string | undefined;
  /** Whether LC_CTYPE is set. */
  readonly ctype: boolean;
}

/** How to start a program: the file, and the arguments with the name of the program first. */
export interface Launch {
  readonly file: string;
  readonly argv: readonly string[];
}

/**
 * Yama's level 1 lets a process be traced by its own ancestors alone, and a sampler that we start is none: the program has to
 * permit it. Everywhere else, it is started as it is: levels 2 and 3 heed no permission. Throws ProfilerError `launcher-missing`.
 */
export function launchOf(program: Launch, facts: LaunchFacts): Launch {
  if (facts.yama !== 1 || facts.capable) return program;
  if (facts.python === undefined)
    throw new ProfilerError({
      id: 'launcher-missing',
      what: 'The program cannot be started so that it may be sampled: kernel.yama.ptrace_scope is 1, and there is no python3.',
      why: 'A program has to permit it itself, by a system call that a small Python makes before it starts it.',
      fix: 'sudo profiler run -- …  (or once: sudo sysctl kernel.yama.ptrace_scope=0)',
    });
  const ctype = facts.ctype ? 'set' : 'unset';
  const own = ['-I', '-S', '-c', PERMIT, String(facts.selfPid), ctype];
  return { file: facts.python, argv: [facts.python, ...own, program.file, ...program.argv] };
}

/** Whether a command line is the launcher's own, which becomes the program's at once. */
export function isLauncher(command: readonly string[]): boolean {
  return command.includes(PERMIT);
}

const PYTHON_NAME = /^python(?:\d+(?:\.\d+)?)?$/;

function findPython(program: string, env: Environment, cwd: string): string | undefined {
  if (PYTHON_NAME.test(basename(program))) return program;
  try {
    return findProgram('python3', env, cwd);
  } catch {
    return undefined;
  }
}

/** The facts of this machine and process. */
export function launchFacts(
  { file }: Launch,
  env: Environment,
  cwd: string,
  proc: string = PROC,
): LaunchFacts {
  const yama = readProcText(proc, 'sys/kernel/yama/ptrace_scope');
  const self = readStatus('self', proc);
  return {
    yama: yama === undefined ? undefined : Number(yama.trim()),
    capable: self !== undefined && hasCapability(self, CAP_SYS_PTRACE),
    selfPid: process.pid,
    python: findPython(file, env, cwd),
    ctype: env['LC_CTYPE'] !== undefined,
  };
}
