import type { StepSample } from './step-sample.js';

export const BETWEEN_STEPS = '(between steps)';

/** A moment at which the event loop came back late. */
export class LagSpike {
  /** Seconds since the profiler started. */
  readonly ts: number;
  readonly lagMs: number;
  /** The step that it hit, or `(between steps)`. */
  readonly near: string;
  /** How much of it the garbage collector took. Known only after the loop has turned once more. */
  gcMs = 0;

  constructor(ts: number, lagMs: number, near: string) {
    this.ts = ts;
    this.lagMs = lagMs;
    this.near = near;
  }

  /** Whether it was the garbage collector for the most part, or a call that did not let the loop run. */
  get cause(): 'gc' | 'blocked' {
    return this.gcMs * 2 >= this.lagMs ? 'gc' : 'blocked';
  }

  /** Takes what a pause and it have in common. Both in seconds. */
  addPause(start: number, end: number): void {
    const shared = Math.min(end, this.ts) - Math.max(start, this.ts - this.lagMs / 1000);
    if (shared > 0) this.gcMs = Math.min(this.gcMs + shared * 1000, this.lagMs);
  }
}

/** A long row of steps that ended within one spike; of more than that the newest. */
const LOOKED_AT = 4096;

/**
 * The step that had most of a stretch for itself, of equals the deepest. Not simply the one that runs when the loop is back: a step that
 * blocked has ended by then, and the next one has begun.
 */
export function stepHit(
  from: number,
  to: number,
  open: Iterable<StepSample>,
  samples: readonly StepSample[],
): string {
  let best: StepSample | undefined;
  let most = 0;
  const look = (sample: StepSample, end: number): void => {
    if (sample.composite) return;
    const shared = Math.min(end, to) - Math.max(sample.ts, from);
    if (shared < most || shared <= 0) return;
    if (shared > most || best === undefined || sample.depth > best.depth) {
      best = sample;
      most = shared;
    }
  };
  for (const sample of open) look(sample, to);
  for (let at = samples.length - 1; at >= Math.max(samples.length - LOOKED_AT, 0); at -= 1) {
    const sample = samples[at] as StepSample;
    if (sample.total > 0) look(sample, sample.ts + sample.total);
  }
  return best === undefined ? BETWEEN_STEPS : (best as StepSample).signature;
}
