import {
  type Frame,
  NO_STATES,
  type Profile,
  SAMPLE_STATES,
  type SampleState,
  type StateWeights,
  addStates,
} from '../model/index.js';
import {
  type GilPlace,
  type GilWindows,
  type Rival,
  type ThreadAnswer,
  compareText,
  functionText,
  grouped,
} from '../report/index.js';
import type { Claim } from '../rules/index.js';
import {
  type GilUse,
  type Interval,
  type WindowUse,
  contest,
  gilUse,
  interval,
  rawInterval,
  stateShares,
  windowUse,
} from '../stats/index.js';
import { functionAt } from './gil-held.js';

const OF_CPU = ['running', 'cpu-wait'] as const;
const AT_REST = ['sleep', 'blocked'] as const;

/** When Python of another thread can run beside this one. Undefined where samples do not tell who held the GIL. */
export function gilWindowsOf(
  profile: Profile,
  { index, estimate }: ThreadAnswer,
  claimOf: (stack: number) => Claim,
): GilWindows | undefined {
  const uses = estimate.states === undefined ? undefined : gilUse(profile, index);
  if (uses === undefined) return undefined;
  const shareOf = (counts: StateWeights): Interval => sumOf(Object.values(stateShares(estimate, counts)));
  const whole = split(uses);
  return {
    holds: shareOf(whole.holds),
    computes: shareOf(whole.computes),
    rests: shareOf(whole.rests),
    waits: shareOf(whole.waits),
    places: placesOf(profile, uses, claimOf, (counts) => shareOf(counts).share),
  };
}

interface Split {
  readonly holds: StateWeights;
  readonly computes: StateWeights;
  readonly rests: StateWeights;
  readonly waits: StateWeights;
}

function split(uses: readonly GilUse[]): Split {
  const holding = addStates(uses.map((use) => use.holding));
  const without = addStates(uses.map((use) => use.without));
  return {
    holds: only(holding, SAMPLE_STATES),
    computes: only(without, OF_CPU),
    rests: only(without, AT_REST),
    waits: only(without, ['gil-wait']),
  };
}

function only(counts: StateWeights, states: readonly SampleState[]): StateWeights {
  return { ...NO_STATES, ...Object.fromEntries(states.map((state) => [state, counts[state]])) };
}

/** Shares of different states are of different samples: their errors have nothing to do with each other. */
function sumOf(parts: readonly Interval[]): Interval {
  const share = parts.reduce((sum, part) => sum + part.share, 0);
  const some = parts.filter((part) => part.share > 0);
  return interval(
    share,
    Math.hypot(...some.map((part) => part.share - part.low)),
    Math.hypot(...some.map((part) => part.high - part.share)),
  );
}

function placesOf(
  profile: Profile,
  uses: readonly GilUse[],
  claimOf: (stack: number) => Claim,
  shareOf: (counts: StateWeights) => number,
): GilPlace[] {
  const placed = uses.flatMap((use) => {
    const frame = functionAt(profile, use.stack);
    if (frame === undefined) return [];
    const { bucket, rule } = claimOf(use.stack);
    return [{ use, frame, bucket, rule, key: `${bucket} ${functionText(frame)}` }];
  });
  return [...grouped(placed, ({ key }) => key)]
    .map(([key, group]) => {
      const [first] = group as [(typeof group)[number]];
      const { holds, computes, rests, waits } = split(group.map(({ use }) => use));
      const rule = group.find((one) => one.rule !== undefined)?.rule;
      return {
        key,
        place: {
          frame: first.frame as Frame,
          bucket: first.bucket,
          ...(rule === undefined ? {} : { rule: rule.id }),
          holds: shareOf(holds),
          computes: shareOf(computes),
          rests: shareOf(rests),
          waits: shareOf(waits),
          runs: shareOf(only(addStates([holds, computes]), ['running'])),
        },
      };
    })
    .sort(
      (a, b) =>
        released(b.place) - released(a.place) ||
        b.place.waits - a.place.waits ||
        b.place.holds - a.place.holds ||
        compareText(a.key, b.key),
    )
    .map(({ place }) => place);
}

function released({ computes, rests }: GilPlace): number {
  return computes + rests;
}

/** Every other thread beside the physics thread, by its index. Empty where samples do not tell who held the GIL. */
export function rivalsOf(profile: Profile, threads: readonly ThreadAnswer[]): ReadonlyMap<number, Rival> {
  const [physics] = threads;
  if (physics?.estimate.states === undefined) return new Map();
  const uses = windowUse(profile, physics.index);
  return new Map(
    threads.flatMap((thread) => {
      const use = uses.get(thread.index);
      if (use === undefined || thread.estimate.states === undefined) return [];
      return [[thread.index, rivalOf(physics, thread, use)] as const];
    }),
  );
}

function rivalOf(physics: ThreadAnswer, other: ThreadAnswer, use: WindowUse): Rival {
  const found = contest(
    { ...wantsOf(physics), forOther: partOf(use.firstWaitsForOther, use.firstWaits) },
    { ...wantsOf(other), forOther: partOf(use.otherWaitsForFirst, use.otherWaits) },
  );
  return {
    use,
    both: rawInterval(use.both, use.looks),
    ...(found === undefined ? {} : { contest: found }),
  };
}

function partOf(some: number, all: number): number {
  return all > 0 ? some / all : 0;
}

function wantsOf({ estimate: { states } }: ThreadAnswer): {
  readonly onCpu: number;
  readonly cpuWait: number;
  readonly gilWait: number;
} {
  return {
    onCpu: states?.running.share ?? 0,
    cpuWait: states?.['cpu-wait'].share ?? 0,
    gilWait: states?.['gil-wait'].share ?? 0,
  };
}
