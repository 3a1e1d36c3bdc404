import type { Agreement, Totals } from './thread-estimate.js';

/** Slack of C1 beyond counting noise. */
const SLACK = 0.01;

/**
 * Holds samples against the kernel. Lost samples may have been of either state, so the sampled share is a range too,
 * and only a range wholly outside disagrees. Without the split of blocked time only the upper end can be checked.
 * Undefined without samples.
 */
export function agreement(facts: {
  readonly sleepSamples: number;
  readonly samples: number;
  readonly lost: number;
  readonly totals: Totals;
  /** Share of the time by which the sampler may see too much sleep by its nature. */
  readonly sleepSlack?: number;
}): Agreement | undefined {
  const { sleepSamples, samples, lost, totals, sleepSlack = 0 } = facts;
  if (!(samples > 0)) return undefined;
  const sampled = sleepSamples / samples;
  const least = sleepSamples / (samples + lost);
  const most = (sleepSamples + lost) / (samples + lost);
  const waiting = totals.cpuWait + (totals.gilWait ?? 0);
  const low = Math.max(0, (totals.sleep ?? 0) - (totals.stolenAtMost ?? 0));
  const high = Math.min(1, (totals.sleep ?? totals.blocked) + waiting);
  const tolerance = 2 * Math.sqrt((sampled * (1 - sampled)) / samples) + SLACK;
  const below = Math.max(0, low - most);
  const above = Math.max(0, least - high - sleepSlack);
  return {
    sampled,
    low,
    high,
    tolerance,
    points: 100 * Math.max(below, above),
    side: below > 0 ? 'too-little-sleep' : above > 0 ? 'too-much-sleep' : 'inside',
    agrees: Math.max(below, above) <= tolerance,
  };
}
