import type { Bucket } from '../model/index.js';
import { type Breakdown, type ThreadAnswer, bucketText } from '../report/index.js';
import type { Claim } from '../rules/index.js';
import { NO_STACK } from '../formats/index.js';
import { wallShares } from './wall-shares.js';

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
  if (estimate.states !== undefined) return statesWorth(window.rateHz, estimate);
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

/** Of a profile of `shownProfile`: what its samples weigh is their share of the whole. */
function statesWorth(rateHz: number | undefined, estimate: ThreadAnswer['estimate']): ShownWorth {
  const { totals, pools } = estimate;
  // A bare file: the whole is its samples.
  const isTime = totals !== undefined || rateHz !== undefined;
  const whole = totals?.wallS ?? pools.work.samples / (rateHz ?? 1);
  return {
    unit: isTime ? 'seconds' : 'none',
    worthOf: (_, hasStack) => (hasStack ? whole : 0),
    besides: wallShares(estimate).besides.map(({ bucket, kind, share }) => ({
      text: besidesText(bucket, kind),
      amount: share * whole,
    })),
  };
}

function wallWorth(estimate: ThreadAnswer['estimate'], wallS: number): ShownWorth {
  const { shareOf, besides } = wallShares(estimate);
  return {
    unit: 'seconds',
    worthOf: (claim, hasStack) => (hasStack ? shareOf(claim) * wallS : 0),
    besides: besides.map(({ bucket, kind, share }) => ({
      text: besidesText(bucket, kind),
      amount: share * wallS,
    })),
  };
}

function besidesText(bucket: Bucket, kind: 'lost' | 'not-sampled' | undefined): string {
  if (kind === 'lost') return lostText;
  return kind === undefined ? `${bucketText(bucket)} [${bucket}]` : `(not sampled) [${bucket}/${kind}]`;
}
