import type { Pooled } from '../selection.js';
import type { Figure } from './line.js';
import { type Sampled, type SampledThread, wallShare } from './sampled.js';

const NOTHING: Required<Figure> = { value: 0, low: 0, high: 0 };

/** The samples of a thread that are in a step of physics; a forward pass that the program asks for itself is none. */
export function inStep({ pooled }: SampledThread, { claimOf }: Sampled): readonly Pooled[] {
  return pooled.filter(({ stack }) => {
    const { bucket, kind } = claimOf(stack);
    return bucket === 'physics' && kind !== 'forward';
  });
}

/** Wall share of physics, as MuJoCo's clock would have it: with waits for a CPU, and without the wait for the GIL that follows a step. */
export function physicsShare(sampled: Sampled): Required<Figure> {
  const [thread] = sampled.threads;
  return thread === undefined ? NOTHING : wallShare(thread, inStep(thread, sampled), sampled, 'without-gil');
}
