import type { Finding } from './finding.js';
import type { Frame } from './frame.js';
import type { Thread } from './thread.js';

/** What one unit of `weight` is. Samples of a sampler, or time where the source measured it. */
export type WeightUnit = 'samples' | 'nanoseconds';

/**
 * Prefix tree of stacks. Row i is the stack that ends in `frame[i]` and continues at `parent[i]` (-1: root).
 * Parents come before their children, so one forward pass visits callers first.
 */
export interface StackTable {
  readonly length: number;
  readonly parent: Int32Array;
  /** Index into `Profile.frames`. */
  readonly frame: Int32Array;
}

/** Samples, one row each; equal rows may have been pooled, so count weight, not rows. */
export interface SampleTable {
  readonly length: number;
  /** Row of the stack table, or -1: the thread was seen without a usable stack. */
  readonly stack: Int32Array;
  /** Index into `Profile.threads`. */
  readonly thread: Int32Array;
  readonly weight: Float64Array;
  /** Nanoseconds since the window began; present only where the source has times. */
  readonly timeNs?: Float64Array;
}

/** What could not be read. Printed with every answer, never spread over the rest. */
export interface Lost {
  /** Samples that the sampler itself reported as failed; a stack without frames is `stack: -1` instead. */
  readonly samples: number;
  /** Lines of the input that were refused. */
  readonly lines: number;
  /** Up to five of them with the reason, cut to 200 characters: `line 4: count is not a whole number: a;c 1.5`. */
  readonly examples: readonly string[];
}

export interface Origin {
  /** Id of the format it was read with, or `recording`. */
  readonly format: string;
  /** Path as the user named it, `-` for standard input. */
  readonly path?: string;
}

/** Everything a sampler saw, in one shape. Built by `ProfileBuilder`, immutable afterwards. */
export interface Profile {
  readonly unit: WeightUnit;
  readonly frames: readonly Frame[];
  readonly stacks: StackTable;
  readonly samples: SampleTable;
  readonly threads: readonly Thread[];
  readonly origin: Origin;
  readonly lost: Lost;
  /** What else a reader of answers from this source has to know; absent where there is nothing. */
  readonly findings?: readonly Finding[];
}
