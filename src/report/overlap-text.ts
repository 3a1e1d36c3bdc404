import { rawInterval } from '../stats/index.js';
import type { Contest, Lot } from '../stats/index.js';
import type { Breakdown, GilPlace, ThreadAnswer } from './answer.js';
import { functionLabel, threadLabel } from './names.js';
import { count, interval, percent, plural } from './share-text.js';
import { cleanText } from './terminal-text.js';

/** Below this neither of two threads can be in the other's way. */
const OVERLAP_MATTERS = 0.03;
/** Fewer looks than this say nothing of what another thread made of them. */
const FEW_LOOKS = 20;
/** Functions and threads that are named in a sentence. */
const MOST_NAMED = 3;

/** Whether another thread runs beside the physics thread, when it could, who keeps the GIL from whom, and what is known of those without samples. */
export function overlapSentences(answer: Breakdown): string[] {
  const physics = answer.physicsKnown ? answer.threads[0] : undefined;
  const others = answer.threads.filter((thread) => thread !== physics);
  const beside =
    physics === undefined
      ? []
      : physics.estimate.states === undefined
        ? [...totalsSentences(physics, others), ...gilTotals(physics, others)]
        : [...besideSentences(others), ...nativeSentences(others), ...gilSentences(physics, others)];
  return [...beside, ...executorSentences(others), ...unsampledSentences(others)];
}

function nameOf({ thread, role }: ThreadAnswer): string {
  return `${threadLabel(thread)} (${cleanText(role)})`;
}

/** Who else is on a CPU while the physics thread is, by the kernel's totals alone. */
function totalsSentences(physics: ThreadAnswer, others: readonly ThreadAnswer[]): string[] {
  if (physics.totals === undefined) return [];
  const near = others.filter(overlapMatters);
  if (near.length === 0) return ['No other thread is on a CPU enough to overlap the physics thread.'];
  return near.map(rangeSentence);
}

function overlapMatters({ overlap }: ThreadAnswer): boolean {
  return (overlap?.atMost ?? 0) >= OVERLAP_MATTERS;
}

function rangeSentence(thread: ThreadAnswer): string {
  const { atLeast, atMost } = thread.overlap ?? { atLeast: 0, atMost: 0 };
  const range =
    atLeast > 0 ? `between ${percent(atLeast)} and ${percent(atMost)}` : `at most ${percent(atMost)}`;
  return `${nameOf(thread)} and the physics thread are on a CPU at the same time for ${range} of the window.`;
}

/** Threads without Python, which our sampler of Python does not see. */
function nativeSentences(others: readonly ThreadAnswer[]): string[] {
  return others.filter(overlapMatters).map(rangeSentence);
}

/** What others did at the looks at which the physics thread was on a CPU. */
function besideSentences(all: readonly ThreadAnswer[]): string[] {
  const others = all.filter(({ beside }) => beside !== undefined);
  if (others.length === 0) return [];
  const near = others.filter(isNear);
  if (near.length === 0)
    return ['While the physics thread was on a CPU, hardly any other thread of Python ran or wanted to.'];
  return near.flatMap((thread) => {
    if (thread.beside === undefined) return [];
    const { states, absent, looks } = thread.beside;
    const rest = states.sleep.share + states.blocked.share + absent.share;
    const ran = `ran ${percent(states.running.share)} (${interval(states.running.low, states.running.high)})`;
    return `While the physics thread was on a CPU (${count(looks)} looks), ${nameOf(thread)} ${ran}, waited for the GIL ${percent(states['gil-wait'].share)} and for a CPU ${percent(states['cpu-wait'].share)}, and rested ${percent(rest)}.`;
  });
}

function isNear({ beside }: ThreadAnswer): boolean {
  const states = beside?.states;
  return (
    states !== undefined &&
    (['running', 'gil-wait', 'cpu-wait'] as const).some((state) => states[state].share >= OVERLAP_MATTERS)
  );
}

/** When Python of another thread can run at all, and who keeps it from whom. */
function gilSentences(physics: ThreadAnswer, others: readonly ThreadAnswer[]): string[] {
  const rivals = others.filter(
    (thread) =>
      isNear(thread) || (thread.rival?.contest !== undefined && thread.rival.contest.verdict !== 'neither'),
  );
  return [...windowSentence(physics), ...rivals.flatMap((thread) => rivalSentences(physics, thread))];
}

function windowSentence({ thread, gilWindows }: ThreadAnswer): string[] {
  if (gilWindows === undefined) return [];
  const { holds, waits, computes, rests, places } = gilWindows;
  const open = computes.share + rests.share;
  const named = places.filter((place) => openShare(place) > 0).slice(0, MOST_NAMED);
  const where = named.map((place) => `${functionLabel(place.frame)} ${percent(openShare(place))}`);
  return [
    `Python of another thread can run only while ${threadLabel(thread)} is without the GIL. It held the GIL ${percent(holds.share)} of the time, waited ${percent(waits.share)} for it, and had let go of it ${percent(open)}, ${percent(computes.share)} at work and ${percent(rests.share)} at rest${where.length === 0 ? '' : `: ${where.join(', ')}`}.`,
  ];
}

function openShare({ computes, rests }: GilPlace): number {
  return computes + rests;
}

function rivalSentences(physics: ThreadAnswer, other: ThreadAnswer): string[] {
  if (other.rival === undefined) return [];
  const { use, both, contest } = other.rival;
  const [first, name] = [threadLabel(physics.thread), threadLabel(other.thread)];
  const ran = rawInterval(use.inOpen.running, use.open);
  const part = (looks: number): string => percent(looks / use.open);
  const taken =
    use.open < FEW_LOOKS
      ? ''
      : ` While ${first} computed without the GIL (${count(use.open)} looks), ${name} ran ${percent(ran.share)} (${interval(ran.low, ran.high)}), waited for the GIL ${part(use.inOpen['gil-wait'])} and for a CPU ${part(use.inOpen['cpu-wait'])}.`;
  return [
    `${name} and ${first} were on a CPU at the same moment ${percent(both.share)} of the time (${interval(both.low, both.high)}).${taken}`,
    ...(contest === undefined ? [] : [contestSentence(first, name, contest)]),
  ];
}

function contestSentence(first: string, name: string, { first: own, other, ...found }: Contest): string {
  return `Of the time that it wanted to run, ${first} ${lotText(own, name)}; ${name} ${lotText(other, first)}. ${verdictText(first, name, found)}`;
}

function lotText({ ran, withoutCpu, waited }: Lot, whose: string): string {
  return `ran ${percent(ran)}, waited ${percent(waited)} for the GIL because of ${whose} and ${percent(withoutCpu)} for a CPU`;
}

function verdictText(
  first: string,
  name: string,
  { verdict, starves }: Pick<Contest, 'verdict' | 'starves'>,
): string {
  const does = starves ? 'starves' : 'holds up';
  switch (verdict) {
    case 'other-delays-first':
      return `So ${name} ${does} ${first}.`;
    case 'first-delays-other':
      return `So ${first} ${does} ${name}.`;
    case 'each-other':
      return `So each ${does} the other.`;
    case 'neither':
      return 'So neither keeps the GIL from the other.';
  }
}

/** Where samples do not know who held the GIL, the state sampler still counted who waited for it. */
function gilTotals(physics: ThreadAnswer, others: readonly ThreadAnswer[]): string[] {
  const waiting = [physics, ...others].filter(({ totals }) => (totals?.gilWait ?? 0) >= OVERLAP_MATTERS);
  if (waiting.length === 0) return [];
  const list = waiting
    .slice(0, MOST_NAMED)
    .map(({ thread, totals }) => `${threadLabel(thread)} ${percent(totals?.gilWait ?? 0)}`);
  return [
    `Waited for the GIL: ${list.join(', ')} of the time. For whom, and when it was free, only samples of our own sampler tell (profiler attach --backend cpython).`,
  ];
}

/** An executor that is idle is told to be so by the kernel, never by the absence of samples. */
function executorSentences(others: readonly ThreadAnswer[]): string[] {
  return others.flatMap((thread) => {
    const { role, totals, index } = thread;
    if (role !== 'executor' || totals === undefined || index < 0) return [];
    const { onCpu, cpuWait, blocked, gilWait = 0 } = totals;
    const gil = gilWait > 0 ? `, ${percent(gilWait)} for the GIL` : '';
    const verdict =
      onCpu + cpuWait + gilWait < OVERLAP_MATTERS ? 'so it hardly competes with others' : 'so it is not idle';
    return `${nameOf(thread)} was on a CPU ${percent(onCpu)} of the time, waited ${percent(cpuWait)} for one and was blocked ${percent(blocked)}${gil}, as the kernel counts: ${verdict}.`;
  });
}

/** A thread without samples did not rest for that reason: what it did is the kernel's to say. Of a driver it is known why it has none. */
function unsampledSentences(others: readonly ThreadAnswer[]): string[] {
  const unseen = others
    .filter(({ index, totals, role }) => index < 0 && totals !== undefined && role === 'unknown')
    .toSorted((a, b) => (b.totals?.onCpu ?? 0) - (a.totals?.onCpu ?? 0));
  if (unseen.length === 0) return [];
  const named = unseen.slice(0, MOST_NAMED).map(({ thread, totals }) => {
    const { onCpu, cpuWait, blocked } = totals ?? { onCpu: 0, cpuWait: 0, blocked: 0 };
    return `${threadLabel(thread)} was on a CPU ${percent(onCpu)} of the time, waited ${percent(cpuWait)} for one and was blocked ${percent(blocked)}`;
  });
  const more = unseen.slice(MOST_NAMED);
  const busiest = more[0]?.totals?.onCpu ?? 0;
  const rest =
    more.length === 0
      ? ''
      : `; ${plural(more.length, 'more thread')} were on a CPU at most ${percent(busiest)} each`;
  const who = unseen.length === 1 ? 'One thread has' : `${count(unseen.length)} threads have`;
  return [`${who} no sample. What the kernel counts: ${named.join('; ')}${rest}.`];
}
