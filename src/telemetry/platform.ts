import type { AsyncContext } from './open-calls.js';
import type { CategorySource } from './reading.js';

/** What a thread wrote, from its begin to its end. */
export interface Life {
  readonly label: string;
  readonly hasEnded: boolean;
  readonly categories: readonly CategorySource[];
}

/** The threads of the program, as one of them sees the others. */
export interface Threads {
  readonly label: string;
  announce(source: CategorySource): void;
  others(): readonly Life[];
  /** A millisecond in which another thread may go on with what it writes. */
  pause(words: Int32Array): void;
}

/** What differs between Node and a browser. */
export interface Platform {
  readonly context?: () => AsyncContext;
  readonly threads?: (name: string, endedThreads: number) => Threads;
}
