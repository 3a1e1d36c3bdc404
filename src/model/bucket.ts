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
