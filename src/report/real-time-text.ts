import { RESTING } from '../model/index.js';
import type { BucketAnswer, RealTime, ThreadAnswer } from './answer.js';
import { bucketText } from './names.js';
import { factorText } from './rtf-text.js';
import { percent } from './share-text.js';

/** Within this of 1 it is real time: the rest is how programs count their steps. */
const KEEPS_UP = 0.005;

/** Waits that are worth a word beside a bucket. */
const MUCH_WAITING = 0.05;

/** Whether a measured factor is below real time. */
export function fallsBehind({ factor }: Pick<RealTime, 'factor'>): boolean {
  return factor < 1 - KEEPS_UP;
}

/** The simulation's real-time factor, and what would bring it to 1. Of the physics thread. */
export function realTimeSentences(realTime: RealTime, thread: ThreadAnswer): string[] {
  const { factor, low, high, measured, resets } = realTime;
  const where = measured === 'during' ? 'while it was sampled' : 'before and after it was sampled';
  const reset =
    resets === 0
      ? ''
      : ` Its time was set back ${resets === 1 ? 'once' : `${resets} times`}, which is not counted.`;
  const head = `Real-time factor ${factorText({ factor, low, high })} (${where})`;
  if (Math.abs(factor - 1) <= KEEPS_UP) return [`${head}: it keeps up.${reset}`];
  if (factor > 1) return [`${head}: it is ahead of real time.${reset}`];
  return [`${head}: it falls behind by ${percent(1 - factor)}.${reset}`, needText(1 - factor, thread)];
}

/** How much a row would have to shrink, so that as much is simulated in less time. `lacks`: part of the wall time. */
function needText(lacks: number, { buckets }: ThreadAnswer): string {
  const share = (id: string): number => buckets.find(({ bucket }) => bucket === id)?.share ?? 0;
  const pacer = share('pacer');
  const waits = share('gil-wait') + share('cpu-wait');
  const [largest] = buckets.filter(isWork).toSorted((a, b) => b.share - a.share);
  if (pacer >= lacks) {
    const late = waits >= lacks ? ', and waiting for the GIL or a CPU makes steps late' : '';
    return `Its pacer takes ${percent(pacer)}, more than it lacks: what holds it back is the pace that it was given, or single late steps after which the pacer starts afresh (profiler buckets --by-step)${late}.`;
  }
  if (waits >= lacks)
    return `It waits for the GIL or a CPU for ${percent(waits)} of its time, more than it lacks: without that it would keep up.`;
  if (largest === undefined || largest.share <= 0) return '';
  const need = lacks / largest.share;
  const name = bucketText(largest.bucket);
  const waiting = `waiting for the GIL or a CPU takes ${percent(waits)}`;
  if (need <= 1)
    return `To keep up it would need ${name} (${percent(largest.share)}) to shrink by ${percent(need)}${waits >= MUCH_WAITING ? `; ${waiting}` : ''}.`;
  return waits > largest.share
    ? `To keep up, ${percent(lacks)} of its time would have to go: ${waiting}, and the largest part of its work, ${name}, ${percent(largest.share)}.`
    : `To keep up, ${percent(lacks)} of its time would have to go; the largest part, ${name}, has ${percent(largest.share)}.`;
}

function isWork({ bucket }: BucketAnswer): boolean {
  return !RESTING.has(bucket) && bucket !== 'unclassified';
}
