import type { Finding } from '../model/index.js';
import type { Slice } from '../recording/index.js';

/** Part of a core that a sampler may take without a word. */
const HEAVY_LOAD = 0.5;
/** Part of its ticks that it may leave out for coming too late. */
const MANY_LATE = 0.02;

/** What our own sampler's facts about itself mean for a reader. Nothing for the slices of others. */
export function cpythonFindings(slices: readonly Slice[], rateHz: number): readonly Finding[] {
  const taken = slices.flatMap((slice) => (slice.sampler === undefined ? [] : [{ ...slice.sampler, slice }]));
  if (taken.length === 0) return [];
  const sum = (of: (one: (typeof taken)[number]) => number): number =>
    taken.reduce((total, one) => total + of(one), 0);
  const wallS = sum(({ slice }) => Number(BigInt(slice.endNs) - BigInt(slice.startNs)) / 1e9);
  const lowest = Math.min(...taken.map((one) => one.rateHz));
  const load = wallS > 0 ? sum(({ cpuUs }) => cpuUs) / 1e6 / wallS : 0;
  const due = sum(({ dueTicks }) => dueTicks);
  const late = due > 0 ? 1 - sum(({ ticks }) => ticks) / due : 0;
  const worst = Math.max(...taken.map(({ lateUs }) => lateUs.max)) / 1000;
  return [
    ...(lowest < rateHz ? [lowered(lowest, rateHz)] : []),
    ...(load > HEAVY_LOAD ? [heavy(load, rateHz)] : []),
    ...(late > MANY_LATE ? [leftOut(late, worst, rateHz)] : []),
  ];
}

function percent(part: number): string {
  return `${(100 * part).toFixed(part < 0.1 ? 1 : 0)} %`;
}

function lowered(toHz: number, fromHz: number): Finding {
  return {
    level: 'note',
    id: 'rate-lowered',
    what: `The sampler went from ${fromHz} to ${toHz} samples a second by itself.`,
    why: 'It was seen to take the CPU from the thread that it looks at: fewer looks disturb less, and the intervals are wider for it.',
  };
}

function heavy(load: number, rateHz: number): Finding {
  return {
    level: 'note',
    id: 'sampler-load',
    what: `The sampler took ${percent(load)} of a core to read all threads ${rateHz} times a second.`,
    why: 'The target waits whenever it needs that core; how much its loop slowed down tells.',
    fix: `profiler attach … --rate ${Math.max(5, 5 * Math.floor((rateHz * HEAVY_LOAD) / load / 5))}`,
  };
}

function leftOut(part: number, worstMs: number, rateHz: number): Finding {
  return {
    level: 'warning',
    id: 'sampler-behind',
    what: `The sampler came too late for ${percent(part)} of its ${rateHz} looks a second, by up to ${worstMs.toFixed(1)} ms.`,
    why: 'It could not read all threads in time, so these looks were left out, and the others are not at random.',
    fix: `profiler attach … --rate ${Math.max(5, 5 * Math.floor((rateHz * (1 - part)) / 2 / 5))}`,
  };
}
