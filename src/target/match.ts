import { ProfilerError } from '../model/index.js';
import type { Choice } from './pick-simulation.js';
import { belongsToProfiler } from './own-processes.js';
import { readCommand } from './proc/command.js';
import { listIds, readProcText } from './proc/file.js';
import { hasEnded, readStat, TICKS_PER_SECOND } from './proc/stat.js';
import { readProcess, type ProcessFacts } from './process.js';
import { wrapperReason } from './wrappers.js';

const SHOWN = 10;
/** Characters kept at each end of a long command. */
const KEPT_END = 40;

/**
 * The one process whose command line (arguments joined by blanks) matches. Ourselves and our ancestors are no candidates,
 * nor is any other profiler with what it started; wrappers are told but never chosen; several matches are an error that lists them.
 */
export function matchProcesses(pattern: string, selfPid: number, proc: string): Choice {
  const regex = compile(pattern);
  const ours = ancestors(selfPid, proc);
  const matches = listIds(proc)
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
  if (only === undefined) throw noMatch(pattern, wrappers);
  if (candidates.length > 1) throw ambiguous(pattern, candidates, uptimeSeconds(proc));
  return {
    facts: only,
    chosenBecause: `the only process whose command line matches /${pattern}/`,
    passedOver: wrappers,
  };
}

function matchesCommand(regex: RegExp, command: readonly string[]): boolean {
  return command.length > 0 && regex.test(command.join(' '));
}

function compile(pattern: string): RegExp {
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

function noMatch(pattern: string, wrappers: Choice['passedOver']): ProfilerError {
  const [first] = wrappers;
  if (first === undefined) {
    return new ProfilerError({
      id: 'no-match',
      what: `No running process has a command line that matches /${pattern}/.`,
      why: 'The simulation is not running, or its command line reads otherwise.',
      fix: 'ps -eo pid,args',
    });
  }
  const list = wrappers.slice(0, SHOWN).map(({ pid, because }) => `${pid} (${because})`);
  return new ProfilerError({
    id: 'no-match',
    what: `Only wrappers match /${pattern}/: ${list.join(', ')}.`,
    why: 'A wrapper starts the simulation but does not run it.',
    fix: `profiler attach --pid ${first.pid}  (picks the simulation among what it started)`,
  });
}

function ambiguous(pattern: string, candidates: readonly ProcessFacts[], uptime: number): ProfilerError {
  const byCpu = [...candidates].sort((a, b) => b.stat.cpuTicks - a.stat.cpuTicks || a.stat.pid - b.stat.pid);
  const rest = byCpu.length - SHOWN;
  return new ProfilerError({
    id: 'match-ambiguous',
    what: `${byCpu.length} processes match /${pattern}/.`,
    list: [
      ...byCpu.slice(0, SHOWN).map((facts) => describe(facts, uptime)),
      ...(rest > 0 ? [`and ${rest} more`] : []),
    ],
    why: 'Which of them is meant cannot be told from the pattern.',
    // No number: the first of the list is as good a guess as any other, and copied lines are run.
    fix: 'profiler attach --pid PID',
  });
}

/** `27: running for 130 s, 81 % of a CPU, python3 run.py`: the share is that of its whole life. */
function describe({ stat, command }: ProcessFacts, uptime: number): string {
  const ageS = Math.max(0, uptime - stat.startTicks / TICKS_PER_SECOND);
  const share = ageS > 0 ? Math.round((100 * stat.cpuTicks) / TICKS_PER_SECOND / ageS) : 0;
  return `${stat.pid}: running for ${Math.round(ageS)} s, ${share} % of a CPU, ${cut(command.join(' '))}`;
}

/** Cuts the middle out: what tells two robots apart tends to be at the end. */
function cut(text: string): string {
  const characters = Array.from(text);
  if (characters.length <= 2 * KEPT_END) return text;
  return `${characters.slice(0, KEPT_END).join('')}…${characters.slice(-KEPT_END).join('')}`;
}

function uptimeSeconds(proc: string): number {
  return Number(readProcText(proc, 'uptime')?.split(' ')[0] ?? 0);
}
