import { CoveredTime } from './covered-time.js';
import { spread } from './quantile.js';
import { grouped, tenths } from './raccoon-runs.js';
import type { RaccoonStep } from './raccoon-trace-events.js';
import type { CostRow } from './table.js';

interface Gap {
  readonly name: string;
  readonly startUs: number;
  readonly lengthUs: number;
}

export const BEFORE_FIRST = '(before the first step)';

/** Stretches in which no step ran on any task, summed by the step before and the step after; the longest sum first. */
export function gapRows(steps: readonly RaccoonStep[], wallUs: number): readonly CostRow[] {
  return [...grouped(gapsOf(steps), ({ name }) => name)]
    .map(([name, gaps]): CostRow => {
      const totalUs = tenths(gaps.reduce((sum, { lengthUs }) => sum + lengthUs, 0));
      const [only, ...others] = gaps;
      return {
        name,
        path: [],
        role: 'part',
        totalUs,
        ...spread(gaps.map(({ lengthUs }) => lengthUs)),
        ...(only !== undefined && others.length === 0 ? { atUs: only.startUs } : {}),
        share: totalUs / wallUs,
        meaning: 'no step runs, on no task',
      };
    })
    .toSorted((a, b) => (b.totalUs ?? 0) - (a.totalUs ?? 0));
}

function gapsOf(steps: readonly RaccoonStep[]): readonly Gap[] {
  const { stretches } = new CoveredTime(steps);
  // Of several that start or end at once, the first that is in the file.
  const endingAt = new Map(steps.toReversed().map(({ endUs, signature }) => [endUs, signature]));
  const startingAt = new Map(steps.toReversed().map(({ startUs, signature }) => [startUs, signature]));
  return stretches.flatMap(({ startUs }, at): Gap[] => {
    const from = stretches[at - 1]?.endUs ?? 0;
    const lengthUs = tenths(startUs - from);
    if (lengthUs <= 0) return [];
    const next = startingAt.get(startUs) ?? '';
    const name = at === 0 ? BEFORE_FIRST : `${endingAt.get(from) ?? ''} -> ${next}`;
    return [{ name, startUs: tenths(from), lengthUs }];
  });
}
