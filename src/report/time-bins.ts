/** One column of a time line. */
export interface TimeBin {
  /** Seconds since the window began. */
  readonly fromS: number;
  readonly toS: number;
  /** Samples of the thread that were taken in it. */
  readonly looks: number;
}

/** Shares of one row, a part of each bin from 0 to 1; undefined where the bin has no samples. */
export interface OverTimeRow<Id> {
  readonly id: Id;
  /** Of all bins together. */
  readonly share: number;
  readonly shares: readonly (number | undefined)[];
}
