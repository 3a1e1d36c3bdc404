/** The fixed buckets, in report order. */
export const BUCKETS = [
  'physics',
  'raycast',
  'render',
  'publishing',
  'plugin',
  'executor',
  'load',
  'python',
  'gc',
  'lock-wait',
  'io-wait',
  'gil-wait',
  'cpu-wait',
  'pacer',
  'idle',
  'unclassified',
] as const;

export type Bucket = (typeof BUCKETS)[number];

/** Those in which a thread does not work: it waits, or has nothing to do. */
export const RESTING: ReadonlySet<Bucket> = new Set<Bucket>([
  'lock-wait',
  'io-wait',
  'gil-wait',
  'cpu-wait',
  'pacer',
  'idle',
]);
