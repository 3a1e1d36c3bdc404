import type { Bucket, Finding, Frame, Lost, SampleState, Thread } from '../model/index.js';
import type { Interval, Totals } from '../stats/index.js';
import type { TimedGil } from './exact-gil.js';
import type { HeldBy, RunFacts, SourceRef, Window } from './answer.js';

/** One bucket of a thread with what the thread did in it. Shares of wall time (of samples, for a bare file), 0 to 1. */
export interface WaitRow {
  readonly bucket: Bucket;
  readonly kind?: string;
  /** All of the time that stacks of the bucket were there, waits included; rows sum to 1. */
  readonly wall: number;
  readonly states: Readonly<Record<SampleState, Interval>>;
  readonly samples: number;
}

/** Who held the GIL while a thread waited for it. */
export interface GilHolder {
  /** Absent: nobody, which is the moment of a hand-over, or unknown. */
  readonly thread?: Thread;
  /** Leaf-most Python function of the holder; absent where it ran no Python, or its stack is lost. */
  readonly frame?: Frame;
  readonly samples: number;
  /** Part of the GIL wait, with its interval. */
  readonly part: Interval;
  /** The same as a share of the waiting thread's wall time. */
  readonly share: number;
  /** Part of the holder's samples in which it was on a CPU itself, and in which it had none. Absent where it has no samples. */
  readonly running?: number;
  readonly cpuWait?: number;
}

/** A function of the thread that waits. */
export interface WaitPlace {
  /** Leaf-most Python function. */
  readonly frame: Frame;
  readonly bucket: Bucket;
  readonly gilWait: Interval;
  readonly cpuWait: Interval;
  readonly samples: number;
  /** Who held the GIL most of that time, and for how much of it. */
  readonly heldBy?: HeldBy;
}

export interface ThreadWaits {
  /** Its waits for the GIL as the kernel timed them, where it did. */
  readonly timed?: TimedGil;
  readonly thread: Thread;
  readonly role: string;
  readonly totals?: Totals;
  /** Shares of the whole thread by state. */
  readonly whole: Readonly<Record<SampleState, number>>;
  readonly samples: number;
  readonly rows: readonly WaitRow[];
  /** Largest first. */
  readonly holders: readonly GilHolder[];
  readonly moreHolders: { readonly count: number; readonly part: number };
  /** Most waiting first. */
  readonly places: readonly WaitPlace[];
  readonly morePlaces: { readonly count: number; readonly share: number };
}

/** The answer of `waits`. */
export interface Waits {
  readonly source: SourceRef;
  readonly window: Window;
  readonly run?: RunFacts;
  /** The physics thread, or those that were named. */
  readonly threads: readonly ThreadWaits[];
  /** Somebody named them: whether one is the physics thread is not known then. */
  readonly named: boolean;
  readonly samples: number;
  readonly threadCount: number;
  readonly physicsKnown: boolean;
  /** Whether shares are of wall time; else of samples. */
  readonly ofWall: boolean;
  readonly lost: Lost;
  readonly findings: readonly Finding[];
}
