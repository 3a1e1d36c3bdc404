import { type Finding, shellLine } from '../model/index.js';
import type { Recording } from '../recording/index.js';
import { cleanText, percent, type ThreadAnswer, threadName } from '../report/index.js';

/** Waiting for a CPU below this is what any machine does. */
const NOTABLE_WAIT = 0.02;
/** Part of a CPU from which on a thread is in the way. */
const NOTABLE_LOAD = 0.05;
/** Of the physics thread's time: what a competitor has to cost it. */
const NOTABLE_COST = 0.01;
/** Names that are worth telling. */
const MOST_NAMED = 3;

/**
 * Threads of the same process that kept CPUs busy while the physics thread waited for one, with what that cost it: its waiting, in the part
 * that their CPU time is of all that others used on the machine meanwhile. `threads` begins with the physics thread.
 */
export function competingThreads(
  [physics, ...others]: readonly ThreadAnswer[],
  { slices, machine }: Pick<Recording, 'slices' | 'machine'>,
): Finding[] {
  const wait = physics?.totals?.cpuWait ?? 0;
  if (physics?.totals === undefined || wait < NOTABLE_WAIT) return [];
  const busy = others.filter((thread) => load(thread) >= NOTABLE_LOAD).toSorted((a, b) => load(b) - load(a));
  // The kernel's sums and our window do not end at quite the same moment.
  const theirs = Math.min(
    machine.cpus,
    busy.reduce((sum, thread) => sum + load(thread), 0),
  );
  const used = usedCpus(slices);
  // The machine tells in steps of 10 ms, each thread in nanoseconds.
  const competing = Math.max(theirs, (used ?? machine.cpus) - physics.totals.onCpu);
  const cost = (wait * theirs) / competing;
  if (busy.length === 0 || !(cost >= NOTABLE_COST)) return [];
  const [worst] = busy;
  const fix = worst === undefined ? undefined : fixFor(worst, { slices, machine });
  const names = [...new Set(busy.map(({ thread }) => cleanText(threadName(thread))))];
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  const named = `${names.slice(0, MOST_NAMED).join(', ')}${more}`;
  const who = busy.length === names.length ? named : `${busy.length} threads (${named})`;
  const rest =
    used === undefined
      ? 'What other programs used of the CPUs was not read, so this is the least that it can be.'
      : `The rest of the waiting is for other programs, which used ${Math.max(0, competing - theirs).toFixed(2)} CPUs.`;
  return [
    {
      level: 'note',
      id: 'threads-compete',
      what: `${who} of the same process used ${theirs.toFixed(2)} of ${machine.cpus} CPUs, which cost ${cleanText(threadName(physics.thread))} about ${percent(cost)} of its time: it waited ${percent(wait)} for a CPU.`,
      why: `The waiting is shared out by CPU time. ${rest}`,
      ...(fix === undefined ? {} : { fix }),
    },
  ];
}

function load({ totals }: ThreadAnswer): number {
  return totals?.onCpu ?? 0;
}

/** CPUs in use on the machine over the slices, on average; undefined where that was not read. */
function usedCpus(slices: Recording['slices']): number | undefined {
  let usedNs = 0;
  let wallNs = 0;
  for (const { machineCpu, startNs, endNs } of slices) {
    if (machineCpu === undefined) return undefined;
    usedNs += machineCpu.busyNs - machineCpu.stolenNs;
    wallNs += Number(BigInt(endNs) - BigInt(startNs));
  }
  return wallNs > 0 ? usedNs / wallNs : undefined;
}

/** CPUs that a thread may run on, as the last slice that knows them says. */
function allowedCpus(slices: Recording['slices'], tid: number): string | undefined {
  const told = slices.flatMap(({ accounting }) => accounting.filter((thread) => thread.tid === tid));
  return told.findLast(({ cpus }) => cpus !== undefined)?.cpus;
}

/** Pools have a size that can be set; any other thread can be kept on a CPU of its own, unless it is, and let go again. */
function fixFor(
  { thread }: ThreadAnswer,
  { slices, machine }: Pick<Recording, 'slices' | 'machine'>,
): string | undefined {
  const { tid } = thread;
  if (tid === undefined) return undefined;
  if (/^(?:llvmpipe|swrast|softpipe)/i.test(threadName(thread)))
    return 'start the simulation with LP_NUM_THREADS=1';
  const pin = (list: string): string => shellLine(['taskset', '-pc', list, String(tid)]);
  const allowed = allowedCpus(slices, tid);
  if (allowed === undefined)
    return `${pin(String(Math.max(0, machine.cpus - 1)))}  (what it prints first undoes it: ${pin('LIST')})`;
  const last = allowed.split(/[-,]/).at(-1) ?? allowed;
  return last === allowed ? undefined : `${pin(last)}  (undone by ${pin(allowed)})`;
}
