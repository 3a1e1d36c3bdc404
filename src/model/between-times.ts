import type { Profile, SampleTable } from './profile.js';

/**
 * End of the last sample in seconds since the window began: of a counted one its moment, of a measured one the end of its time. Undefined
 * where the profile has no times.
 */
export function lastSampleS({ samples, unit }: Pick<Profile, 'samples' | 'unit'>): number | undefined {
  const { timeNs, weight } = samples;
  if (timeNs === undefined) return undefined;
  let end = 0;
  for (let row = 0; row < samples.length; row += 1) {
    const lasts = unit === 'nanoseconds' ? (weight[row] as number) : 0;
    end = Math.max(end, (timeNs[row] as number) + lasts);
  }
  return end / 1e9;
}

/**
 * The samples of an interval, in seconds since the window began: `fromS` belongs to it, `toS` does not. Of a measured sample that reaches
 * across an end only what lies inside. Times, stacks and threads keep their numbers, so that claims of stacks hold for both profiles;
 * what was lost is of the source as a whole, and stays. How often the sampler should have looked is of the whole, too, and goes.
 * @throws RangeError where the profile has no times.
 */
export function betweenTimes(profile: Profile, fromS: number, toS: number): Profile {
  const { ticks: _, ...whole } = profile;
  const { samples, unit } = profile;
  const { timeNs, weight } = samples;
  if (timeNs === undefined) throw new RangeError('samples without times have no interval');
  // Times are whole nanoseconds, and seconds in digits hardly ever the very number: 0.001005982 * 1e9 is above 1005982.
  const fromNs = Math.round(fromS * 1e9);
  const toNs = Math.round(toS * 1e9);
  const rows: number[] = [];
  const weights: number[] = [];
  const times: number[] = [];
  for (let row = 0; row < samples.length; row += 1) {
    const time = timeNs[row] as number;
    const own = weight[row] as number;
    if (unit === 'samples') {
      if (time < fromNs || time >= toNs) continue;
      times.push(time);
      weights.push(own);
    } else {
      const start = Math.max(fromNs, time);
      const inside = Math.min(toNs, time + own) - start;
      if (!(inside > 0)) continue;
      times.push(start);
      weights.push(inside);
    }
    rows.push(row);
  }
  return Object.freeze({
    ...whole,
    samples: Object.freeze({
      ...columnsOf(samples, rows),
      length: rows.length,
      weight: Float64Array.from(weights),
      timeNs: Float64Array.from(times),
    }),
  });
}

/** Every column of the table cut down to these rows, whichever columns the source has. */
function columnsOf(samples: SampleTable, rows: readonly number[]): SampleTable {
  const cut: SampleTable = { ...samples };
  const columns = Object.entries(samples).flatMap(([name, column]: [string, unknown]) =>
    column instanceof Int32Array || column instanceof Uint8Array || column instanceof Float64Array
      ? [[name, pick(column, rows)] as const]
      : [],
  );
  return Object.assign(cut, Object.fromEntries(columns));
}

function pick(column: Int32Array | Uint8Array | Float64Array, rows: readonly number[]): typeof column {
  const Column = column.constructor as new (length: number) => typeof column;
  const picked = new Column(rows.length);
  for (const [at, row] of rows.entries()) picked[at] = column[row] as number;
  return picked;
}
