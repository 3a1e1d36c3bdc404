import type { Lot } from '../stats/index.js';
import type { GilPlace, GilWindows, Rival, ThreadAnswer } from './answer.js';
import { functionJson, intervalJson, share } from './json.js';

/** Places that are told; the rest is a sum. */
const MOST_PLACES = 10;

/** When Python of another thread can run beside the physics thread. */
export function gilWindowsJson({ holds, computes, rests, waits, places }: GilWindows): object {
  const more = places.slice(MOST_PLACES);
  return {
    holds: intervalJson(holds),
    computes: intervalJson(computes),
    rests: intervalJson(rests),
    waits: intervalJson(waits),
    places: places.slice(0, MOST_PLACES).map(placeJson),
    morePlaces:
      more.length === 0
        ? undefined
        : {
            count: more.length,
            share: share(
              more.reduce((sum, one) => sum + one.holds + one.computes + one.rests + one.waits, 0),
            ),
          },
  };
}

function placeJson(place: GilPlace): object {
  return {
    ...functionJson(place.frame),
    bucket: place.bucket,
    holds: share(place.holds),
    computes: share(place.computes),
    rests: share(place.rests),
    waits: share(place.waits),
  };
}

/** Another thread and the physics thread, look by look. */
export function rivalJson({ use, both, contest }: Rival): object {
  return {
    looks: use.looks,
    both: intervalJson(both),
    open: {
      looks: use.open,
      running: use.inOpen.running,
      gilWait: use.inOpen['gil-wait'],
      cpuWait: use.inOpen['cpu-wait'],
    },
    ...(contest === undefined
      ? {}
      : {
          physics: lotJson(contest.first),
          itself: lotJson(contest.other),
          verdict: contest.verdict,
          starves: contest.starves,
        }),
  };
}

function lotJson({ wanted, ran, waited, withoutCpu }: Lot): object {
  return {
    wanted: share(wanted),
    ran: share(ran),
    gilWait: share(waited),
    cpuWait: share(withoutCpu),
  };
}

/** With the physics thread: by looks where samples know their state, else what the kernel's totals allow. */
export function overlapJson({ beside, overlap }: ThreadAnswer): object | undefined {
  if (beside !== undefined) {
    const { looks, states, absent } = beside;
    return {
      looks,
      running: intervalJson(states.running),
      gilWait: intervalJson(states['gil-wait']),
      cpuWait: intervalJson(states['cpu-wait']),
      sleep: intervalJson(states.sleep),
      otherBlocked: intervalJson(states.blocked),
      unknown: states.unknown.share > 0 ? intervalJson(states.unknown) : undefined,
      absent: intervalJson(absent),
    };
  }
  return overlap === undefined
    ? undefined
    : { atLeast: share(overlap.atLeast), atMost: share(overlap.atMost) };
}
