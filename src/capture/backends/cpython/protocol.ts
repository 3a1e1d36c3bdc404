import type { SliceSampler } from '../../../recording/index.js';

/** What the parent tells the sampler of CPython, one JSON object a line. It ends when its standard input does. */
export type SamplerCommand =
  /** Samples for so long, into a file or, without one, to standard output among the messages. */
  | { readonly kind: 'record'; readonly file?: string; readonly rateHz: number; readonly seconds: number }
  /** Ends what is being recorded. */
  | { readonly kind: 'stop' };

/** Looks at one thread by what was seen: of these running waited for a CPU (`cpuWait`); `lost`: running, without a stack. */
export interface StateCounts {
  readonly looks: number;
  readonly running: number;
  readonly cpuWait: number;
  readonly gil: number;
  readonly sleep: number;
  readonly other: number;
  readonly lost: number;
}

/** What it says of itself in the end; also the last line of the file. */
export interface SamplerFacts extends SliceSampler {
  /** With the words of what went wrong in them, and how often. */
  readonly reads: SliceSampler['reads'] & { readonly errors: Readonly<Record<string, number>> };
}

/** What the sampler says, one JSON object a line. */
export type SamplerMessage =
  /** It may be used: its self-tests hold. */
  | { readonly kind: 'ready'; readonly switches: 'sched' | 'status' }
  /** It may not. */
  | { readonly kind: 'refused'; readonly because: RefusalReason; readonly detail: string }
  /** The window begins. CLOCK_MONOTONIC as a decimal string. */
  | { readonly kind: 'sampling'; readonly atNs: string }
  /** The window is over; the file is not whole yet. */
  | { readonly kind: 'stopped'; readonly because: EndReason }
  /** The file is whole. Counts by host thread id. */
  | {
      readonly kind: 'written';
      readonly samples: number;
      readonly threads: Readonly<Record<string, StateCounts>>;
      readonly facts: SamplerFacts;
    }
  /** The file could not be written, or reading failed in a way that nobody expected. */
  | { readonly kind: 'failed'; readonly because: string };

/** `time`: the seconds that were asked for are over. */
export type EndReason = 'time' | 'asked' | 'target-ended';

/** Why this sampler cannot serve a target: a word for the finding. */
export type RefusalReason =
  /** The system call numbers of this machine are not known. */
  | 'machine'
  /** The kernel keeps no count of switches. */
  | 'kernel'
  /** Its files or its memory may not be read. */
  | 'permission'
  /** What is read there is no interpreter that we know. */
  | 'layout'
  /** Looked for by itself, in a container: the build has no lock to wait for. */
  | 'free-threaded'
  /** The same: no interpreter is found in its memory. */
  | 'no-runtime'
  | 'target-ended';
