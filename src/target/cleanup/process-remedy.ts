import { errorReason } from '../../model/index.js';
import { setTimeout as delay } from 'node:timers/promises';
import type { Trace } from '../journal/journal.js';
import { baseName, readCommand, readExe } from '../proc/command.js';
import { listIds, PROC, readProcText } from '../proc/file.js';
import { hasEnded, parseStat, readStat, type ProcStat } from '../proc/stat.js';
import type { Remedy, Stays } from './remedy.js';

/** How long a sampler gets to write what it has; then it is killed. */
const PATIENCE_MS = 4000;
const LOOK_MS = 20;

export interface ProcessAccess {
  readonly proc?: string;
  readonly kill?: (pid: number, signal: 'SIGINT' | 'SIGKILL' | 'SIGCONT') => void;
  readonly patienceMs?: number;
}

interface Life {
  readonly pid: number;
  readonly startTicks: number;
}

function statOf({ pid, startTicks }: Life, proc: string): ProcStat | undefined {
  const stat = readStat(pid, proc);
  return stat === undefined || stat.startTicks !== startTicks || hasEnded(stat) ? undefined : stat;
}

/** The last argument of a subscriber to /clock: clock/clock-probe.ts gives it. */
const SUBSCRIBER = /^sim-profiler-clock-[0-9a-f]+$/;

/**
 * Whether a process is a py-spy or perf at work, a subscriber of ours, or what starts one: by its executable, else by the arguments that only a sampler has. The
 * binary may have any name where the user named it, and is called `3` or `memfd:py-spy` where it was handed over as an open file.
 */
export function isSampler(pid: number, proc: string = PROC): boolean {
  const exe = readExe(pid, proc)?.path;
  if (exe !== undefined && /^(?:memfd:)?py-spy/.test(baseName(exe))) return true;
  const command = readCommand(pid, proc);
  if (SUBSCRIBER.test(command.at(-1) ?? '')) return true;
  const verb = command.findIndex((argument) => argument === 'record' || argument === 'dump');
  const rest = verb > 0 ? command.slice(verb) : [];
  return rest.includes('--pid') || (/perf/.test(baseName(command[0] ?? '')) && rest.includes('-p'));
}

/** A sampler that outlived its profiler. */
export function samplerRemedy(life: Life, access: ProcessAccess = {}): Remedy {
  const proc = access.proc ?? PROC;
  return {
    kind: 'process',
    what: `sampler, process ${life.pid}`,
    verb: 'stopped',
    look: async () => {
      if (statOf(life, proc) === undefined) return 'gone';
      if (isSampler(life.pid, proc)) return 'there';
      const program = readCommand(life.pid, proc).join(' ');
      return { because: `it is no sampler: it runs ${program === '' ? 'an unknown program' : program}` };
    },
    take: async () => {
      // A launcher would die of the signal alone and leave its child behind.
      const lives = [...childrenOf(life.pid, proc).filter((one) => isSampler(one.pid, proc)), life];
      for (const signal of ['SIGINT', 'SIGKILL'] as const) {
        const refused = lives.map((one) => send(one, signal, access)).find((one) => one !== undefined);
        if (refused !== undefined) return refused;
        if (await allEnded(lives, access)) return undefined;
      }
      return {
        because: 'it does not end, not even when killed',
        fix: `ps -o pid,stat,wchan,args -p ${life.pid}`,
      };
    },
  };
}

async function allEnded(
  lives: readonly Life[],
  { proc = PROC, patienceMs = PATIENCE_MS }: ProcessAccess,
): Promise<boolean> {
  const until = performance.now() + patienceMs;
  for (;;) {
    if (lives.every((life) => statOf(life, proc) === undefined)) return true;
    if (performance.now() > until) return false;
    await delay(LOOK_MS);
  }
}

function childrenOf(pid: number, proc: string): readonly Life[] {
  return listIds(proc).flatMap((one) => {
    const stat = readStat(one, proc);
    return stat?.ppid === pid ? [{ pid: one, startTicks: stat.startTicks }] : [];
  });
}

/** Signals the process if it still is the one that is meant; what the kernel says against it. */
function send(
  life: Life,
  signal: 'SIGINT' | 'SIGKILL' | 'SIGCONT',
  { proc = PROC, kill = (pid, name) => process.kill(pid, name) }: ProcessAccess,
): Stays | undefined {
  if (statOf(life, proc) === undefined) return undefined;
  try {
    kill(life.pid, signal);
    return undefined;
  } catch (error) {
    const code = errorReason(error);
    if (code === 'ESRCH') return undefined;
    return { because: `it may not be signalled (${code})`, fix: 'sudo profiler cleanup' };
  }
}

const SIGSTOP = 19;

/**
 * A target that a killed sampler may have left stopped. A sampler that dies between its request and the stop leaves a SIGSTOP behind; a
 * stop by another signal (Ctrl-Z sends SIGTSTP) or by a debugger is not ours. Targets that were stopped before are never sampled.
 */
export function stoppedRemedy(life: Life, access: ProcessAccess = {}): Remedy {
  const proc = access.proc ?? PROC;
  const command = readCommand(life.pid, proc).join(' ');
  return {
    kind: 'probed',
    what: `process ${life.pid}${command === '' ? '' : ` (${command})`}, left stopped`,
    verb: 'resumed',
    look: async () => {
      const stat = statOf(life, proc);
      if (stat === undefined || stat.state !== 'T') return 'gone';
      const tracer = Number(
        /^TracerPid:\s*(\d+)/m.exec(readProcText(proc, String(life.pid), 'status') ?? '')?.[1] ?? 0,
      );
      const resume = `kill -CONT ${life.pid}`;
      if (tracer !== 0) return { because: `process ${tracer} holds it, as a debugger does`, fix: resume };
      const signal = stopSignal(life.pid, proc);
      return signal === 0 || signal === SIGSTOP
        ? 'there'
        : { because: `signal ${signal} stopped it, which no sampler sends`, fix: resume };
    },
    take: async () => {
      const refused = send(life, 'SIGCONT', access);
      if (refused !== undefined) return refused;
      const until = performance.now() + (access.patienceMs ?? PATIENCE_MS);
      while (statOf(life, proc)?.state === 'T') {
        if (performance.now() > until) return { because: 'it stays stopped', fix: `kill -CONT ${life.pid}` };
        await delay(LOOK_MS);
      }
      return undefined;
    },
  };
}

/** Signal that stopped a process: field 52 of its stat line. Kernels before 5.17 say 0 there, as they do to those who may not trace it. */
function stopSignal(pid: number, proc: string): number {
  const text = readProcText(proc, String(pid), 'stat') ?? '';
  if (parseStat(text) === undefined) return 0;
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[49] ?? 0);
}

/** Of a trace in a journal. */
export function processRemedy(
  trace: Trace & { readonly kind: 'process' | 'probed' },
  access: ProcessAccess = {},
): Remedy {
  return trace.kind === 'process' ? samplerRemedy(trace, access) : stoppedRemedy(trace, access);
}
