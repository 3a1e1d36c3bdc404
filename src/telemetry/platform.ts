import type { AsyncStorage } from './async-call.js';
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
}

/** What differs between Node and a browser. */
export interface Platform {
  readonly storage?: () => AsyncStorage;
  readonly threads?: (name: string, endedThreads: number) => Threads;
}
