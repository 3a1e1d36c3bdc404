import type { LateTurns } from '../../simulator/index.js';
import { durationText } from '../duration-text.js';
import { plural } from '../share-text.js';
import { LEAST_FITS, type OffsetSearch, findOffset } from './clock-offset.js';
import { lookAt } from './held-stretches.js';
import { loopThreads, loopWaits } from './loop-wait.js';
import type { Sampled } from './sampled.js';
import { type SpikeLine, spikeLine } from './spike-line.js';

/** Spikes one by one, or why they are not. */
export interface Spikes {
  /** Spikes of the trace. */
  readonly count: number;
  /** There where samples could be searched at all. */
  readonly search?: OffsetSearch;
  /** Those that lie inside the recording, the longest first; there where the offset between both clocks is known. */
  readonly each?: readonly SpikeLine[];
  /** How late the loop was in all inside the recording, and how long that is there, in microseconds. */
  readonly within?: { readonly lateUs: number; readonly wallUs: number };
  /** Why there are none. One sentence. Raw. */
  readonly unknown?: string;
}

/** Threads with an event loop that are searched: a program has one, and a few more in its workers. */
const MOST_LOOPS = 8;

/** Spikes of an event loop against the moments in which samples saw its thread held. The clocks need have nothing in common. */
export function spikesOf(late: LateTurns, sampled: Sampled): Spikes | undefined {
  const { each, clocks } = late;
  if (each.length === 0) return undefined;
  const no = (unknown: string, search?: OffsetSearch): Spikes => ({
    count: each.length,
    ...(search === undefined ? {} : { search }),
    unknown,
  });
  if (clocks > 1) return no('each mission has a clock of its own: give the trace of one');
  if (each.length < LEAST_FITS)
    return no(`${plural(each.length, 'spike')} would fit by chance: it takes ${LEAST_FITS}`);
  const { profile } = sampled;
  if (profile.samples.timeNs === undefined)
    return no('samples of this backend have no times: record with --backend cpython');
  const waits = loopWaits(profile);
  const found = loopThreads(profile, waits)
    .slice(0, MOST_LOOPS)
    .flatMap((thread) => {
      const look = lookAt(profile, thread, waits);
      return look === undefined ? [] : [{ look, search: findOffset(late, look) }];
    })
    .toSorted((a, b) => rank(b.search) - rank(a.search));
  const [best] = found;
  if (best === undefined)
    return no('no sample is in the wait of an event loop: is it the recording of that program?');
  const { look, search } = best;
  if (search.offset === undefined) return no(whyNot(search), search);
  const offsetUs = search.offset.us;
  const inside = each.filter(
    ({ atUs, lagUs }) => atUs - lagUs + offsetUs >= look.fromUs && atUs + offsetUs <= look.toUs,
  );
  const facts = { look, offsetUs, intervalUs: late.intervalUs, sampled };
  return {
    count: each.length,
    search,
    within: {
      lateUs: inside.reduce((sum, { lagUs }) => sum + lagUs, 0),
      wallUs: look.toUs - look.fromUs,
    },
    each: inside.toSorted((a, b) => b.lagUs - a.lagUs).map((spike) => spikeLine(spike, facts)),
  };
}

/** What is believed counts before what only fits. */
function rank({ offset, fits }: OffsetSearch): number {
  return fits + (offset === undefined ? 0 : Number.MAX_SAFE_INTEGER / 2);
}

function whyNot({ fits, inside, next, looked }: OffsetSearch): string {
  if (fits < LEAST_FITS || fits * 2 <= inside)
    return `no offset between both clocks puts enough of the ${looked} longest where the loop was held for so long: at best ${fits} of ${inside} that would be inside the recording`;
  const other = next === undefined ? 'others' : `${next.fits} at one ${durationText(next.awayUs)} away`;
  return `${fits} of ${inside} fit at one offset between both clocks, but ${other}, as of spikes that come at regular times`;
}
