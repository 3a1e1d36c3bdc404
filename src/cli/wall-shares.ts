import type { Bucket, SampleState } from '../model/index.js';
import type { Claim } from '../rules/index.js';
import { LOST, type Pool, type ThreadEstimate } from '../stats/index.js';
import { leafOf } from './thread-answer.js';

/** How the time of a thread is laid over its stacks, so that each bucket has the share that the breakdown gives it. */
export interface WallShares {
  /** Share of the whole, 0 to 1, of one unit of weight of a stack. */
  readonly shareOf: (claim: Claim) => number;
  /** The same by what the thread did, waits too; there where the breakdown is by states, and to be used there. */
  readonly perState?: Readonly<Record<SampleState, number>>;
  /** What no stack stands for. */
  readonly besides: readonly {
    readonly bucket: Bucket;
    /** `lost`: samples came without a stack; `not-sampled`: no sample came at all; absent: the kernel alone knows. */
    readonly kind?: 'lost' | 'not-sampled';
    readonly share: number;
  }[];
}

/** Of one thread. */
export function wallShares({
  rows,
  perSample,
  states: byState,
}: Pick<ThreadEstimate, 'rows' | 'perSample' | 'states'>): WallShares {
  // What the kernel measured is split by the samples that show it, if there are any.
  const exact = new Map<Bucket, number>();
  const besides: WallShares['besides'][number][] = [];
  for (const { bucket, kind, share, samples, exact: isExact } of rows) {
    if (bucket === 'unclassified' && kind !== undefined) {
      besides.push({ bucket, kind: kind === LOST ? 'lost' : 'not-sampled', share });
    } else if (byState !== undefined) {
      // A wait that no sample was in is known from the kernel alone.
      const isWait = bucket === 'gil-wait' || bucket === 'cpu-wait';
      if (isWait && byState[bucket].samples === 0) besides.push({ bucket, share });
    } else if (isExact && samples > 0) exact.set(bucket, share / samples);
    else if (isExact) besides.push({ bucket, share });
  }
  return {
    shareOf: (claim) => exact.get(claim.bucket) ?? perSample[leafOf(claim)],
    ...(byState === undefined ? {} : { perState: stateWorth(perSample, byState) }),
    besides: besides.filter(({ share }) => share > 0),
  };
}

function stateWorth(
  { work, sleep }: ThreadEstimate['perSample'],
  byState: NonNullable<ThreadEstimate['states']>,
): Readonly<Record<SampleState, number>> {
  return {
    unknown: 0,
    running: work,
    sleep,
    blocked: sleep,
    'gil-wait': ofEach(byState['gil-wait']),
    'cpu-wait': ofEach(byState['cpu-wait']),
  };
}

function ofEach({ share, samples }: Pool): number {
  return samples > 0 ? share / samples : 0;
}
