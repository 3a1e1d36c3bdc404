import { SAMPLE_STATES, samplesByMoment } from '../model/index.js';
import type { Profile, SampleState } from '../model/index.js';

const GIL_WAIT = SAMPLE_STATES.indexOf('gil-wait');

/** Samples of a thread that waited for the GIL, with who held it at those very moments and what that thread did. */
export interface GilWait {
  /** Where the thread waited: row of the stack table, -1: no usable stack. */
  readonly stack: number;
  readonly weight: number;
  /** Index of the thread that held it; -1: nobody, which is the moment of a hand-over, or unknown. */
  readonly holder: number;
  /** Where that thread was, -1: no usable stack. Absent where it has no sample of that moment: it ran no Python. */
  readonly holderStack?: number;
  readonly holderState?: SampleState;
}

/** Of one thread, pooled, in the order of the first of each. Nothing for a profile without states. */
export function gilWaits(profile: Profile, thread: number): readonly GilWait[] {
  const { state, holder, stack, thread: owner, weight } = profile.samples;
  if (state === undefined || holder === undefined) return [];
  /** Last row of each thread in the moment that is looked at. */
  const rowOf = new Int32Array(profile.threads.length).fill(-1);
  const found = new Map<string, { -readonly [Field in keyof GilWait]: GilWait[Field] }>();
  for (const [start, end] of samplesByMoment(profile)) {
    for (let row = start; row < end; row += 1) rowOf[owner[row] as number] = row;
    for (let row = start; row < end; row += 1) {
      if (owner[row] !== thread || state[row] !== GIL_WAIT) continue;
      const held = holder[row] as number;
      const seen = held < 0 ? -1 : (rowOf[held] as number);
      const key = `${stack[row]} ${held} ${seen < 0 ? '' : `${stack[seen]} ${state[seen]}`}`;
      const own = weight[row] as number;
      const known = found.get(key);
      if (known !== undefined) {
        known.weight += own;
        continue;
      }
      found.set(key, {
        stack: stack[row] as number,
        weight: own,
        holder: held,
        ...(seen < 0
          ? {}
          : {
              holderStack: stack[seen] as number,
              holderState: SAMPLE_STATES[state[seen] as number] ?? 'unknown',
            }),
      });
    }
    for (let row = start; row < end; row += 1) rowOf[owner[row] as number] = -1;
  }
  return [...found.values()];
}
