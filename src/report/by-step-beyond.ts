import type { Bucket } from '../model/index.js';
import type { Interval } from '../stats/index.js';
import type { StepSet } from './step-set.js';

/** Fewer samples than this say nothing of a single step. */
const LEAST_LOOKS = 5;
/** A step in which less than this part of the samples was taken that its length asks for was not seen whole: the sampler itself did not run. */
const LEAST_SEEN = 0.5;

/** The samples of one step by bucket. */
interface OneStep extends StepSet {
  readonly rows: readonly { readonly bucket: Bucket; readonly interval: Interval }[];
}

interface Others {
  readonly meanUs: number;
  readonly shareOf: (bucket: Bucket) => Interval;
}

/**
 * The bucket that a step has most of beyond what the others have of it, where its samples say so beyond what counting explains. `all` tells how
 * many samples a step of its length should have.
 */
export function mostBeyond(
  step: OneStep,
  others: Others,
  all: StepSet,
): { readonly bucket: Bucket; readonly moreUs: number } | undefined {
  const due = (all.looks / (all.steps * all.meanUs)) * step.meanUs;
  if (step.looks < LEAST_LOOKS || step.looks < LEAST_SEEN * due) return undefined;
  const [most] = step.rows
    .flatMap(({ bucket, interval }) => {
      const usual = others.shareOf(bucket);
      const surely = interval.low * step.meanUs > usual.high * others.meanUs;
      const moreUs = interval.share * step.meanUs - usual.share * others.meanUs;
      return surely ? [{ bucket, moreUs }] : [];
    })
    .toSorted((a, b) => b.moreUs - a.moreUs);
  return most;
}
