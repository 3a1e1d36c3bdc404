import type { Thread } from '../model/index.js';

/** How one thread spent one span, as parts of it, 0 to 1, from the kernel. */
export interface TimelineCell {
  readonly onCpu: number;
  readonly cpuWait: number;
  readonly blocked: number;
}

/** Seconds since the recording began. */
export interface Span {
  readonly startS: number;
  readonly endS: number;
}

/** Every thread's time over the window, slice by slice. */
export interface Timeline {
  readonly spans: readonly Span[];
  /** A cell for each span; undefined where the thread was not there. Physics thread first, then by time on a CPU. */
  readonly threads: readonly {
    readonly thread: Thread;
    readonly role: string;
    readonly cells: readonly (TimelineCell | undefined)[];
  }[];
}
