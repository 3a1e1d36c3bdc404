import type { RatedRequest, Plan } from './request.js';

/** What the machine grants to a sampler. */
export interface Means {
  /** Goes in front of a sampler's command line to give it real-time priority: `chrt -f 50`; empty where that is refused. */
  readonly priority: readonly string[];
}

/** One run of the sampler, planned. */
export interface PlannedSlice {
  /** File of the samples and of the sampler's talk, relative to the recording folder: `slices/000.raw`. */
  readonly file: string;
  readonly log: string;
  readonly argv: readonly string[];
  /** Seconds that the sampler was told; the real length differs and is measured. */
  readonly seconds: number;
}

export interface SlicePlan extends Plan {
  readonly slices: readonly PlannedSlice[];
}

/** What one line of a sampler's standard output says. */
export type SamplerLine =
  | { readonly kind: 'started' }
  | { readonly kind: 'stopped'; readonly because: 'asked' | 'target-ended' }
  | { readonly kind: 'written'; readonly samples: number; readonly errors: number }
  | { readonly kind: 'behind'; readonly seconds: number };

/** One sampler that can be driven in slices. */
export interface Backend {
  readonly id: string;
  /** Id of the format of its files. */
  readonly format: string;
  readonly plan: (request: RatedRequest, means: Means) => SlicePlan;
  readonly readLine: (line: string) => SamplerLine | undefined;
}
