import type { ThreadAnswer } from './answer.js';

/** All that was sampled of some threads, with a usable stack or without: what every first line counts. */
export function seenWeight(threads: readonly Pick<ThreadAnswer, 'estimate' | 'withoutStack'>[]): number {
  return threads.reduce((sum, { estimate, withoutStack = 0 }) => sum + estimate.samples + withoutStack, 0);
}
