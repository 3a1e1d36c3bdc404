/** Samples in order of time, each with the time it stands for. */
export interface TimedSamples {
  /** Row of the source for each sample, earliest first. */
  readonly order: Int32Array;
  /** Nanoseconds since the window began, in the order of `order`. */
  readonly timeNs: Float64Array;
  /** Nanoseconds until the next sample. */
  readonly weightNs: Float64Array;
  /** How many stood after one that was taken later. */
  readonly misplaced: number;
  /** The largest step back from one sample to the next. */
  readonly stepBackNs: number;
}

/**
 * What each sample of V8 stands for: the time from it to the next one, as Chrome DevTools and speedscope read it. A tick that comes
 * late (the machine was busy, the interval was not kept) then weighs what it lasted, which a count of hits would lose.
 *
 * - The time before the first sample belongs to nobody. It is the sampler's own start (at an interval of 1 ms 2.6 to 4.6 ms measured with
 *   Node 20, 29 ms with Node 24, while V8 lists all functions it has compiled), and no sample stood in it.
 * - The last sample stands until the end of the profile, but for no longer than the usual gap: what is beyond is the sampler's own
 *   stopping (up to 7 ms measured). Without an end it stands for the usual gap.
 * - Times that run backwards are right, only their place in the list is not (two ticks a few microseconds apart change places in files
 *   of Node 24, and old files have larger steps): samples are put in order, so that no weight is negative and the sum stays as it was.
 *
 * @param timesNs of each sample since the window began.
 * @param endNs end of the window; undefined if unknown.
 * @param wholeEnd the last sample stands to the end however long that is: the file is of our own writing.
 */
export function timedSamples(
  timesNs: Float64Array,
  endNs: number | undefined,
  wholeEnd: boolean,
): TimedSamples {
  const { length } = timesNs;
  const order = new Int32Array(length);
  for (let row = 0; row < length; row += 1) order[row] = row;
  let misplaced = 0;
  let stepBackNs = 0;
  for (let row = 1; row < length; row += 1) {
    const stepBack = (timesNs[row - 1] as number) - (timesNs[row] as number);
    if (stepBack <= 0) continue;
    misplaced += 1;
    stepBackNs = Math.max(stepBackNs, stepBack);
  }
  if (misplaced > 0) order.sort((a, b) => (timesNs[a] as number) - (timesNs[b] as number) || a - b);
  const timeNs = new Float64Array(length);
  for (let row = 0; row < length; row += 1) timeNs[row] = timesNs[order[row] as number] as number;
  const begin = Math.min(0, timeNs[0] ?? 0);
  const end = endNs === undefined ? undefined : endNs - begin;
  if (begin < 0) for (let row = 0; row < length; row += 1) timeNs[row] = (timeNs[row] as number) - begin;

  const weightNs = new Float64Array(length);
  for (let row = 0; row + 1 < length; row += 1) {
    weightNs[row] = (timeNs[row + 1] as number) - (timeNs[row] as number);
  }
  if (length > 0) weightNs[length - 1] = lastWeight(timeNs, weightNs, end, wholeEnd);
  return { order, timeNs, weightNs, misplaced, stepBackNs };
}

function lastWeight(
  timeNs: Float64Array,
  weightNs: Float64Array,
  end: number | undefined,
  wholeEnd: boolean,
): number {
  const rest = end === undefined ? -1 : end - (timeNs.at(-1) as number);
  if (wholeEnd && rest >= 0) return rest;
  const gaps = weightNs.subarray(0, -1).toSorted();
  const usual = gaps[gaps.length >> 1];
  if (usual === undefined) return Math.max(0, rest);
  return rest < 0 ? usual : Math.min(rest, usual);
}
