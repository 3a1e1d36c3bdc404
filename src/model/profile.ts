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
  /**
   * 1 where the edge to this row, from its parent, was seen in at least one sample that was read twice with the same result. Present only
   * where the source tells.
   */
  readonly verified?: Uint8Array;
}

/** Samples, one row each; equal rows may have been pooled, so count weight, not rows. */
export interface SampleTable {
  readonly length: number;
  /** Row of the stack table, or -1: the thread was seen without a usable stack. */
  readonly stack: Int32Array;
  /** Index into `Profile.threads`. */
  readonly thread: Int32Array;
  readonly weight: Float64Array;
  /** Nanoseconds since the window began; present only where the source has times. All samples of one look have the same. */
  readonly timeNs?: Float64Array;
  /** Place in `SAMPLE_STATES`: what the thread did; present only where the source knows it. */
  readonly state?: Uint8Array;
  /** Index into `Profile.threads` of the thread that held the GIL at that moment, -1: nobody or unknown. There where `state` is. */
  readonly holder?: Int32Array;
}

/** How often a sampler looked, and how often it should have. */
export interface Ticks {
  readonly taken: number;
  readonly due: number;
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
  /** On the source's own clock, when its times begin, in microseconds; present only where it says so. */
  readonly startUs?: number;
  readonly lost: Lost;
  /** Present only where the source tells. */
  readonly ticks?: Ticks;
  /** What else a reader of answers from this source has to know; absent where there is nothing. */
  readonly findings?: readonly Finding[];
}
