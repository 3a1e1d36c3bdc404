import { setTimeout as delay } from 'node:timers/promises';
import { burstOfStacks, dumpStacks, readThreads, type Snapshot, type StackDump } from '../capture/index.js';
import { type Frame, type Profile, ProfileBuilder, ProfilerError } from '../model/index.js';
import { classifyProfile, type RuleSet } from '../rules/index.js';
import { findTarget, isLauncher, type Program, sameProcess, type Target } from '../target/index.js';
import { stepEvidence } from './step-evidence.js';
import type { KnownLoop } from './step-judge.js';
import { steadyThread, worksOn } from './steady-thread.js';

/** Between two looks; one takes some 80 ms, 30 of them on a CPU, and stops nobody. */
const LOOK_MS = 250;
/** At the end of a start-up every step is one too many. */
const LOAD_LOOK_MS = 50;
const LOOKS_KEPT = 16;
/** Looks that have to show the same: one may fall on a step that is made while the model is built. */
const STEPS_SEEN = 2;
const WAITS_SEEN = 3;

/** How it was told that the loop steps. `works`: a program that no rule can know is busy. */
export type StepSign = 'physics' | 'pacer' | 'steady' | 'works';

/** A program whose loop steps. */
export interface SteppingProgram extends KnownLoop {
  readonly target: Target;
  readonly sign: StepSign;
}

/** A program that was not seen to step. */
export interface NotStepping {
  readonly target: undefined;
  readonly last?: Frame;
}

/** What a look showed. */
interface Look {
  readonly physics: boolean;
  readonly pacers: ReadonlySet<string>;
}

export interface StepWatch {
  readonly program: Program;
  /** Path of the py-spy for a process; undefined: only what the kernel tells is looked at. Throws where there has to be one. */
  readonly pyspy: (target: Target) => Promise<string | undefined>;
  readonly ruleSet: RuleSet;
  readonly signal: AbortSignal;
  /** What gives a sampler real-time priority; without it fewer short steps are met. */
  readonly priority?: readonly string[];
  /** Tells the very first step: it ends a recording of the start-up, and is not what begins one. */
  readonly first?: true;
}

function clock(): bigint {
  return process.hrtime.bigint();
}

function profileOf({ stacks }: StackDump): Profile {
  const builder = new ProfileBuilder('samples', { format: 'dump' });
  for (const { tid, name, frames } of stacks) {
    const stack = builder.stackOf(frames.map((frame) => builder.frame(frame)));
    builder.sample(stack, builder.thread({ tid, ...(name === undefined ? {} : { name }) }), 1);
  }
  return builder.build();
}

/** The process of the program's tree to profile; undefined where all has ended, or nothing may be seen. */
export function simulationOf(program: Program): Target | undefined {
  try {
    const target = findTarget({ pid: program.pid, selfPid: process.pid });
    return isLauncher(target.command) ? undefined : target;
  } catch (error) {
    if (error instanceof ProfilerError) return undefined;
    throw error;
  }
}

/** The looks at one process, and what they come to. */
interface Looks {
  readonly look: () => Promise<void>;
  readonly verdict: () => Omit<SteppingProgram, 'target'> | undefined;
  /** Where the first thread was seen last. */
  readonly last: () => Frame | undefined;
}

function looksAt(target: Target, { pyspy, ruleSet, first, priority }: StepWatch): Looks {
  const stepsSeen = first === true ? 1 : STEPS_SEEN;
  const waitsSeen = first === true ? 1 : WAITS_SEEN;
  const looks: Look[] = [];
  const snapshots: Snapshot[] = [];
  let sources: StackDump['sources'] = {};
  let readable = false;
  let last: Frame | undefined;
  let burst: number | undefined;
  /** Looks closely, once, at a thread that sleeps at an even rate: a short step between long sleeps is met by few single
   * looks. One is enough then: a model that is built does not sleep at an even rate for seconds. */
  const lookClosely = async (path: string): Promise<void> => {
    if (burst !== undefined || steadyThread(snapshots, target.pid) === undefined) return;
    const profile = await burstOfStacks(path, target.pid, sources, priority);
    burst = profile === undefined ? 0 : stepEvidence(profile, classifyProfile(ruleSet, profile)).physics;
  };
  return {
    last: () => last,
    look: async () => {
      snapshots.push(readThreads(target.pid, target.pid, clock));
      snapshots.splice(0, snapshots.length - 2 * LOOKS_KEPT);
      const path = target.runtime === 'python' ? await pyspy(target) : undefined;
      const dump = path === undefined ? undefined : await dumpStacks(path, target.pid, sources);
      // A Python whose stacks cannot be read yet has not begun with anything.
      readable = path === undefined || dump !== undefined;
      if (dump === undefined) return;
      ({ sources } = dump);
      last = dump.stacks.find(({ tid }) => tid === target.pid)?.frames.at(-1) ?? last;
      const profile = profileOf(dump);
      const { physics, pacers } = stepEvidence(profile, classifyProfile(ruleSet, profile));
      looks.push({ physics: physics > 0, pacers });
      looks.splice(0, looks.length - LOOKS_KEPT);
      if (path !== undefined && first !== true) await lookClosely(path);
    },
    verdict: () => {
      const pacers = new Set(looks.flatMap((look) => [...look.pacers]));
      const often = [...pacers].filter(
        (path) => looks.filter((look) => look.pacers.has(path)).length >= waitsSeen,
      );
      if (looks.filter(({ physics }) => physics).length >= stepsSeen || (burst ?? 0) > 0)
        return { sign: 'physics', recognised: true, pacers: new Set(often) };
      const steady = steadyThread(snapshots, target.pid);
      // A wait that is long, such as one for a server, stands in its line as often as a pacer does.
      if (
        often.length > 0 &&
        [...(snapshots.at(-1)?.threads.keys() ?? [])].some((tid) => sleepsOften(snapshots, tid))
      )
        return { sign: 'pacer', recognised: true, pacers: new Set(often) };
      if (steady !== undefined && readable)
        return { sign: 'steady', recognised: false, pacers: new Set(), steady };
      if (target.runtime !== 'python' && worksOn(snapshots))
        return { sign: 'works', recognised: false, pacers: new Set() };
      return undefined;
    },
  };
}

/** Sleeps a second from which on a wait is a pacer's. */
const PACED_PER_S = 2;

/** Whether a thread gave its CPU up again and again since the first snapshot. */
function sleepsOften(snapshots: readonly Snapshot[], tid: number, perS = PACED_PER_S): boolean {
  const [first, last] = [snapshots[0]?.threads.get(tid), snapshots.at(-1)?.threads.get(tid)];
  if (first === undefined || last === undefined) return false;
  const seconds = Number(last.atNs - first.atNs) / 1e9;
  return seconds > 0 && (last.voluntarySwitches - first.voluntarySwitches) / seconds >= perS;
}

/**
 * Looks at a program that starts, from outside and without stopping it, until its loop steps: two looks at its stacks show the
 * simulator's step, or three the same wait in a pacer, or its first thread sleeps at an even rate, which
 * is then looked at closely. Where the program ended before, or
 * the signal was given: where it was seen last.
 */
export async function waitForSteps(watch: StepWatch): Promise<SteppingProgram | NotStepping> {
  const { program, signal } = watch;
  let target: Target | undefined;
  let looks: Looks | undefined;
  while (program.end() === undefined && !signal.aborted) {
    const found = simulationOf(program);
    if (found !== undefined && (looks === undefined || !isSame(target, found))) looks = looksAt(found, watch);
    target = found ?? target;
    if (found !== undefined && looks !== undefined) {
      await looks.look();
      const verdict = looks.verdict();
      if (verdict !== undefined && sameProcess(found)) return { ...verdict, target: found };
    }
    await Promise.race([
      delay(watch.first === true ? LOAD_LOOK_MS : LOOK_MS, undefined, { signal }).catch(() => undefined),
      program.ended,
    ]);
  }
  const last = looks?.last();
  return { target: undefined, ...(last === undefined ? {} : { last }) };
}

function isSame(before: Target | undefined, now: Target): boolean {
  return before?.pid === now.pid && before.exe === now.exe;
}

/** Looks again, a few times, whether the loop still steps. Of a loop that only its sleeps tell, half their rate is enough. */
export async function stepsStill(
  { target, sign, pacers, steady }: SteppingProgram,
  watch: StepWatch,
): Promise<boolean> {
  const alive = (): boolean => sameProcess(target) && !watch.signal.aborted;
  if (sign === 'works') return alive();
  if (steady !== undefined) {
    const first = readThreads(target.pid, steady.tid, clock);
    await delay(LOOK_MS * 2);
    return (
      alive() && sleepsOften([first, readThreads(target.pid, steady.tid, clock)], steady.tid, steady.perS / 2)
    );
  }
  const looks = looksAt(target, watch);
  for (let count = 0; count < LOOKS_KEPT && alive(); count += 1) {
    await looks.look();
    const verdict = looks.verdict();
    if (verdict?.sign === 'physics') return true;
    if ([...(verdict?.pacers ?? [])].some((path) => pacers.has(path))) return true;
  }
  return false;
}
