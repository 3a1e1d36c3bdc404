/** The flame graph of a page, as its program reads it: flat, since a deep tree as nested JSON takes a deep call stack to read. */
export interface FlameNodes {
  /** Names, each once. */
  readonly names: readonly string[];
  /**
   * Four numbers a node: index of its parent (-1: none; parents come first), index into `names`, weight with everything below it, index
   * into `buckets`. The root, which comes first, is the whole; it has no bucket (-1).
   */
  readonly nodes: readonly number[];
  readonly buckets: readonly string[];
}

/** What a page hands to its program. */
export interface FlameData extends FlameNodes {
  /** How a bucket is called, and what it is filled with, in the order of `buckets`. */
  readonly bucketTexts: readonly string[];
  readonly fills: readonly string[];
  /** Seconds that the whole lasted; absent where that is not known. */
  readonly seconds?: number;
  /** What shares are of: `wall time of MainThread`. */
  readonly of: string;
}
