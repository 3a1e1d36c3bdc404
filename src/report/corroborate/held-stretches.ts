import { type Profile, SAMPLE_STATES } from '../../model/index.js';

/** Between which moments something happened, in microseconds since the window began: samples are some way apart. */
export interface Moment {
  readonly lowUs: number;
  readonly highUs: number;
}

/** A stretch in which no sample of an event loop's thread was in its wait for the next turn. */
export interface HeldStretch {
  /** Samples in it, as rows of the sample table; the earliest first. */
  readonly rows: readonly number[];
  readonly start: Moment;
  readonly end: Moment;
}

export interface Gap {
  readonly fromUs: number;
  readonly toUs: number;
}

/** A thread as a sampler saw it. */
export interface LookedAt {
  /** Times without samples, such as those between two slices. */
  readonly gaps: readonly Gap[];
  /** What a weight of 1 stands for: that of V8's samples says how long it was to the next. */
  readonly unitUs: number;
  readonly stretches: readonly HeldStretch[];
  readonly fromUs: number;
  readonly toUs: number;
  /** From one sample to the next; half are closer. */
  readonly intervalUs: number;
}

/** Missing so many samples in a row, the sampler did not look. */
const GAP_LOOKS = 8;
const GAP_US = 20_000;

/** Runs without the GIL or a CPU: a loop that should turn cannot. */
const HELD_UP: ReadonlySet<number> = new Set([
  SAMPLE_STATES.indexOf('gil-wait'),
  SAMPLE_STATES.indexOf('cpu-wait'),
]);

/** Where an event loop's thread did not wait for its next turn. Undefined where samples have no times, or the thread next to none. */
export function lookAt(profile: Profile, thread: number, waits: Uint8Array): LookedAt | undefined {
  const { samples } = profile;
  const { timeNs, stack, state } = samples;
  if (timeNs === undefined) return undefined;
  const us = (row: number): number => (timeNs[row] as number) / 1000;
  const rows: number[] = [];
  for (let row = 0; row < samples.length; row += 1)
    if (samples.thread[row] === thread && (stack[row] as number) >= 0) rows.push(row);
  rows.sort((a, b) => us(a) - us(b) || a - b);
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined || first === last) return undefined;
  const steps = rows.slice(1).map((row, at) => us(row) - us(rows[at] as number));
  const intervalUs = median(steps);
  const unitUs = median(steps.map((stepUs, at) => stepUs / (samples.weight[rows[at] as number] as number)));
  const gapUs = Math.max(GAP_US, GAP_LOOKS * intervalUs);
  const gaps = steps.flatMap((stepUs, at): readonly Gap[] => {
    const row = rows[at] as number;
    const fromUs = us(row) + unitUs * (samples.weight[row] as number);
    const toUs = us(row) + stepUs;
    return toUs - fromUs > gapUs ? [{ fromUs, toUs }] : [];
  });
  const afterGap = new Set(gaps.map(({ toUs }) => toUs));
  const isHeld = (row: number): boolean =>
    waits[stack[row] as number] !== 1 || (state !== undefined && HELD_UP.has(state[row] as number));
  const stretches: HeldStretch[] = [];
  let open: { readonly rows: number[]; readonly start: Moment } | undefined;
  let before: number | undefined;
  const close = (highUs: number): void => {
    if (open !== undefined) {
      const lowUs = us(open.rows.at(-1) as number);
      stretches.push({ ...open, end: { lowUs, highUs } });
    }
    open = undefined;
  };
  for (const row of rows) {
    // Of what is before a time without samples only the same stack is known to have gone on.
    const isApart = before !== undefined && afterGap.has(us(row)) && stack[row] !== stack[before];
    if (!isHeld(row) || isApart) close(us(row));
    if (isHeld(row)) {
      open ??= { rows: [], start: { lowUs: before === undefined ? us(row) : us(before), highUs: us(row) } };
      open.rows.push(row);
    }
    before = row;
  }
  close(us(last));
  return { gaps, unitUs, stretches, fromUs: us(first), toUs: us(last), intervalUs };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}
