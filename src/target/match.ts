import { ProfilerError, shellLine } from '../model/index.js';
import type { Choice } from './pick-simulation.js';
import { belongsToProfiler } from './own-processes.js';
import { readCommand } from './proc/command.js';
import { listIds, readProcText } from './proc/file.js';
import { hasEnded, readStat, TICKS_PER_SECOND } from './proc/stat.js';
import { readStatus } from './proc/status.js';
import { readProcess, type ProcessFacts } from './process.js';
import { wrapperReason } from './wrappers.js';

const SHOWN = 10;
/** Characters kept at each end of a long command. */
const KEPT_END = 40;

/** Where a match is looked for, if not on the whole machine. */
export interface MatchScope {
  readonly pids: readonly number[];
  /** Name of the container. */
  readonly container: string;
}

/**
 * The one process whose command line (arguments joined by blanks) matches. Ourselves and our ancestors are no candidates,
 * nor is any other profiler with what it started; wrappers are told but never chosen; several matches are an error that lists them.
 */
export function matchProcesses(pattern: string, selfPid: number, proc: string, scope?: MatchScope): Choice {
  const regex = compilePattern(pattern);
  const ours = ancestors(selfPid, proc);
  const matches = (scope?.pids ?? listIds(proc))
    .filter((pid) => !ours.has(pid) && matchesCommand(regex, readCommand(pid, proc)))
    .filter((pid) => !belongsToProfiler(pid, proc))
    .flatMap((pid) => readProcess(pid, proc) ?? [])
    .filter((facts) => !hasEnded(facts.stat));
  const wrappers = matches.flatMap((facts) => {
    const because = wrapperReason(facts.command, facts.exe);
    return because === undefined ? [] : [{ pid: facts.stat.pid, command: facts.command, because }];
  });
  const candidates = matches.filter((facts) => wrapperReason(facts.command, facts.exe) === undefined);
  const [only] = candidates;
  if (only === undefined) throw noMatch(pattern, wrappers, scope);
  if (candidates.length > 1) throw ambiguous(`match /${pattern}/`, candidates, proc);
  return {
    facts: only,
    chosenBecause: `the only process${where(scope)} whose command line matches /${pattern}/`,
    passedOver: wrappers,
  };
}

function matchesCommand(regex: RegExp, command: readonly string[]): boolean {
  return command.length > 0 && regex.test(command.join(' '));
}

/** Throws `ProfilerError` `match-invalid` (2, wrong usage). */
export function compilePattern(pattern: string): RegExp {
  try {
    return new RegExp(pattern);
  } catch (error) {
    throw new ProfilerError(
      {
        id: 'match-invalid',
        what: `--match ${pattern} is not a regular expression.`,
        why: `${error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : 'It cannot be read'}.`,
        fix: `profiler attach --match '${pattern.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)}'`,
      },
      2,
    );
  }
}

/** Our process and what started it, up to the first process. */
function ancestors(selfPid: number, proc: string): Set<number> {
  const found = new Set<number>();
  for (let pid = selfPid; pid > 0 && !found.has(pid); pid = readStat(pid, proc)?.ppid ?? 0) found.add(pid);
  return found;
}

function where(scope: MatchScope | undefined): string {
  return scope === undefined ? '' : ` of container ${scope.container}`;
}

function noMatch(
  pattern: string,
  wrappers: Choice['passedOver'],
  scope: MatchScope | undefined,
): ProfilerError {
  const [first] = wrappers;
  if (first === undefined) {
    return new ProfilerError({
      id: 'no-match',
      what: `No running process${where(scope)} has a command line that matches /${pattern}/.`,
      why: 'The simulation is not running, or its command line reads otherwise.',
      fix: scope === undefined ? 'ps -eo pid,args' : shellLine(['docker', 'top', scope.container]),
    });
  }
  const list = wrappers.slice(0, SHOWN).map(({ pid, because }) => `${pid} (${because})`);
  return new ProfilerError({
    id: 'no-match',
    what: `Only wrappers${where(scope)} match /${pattern}/: ${list.join(', ')}.`,
    why: 'A wrapper starts the simulation but does not run it.',
    fix: `profiler attach --pid ${first.pid}  (picks the simulation among what it started)`,
  });
}

/** Several processes would do; `they` says what for: `match /run/`. Lists those that used most CPU. */
export function ambiguous(
  they: string,
  candidates: readonly ProcessFacts[],
  proc: string,
  fix = 'profiler attach --pid PID',
): ProfilerError {
  const uptime = uptimeSeconds(proc);
  const byCpu = [...candidates].sort((a, b) => b.stat.cpuTicks - a.stat.cpuTicks || a.stat.pid - b.stat.pid);
  const rest = byCpu.length - SHOWN;
  return new ProfilerError({
    id: 'match-ambiguous',
    what: `${byCpu.length} processes ${they}.`,
    list: [
      ...byCpu.slice(0, SHOWN).map((facts) => describe(facts, uptime, proc)),
      ...(rest > 0 ? [`and ${rest} more`] : []),
    ],
    why: 'Which of them is meant cannot be told.',
    // No number: the first of the list is as good a guess as any other, and copied lines are run.
    fix,
  });
}

/** `27 (9 inside): running for 130 s, 81 % of a CPU, python3 run.py`: the share is that of its whole life. */
function describe({ stat, command }: ProcessFacts, uptime: number, proc: string): string {
  const ageS = Math.max(0, uptime - stat.startTicks / TICKS_PER_SECOND);
  const share = ageS > 0 ? Math.round((100 * stat.cpuTicks) / TICKS_PER_SECOND / ageS) : 0;
  const pids = bothPids(stat.pid, proc);
  return `${pids}: running for ${Math.round(ageS)} s, ${share} % of a CPU, ${cut(command.join(' '))}`;
}

/** `27 (9 inside)` for a process in a container, else `27`. */
export function bothPids(pid: number, proc: string): string {
  const inner = readStatus(pid, proc)?.nsPids.at(-1) ?? pid;
  return inner === pid ? String(pid) : `${pid} (${inner} inside)`;
}

/** A command line with its middle cut out: what tells two robots apart tends to be at the end. */
export function cut(text: string): string {
  const characters = Array.from(text);
  if (characters.length <= 2 * KEPT_END) return text;
  return `${characters.slice(0, KEPT_END).join('')}…${characters.slice(-KEPT_END).join('')}`;
}

function uptimeSeconds(proc: string): number {
  return Number(readProcText(proc, 'uptime')?.split(' ')[0] ?? 0);
}
