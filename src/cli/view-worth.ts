import type { Bucket } from '../model/index.js';
import { type Breakdown, type ThreadAnswer, bucketText } from '../report/index.js';
import type { Claim } from '../rules/index.js';
import { NO_STACK } from '../formats/index.js';
import { leafOf } from './thread-answer.js';

/** What the samples of one thread are shown as. */
export interface ShownWorth {
  readonly unit: 'seconds' | 'none';
  /** In that unit, of one unit of a stack's weight. */
  readonly worthOf: (claim: Claim, hasStack: boolean) => number;
  /** What no stack stands for. */
  readonly besides: readonly { readonly text: string; readonly amount: number }[];
}

/**
 * What a sample is worth on screen. In a recording it is what it is worth in the breakdown, in seconds of wall time: every bucket has on
 * screen the share that `profiler buckets` gives it, and the thread's total is its wall time. A measured time stays what it is, and
 * counted samples of a bare file are seconds only where their rate is stated.
 */
export function shownWorth(
  { unit, window, run }: Pick<Breakdown, 'unit' | 'window' | 'run'>,
  { estimate }: ThreadAnswer,
): ShownWorth {
  if (unit === 'nanoseconds') return { unit: 'seconds', worthOf: () => 1e-9, besides: [] };
  const { totals, lost } = estimate;
  if (totals !== undefined) return wallWorth(estimate, totals.wallS);
  const { rateHz } = window;
  if (rateHz === undefined) return { unit: 'none', worthOf: () => 1, besides: [] };
  if (run === undefined) return { unit: 'seconds', worthOf: () => 1 / rateHz, besides: [] };
  // Of a recording the errors of the sampler are known, too: they are in `lost` with the samples that have no stack.
  const besides = lost > 0 ? [{ text: lostText, amount: lost / rateHz }] : [];
  return { unit: 'seconds', worthOf: (_, hasStack) => (hasStack ? 1 / rateHz : 0), besides };
}

const lostText = `${NO_STACK} [unclassified/lost]`;

function wallWorth({ rows, perSample }: ThreadAnswer['estimate'], wallS: number): ShownWorth {
  // What the kernel measured is split by the samples that show it, if there are any.
  const exact = new Map<Bucket, number>();
  const besides: { text: string; amount: number }[] = [];
  for (const { bucket, kind, share, samples, exact: isExact } of rows) {
    if (bucket === 'unclassified' && kind !== undefined) {
      const text = kind === 'lost' ? lostText : `(not sampled) [${bucket}/${kind}]`;
      besides.push({ text, amount: share * wallS });
    } else if (isExact && samples > 0) exact.set(bucket, (share * wallS) / samples);
    else if (isExact) besides.push({ text: `${bucketText(bucket)} [${bucket}]`, amount: share * wallS });
  }
  return {
    unit: 'seconds',
    worthOf: (claim, hasStack) =>
      hasStack ? (exact.get(claim.bucket) ?? perSample[leafOf(claim)] * wallS) : 0,
    besides: besides.filter(({ amount }) => amount > 0),
  };
}
