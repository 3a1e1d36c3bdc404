import type { Breakdown, Hot } from './answer.js';
import type { ByNamedStep } from './by-named-step.js';
import type { ByStep } from './by-step.js';
import type { FlameTree } from './flame-tree.js';
import type { OverTime } from './over-time.js';
import type { SourcedTable } from './tables-text.js';
import type { Timeline } from './timeline.js';

/** How a recording was made. Raw: clean it before printing. */
export interface RecordedFacts {
  /** ISO 8601. */
  readonly createdAt: string;
  readonly toolVersion: string;
  readonly sampler: string;
  readonly route: string;
  readonly commands: readonly (readonly string[])[];
  readonly slices: number;
  readonly policy: string;
  readonly target: readonly string[];
  readonly runtime: string;
  readonly container?: string;
  readonly machine: { readonly cpus: number; readonly kernel: string };
}

/** Flame graph of one thread. */
export interface Flame {
  readonly tree: FlameTree;
  /** Seconds that the whole of it lasted; absent where that is not known. */
  readonly seconds?: number;
}

/** Everything that `profiler report` tells. Parts without data are absent. */
export interface Report {
  readonly breakdown: Breakdown;
  readonly hot: Hot;
  /** Of the first thread of the breakdown. */
  readonly flame?: Flame;
  /** Of the first thread of the breakdown, where samples have times. */
  readonly overTime?: OverTime;
  /** The same by simulation step, where those were recorded. */
  readonly byStep?: ByStep;
  /** By the steps that the program itself names; instead of the one above. */
  readonly byNamedStep?: ByNamedStep;
  readonly timeline?: Timeline;
  /** What the program printed of itself, or files beside it say. */
  readonly tables?: readonly SourcedTable[];
  readonly recorded?: RecordedFacts;
  /** Of the program that writes the report. */
  readonly version: string;
}
