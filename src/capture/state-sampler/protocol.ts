import type { AddressRange } from './syscalls.js';

/** What the parent tells the sampler, one JSON object a line. It ends when its standard input does. */
export interface StateCommand {
  /** Looks a second; 0 rests. */
  readonly rateHz: number;
  /** Threads looked at every time; the others take turns. */
  readonly primary: readonly number[];
  readonly gil?: AddressRange;
}

/** Looks so far, in the order of `TALLY_FIELDS`. */
export type Tally = readonly [looks: number, running: number, gil: number, sleep: number, other: number];

/** What the sampler says, one JSON object a line. */
export type StateMessage =
  | { readonly kind: 'ready' }
  /** CLOCK_MONOTONIC as a decimal string, and the running totals by host tid. */
  | { readonly kind: 'tally'; readonly atNs: string; readonly threads: Readonly<Record<string, Tally>> }
  /** The kernel does not let us look, or the numbers of this machine's system calls are not known. */
  | { readonly kind: 'refused'; readonly because: string };
