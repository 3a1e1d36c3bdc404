import type { SpikeLine } from './spike-line.js';
import type { Spikes } from './spikes.js';

/** Lines of a document: a run of hours has tens of thousands. */
const MOST_LINES = 500;

/** Times are microseconds, those of the recording seconds. */
export function spikesJson({ count, search, each, unknown }: Spikes): object {
  const { offset, next } = search ?? {};
  return {
    count,
    offset:
      offset === undefined ? undefined : { s: round(offset.us / 1e6), doubtS: round(offset.doubtUs / 1e6) },
    search:
      search === undefined
        ? undefined
        : {
            looked: search.looked,
            inside: search.inside,
            fits: search.fits,
            next: next === undefined ? undefined : { fits: next.fits, awayS: round(next.awayUs / 1e6) },
          },
    unknown,
    inside: each?.length,
    each: each?.slice(0, MOST_LINES).map(lineJson),
  };
}

function lineJson({ fromS, toS, atUs, tableUs, samples, held, ...rest }: SpikeLine): object {
  return {
    fromS: round(fromS),
    toS: round(toS),
    atUs,
    tableUs,
    samples: { value: round(samples.value), low: round(samples.low), high: round(samples.high) },
    held: held === undefined ? undefined : { ...held, share: round(held.share) },
    ...rest,
  };
}

/** Six digits behind the point: microseconds of seconds. */
function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
