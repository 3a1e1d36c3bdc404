import type { SamplerFacts, StateCounts } from './backends/cpython/protocol.js';
import type { Plan, RatedPlanRequest } from './request.js';

/** One run of the sampler, planned. */
export interface PlannedSlice {
  /** File of the samples and of the sampler's talk, relative to the recording folder: `slices/000.raw`. */
  readonly file: string;
  readonly log: string;
  /** What the sampler is run with, without its own name: the route knows how it is started. */
  readonly args: readonly string[];
  /** The command line that a person could type instead. */
  readonly argv: readonly string[];
  /** Seconds that the sampler was told; the real length differs and is measured. */
  readonly seconds: number;
}

export interface SlicePlan extends Plan {
  readonly slices: readonly PlannedSlice[];
}

/** What one line that a sampler says tells. */
export type SamplerLine =
  | { readonly kind: 'started' }
  | { readonly kind: 'stopped'; readonly because: 'asked' | 'target-ended' }
  | {
      readonly kind: 'written';
      readonly samples?: number;
      readonly errors?: number;
      /** Where its samples know their states: how often each was seen, by host thread id. */
      readonly threads?: Readonly<Record<string, StateCounts>>;
      readonly facts?: SamplerFacts;
    }
  | { readonly kind: 'behind'; readonly seconds: number };

/** One sampler that can be driven in slices. */
export interface Backend {
  readonly id: string;
  /** Id of the format of its slices, once they can be read. */
  readonly format: string;
  /** `counted`: it ends by itself, after so many ticks; `told`: when it is asked to. */
  readonly ends: 'counted' | 'told';
  /** Where it speaks. */
  readonly talk: 'stdout' | 'stderr';
  readonly plan: (request: RatedPlanRequest) => SlicePlan;
  readonly readLine: (line: string) => SamplerLine | undefined;
}
