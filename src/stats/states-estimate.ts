import { addStates, statesWeight } from '../model/index.js';
import type { Bucket, SampleState, StateWeights } from '../model/index.js';
import { bias } from './bias.js';
import { LOST, NOT_SAMPLED, byShare, withWorth } from './bucket-rows.js';
import { FLOOR, countingHalfWidth, interval, joinedHalfWidth, rawInterval } from './interval.js';
import { stateLeaves } from './leaf-counts.js';
import { perSample, poolShare } from './pool-share.js';
import { sleepCalls } from './sleep-call.js';
import { stateAgreement, stateChecks } from './states-checks.js';
import type { BucketShare, Pool, Pools, SamplerPriority, ThreadEstimate, Totals } from './thread-estimate.js';

/** Samples of one thread that belong together, by what the thread did. */
export interface StateCount {
  readonly bucket: Bucket;
  readonly kind?: string;
  readonly label?: string;
  readonly states: StateWeights;
}

export interface StatesInput {
  /** Samples of one thread with a usable stack. Leave `kind` and `label` out to get whole buckets. */
  readonly counts: readonly StateCount[];
  /** Samples without a usable stack: their state is known all the same. */
  readonly lost: StateWeights;
  /** Absent for a bare file. */
  readonly totals?: Totals;
  /** How often the sampler should have looked. */
  readonly expectedSamples?: number;
  readonly rateHz?: number;
  readonly priority: SamplerPriority;
  /** The line that would give the sampler real-time priority here. */
  readonly priorityFix?: string;
}

/** With more GIL wait than this, voluntary switches no longer count sleeps. */
const SLEEP_CALL_MAX_GIL = 0.05;

/** What the kernel says, or, of a bare file, what the samples alone say. */
interface Parts {
  readonly on: number;
  readonly rq: number;
  readonly blocked: number;
}

/**
 * The wall time of one thread by bucket, where every sample knows what its thread did: the kernel's totals, each split by the samples of that
 * state alone. So a function has the CPU time that it used and the time that it was blocked; waits for the GIL and for a CPU, which are
 * nobody's work, are rows of their own. Samples of unknown state count as nothing.
 */
export function estimateByStates(input: StatesInput): ThreadEstimate {
  const { counts, lost, totals } = input;
  const seen = addStates([...counts.map(({ states }) => states), lost]);
  const known = statesWeight(seen) - seen.unknown;
  const blockedSamples = seen['gil-wait'] + seen.sleep + seen.blocked;
  const parts: Parts =
    totals === undefined
      ? {
          on: ratio(seen.running, known),
          rq: ratio(seen['cpu-wait'], known),
          blocked: ratio(blockedSamples, known),
        }
      : { on: totals.onCpu, rq: totals.cpuWait, blocked: totals.blocked };
  const states = statePools(parts, seen, blockedSamples);
  const pools = poolsOf(input, parts, states, blockedSamples, known);
  const rows = rowsOf(input, parts, states, pools, statesWeight(seen), known);
  const agreement = totals === undefined || known === 0 ? undefined : stateAgreement(totals, seen);
  return {
    mode: pools.mode,
    ...(totals === undefined ? {} : { totals: withBlockedStates(totals, states, blockedSamples) }),
    samples: counts.reduce((sum, count) => sum + statesWeight(count.states), 0),
    lost: statesWeight(lost),
    rows: rows.map((row) => withWorth(row, rows)).sort(byShare),
    perSample: perSample(pools),
    pools,
    states,
    ...(agreement === undefined ? {} : { agreement }),
    findings: stateChecks({ ...input, seen, ...(agreement === undefined ? {} : { agreement }) }),
  };
}

function statePools(
  parts: Parts,
  seen: StateWeights,
  blockedSamples: number,
): Readonly<Record<SampleState, Pool>> {
  const blocked = (samples: number): Pool => ({
    share: parts.blocked * ratio(samples, blockedSamples),
    samples,
  });
  return {
    unknown: { share: 0, samples: seen.unknown },
    running: { share: seen.running > 0 ? parts.on : 0, samples: seen.running },
    'cpu-wait': { share: parts.rq, samples: seen['cpu-wait'] },
    'gil-wait': blocked(seen['gil-wait']),
    sleep: blocked(seen.sleep),
    blocked: blocked(seen.blocked),
  };
}

function poolsOf(
  { totals, lost, priority }: StatesInput,
  parts: Parts,
  states: Readonly<Record<SampleState, Pool>>,
  blockedSamples: number,
  known: number,
): Pools {
  const lostSamples = statesWeight(lost);
  if (totals === undefined) {
    const counted = lostSamples - lost.unknown - lost['cpu-wait'] - lost['gil-wait'];
    return {
      mode: 'samples',
      work: { share: known > 0 ? 1 : 0, samples: known },
      sleep: { share: 0, samples: 0 },
      gil: { share: 0, samples: 0 },
      waitsWith: 'nobody',
      lost: { share: ratio(counted, known), samples: lostSamples },
      bias: 0,
      border: 0,
      moved: 0,
      stolen: 0,
    };
  }
  const resting = states.sleep.samples + states.blocked.samples;
  const isKnown = resting > 0 && states.running.samples > 0 && states['gil-wait'].share < SLEEP_CALL_MAX_GIL;
  const { share: call, doubt } = isKnown
    ? sleepCalls({ on: parts.on, ran: states.running.samples, known, sleepsPerS: totals.voluntaryPerS })
    : { share: 0, doubt: 0 };
  const running = Math.max(0, states.running.share - call);
  return {
    mode: 'net',
    work: { share: running, samples: states.running.samples },
    // All that is blocked, the GIL wait too: how that is told from the rest is counted as well.
    sleep: {
      share: blockedSamples > 0 ? parts.blocked + call * ratio(blockedSamples, resting) : 0,
      samples: blockedSamples,
    },
    gil: { share: 0, samples: states['gil-wait'].samples },
    waitsWith: 'nobody',
    lost: { share: running * ratio(lost.running, states.running.samples), samples: lostSamples },
    bias: bias({ mode: 'net', sleep: states.sleep.share, priority }),
    border: 0,
    moved: doubt,
    stolen: totals.stolenAtMost ?? 0,
  };
}

type Row = Omit<BucketShare, 'ofWork' | 'ceiling'>;

function rowsOf(
  { counts, lost, totals }: StatesInput,
  parts: Parts,
  states: Readonly<Record<SampleState, Pool>>,
  pools: Pools,
  all: number,
  known: number,
): Row[] {
  const bare = totals === undefined;
  const rows: Row[] = counts
    // What only waited has no time of its own.
    .filter((count) => staying(count.states) > 0)
    .map(({ states: own, ...count }) => {
      const samples = staying(own);
      return {
        ...count,
        ...poolShare(pools, stateLeaves(own)),
        exact: false,
        samples,
        rawShare: ratio(samples, all),
      };
    });
  const waitRow = (
    bucket: 'gil-wait' | 'cpu-wait',
    found: ReturnType<typeof interval>,
    exact: boolean,
  ): void => {
    const { samples } = states[bucket];
    rows.push({ bucket, ...found, exact, samples, rawShare: ratio(samples, all) });
  };
  const gil = states['gil-wait'];
  const { sleep: blocked } = pools;
  if (bare) {
    if (known > 0) {
      waitRow('gil-wait', rawInterval(gil.samples, known), false);
      waitRow('cpu-wait', rawInterval(states['cpu-wait'].samples, known), false);
    }
  } else {
    if (blocked.samples > 0) {
      const counted = countingHalfWidth(gil.samples, blocked.samples, parts.blocked);
      const margin = joinedHalfWidth(pools.bias, counted);
      waitRow('gil-wait', interval(gil.share, margin), false);
    } else if (parts.blocked === 0) waitRow('gil-wait', interval(0, 0), true);
    waitRow('cpu-wait', interval(parts.rq, 0), true);
  }
  if (statesWeight(lost) > 0) {
    const { share } = poolShare(pools, stateLeaves(lost));
    const samples = staying(lost);
    const width = bare
      ? countingHalfWidth(samples, known)
      : Math.hypot(
          countingHalfWidth(lost.running, pools.work.samples, pools.work.share),
          countingHalfWidth(lost.sleep + lost.blocked, blocked.samples, blocked.share),
        );
    const found = interval(share, width + FLOOR);
    rows.push({
      bucket: 'unclassified',
      kind: LOST,
      ...found,
      exact: false,
      samples,
      rawShare: ratio(samples, all),
    });
  }
  const notSampled =
    (states.running.samples > 0 ? 0 : parts.on) + (blocked.samples > 0 || bare ? 0 : parts.blocked);
  if (notSampled > 0) {
    const whole = interval(notSampled, 0);
    rows.push({ bucket: 'unclassified', kind: NOT_SAMPLED, ...whole, exact: true, samples: 0, rawShare: 0 });
  }
  return rows;
}

/** Samples that count where they were taken. */
function staying(states: StateWeights): number {
  return states.running + states.sleep + states.blocked;
}

/** What blocked time was, by samples; nothing where no sample was blocked: unknown is left out, never 0. */
function withBlockedStates(
  totals: Totals,
  states: Readonly<Record<SampleState, Pool>>,
  blockedSamples: number,
): Totals {
  if (blockedSamples === 0) return totals;
  return {
    ...totals,
    gilWait: states['gil-wait'].share,
    sleep: states.sleep.share,
    otherBlocked: states.blocked.share,
  };
}

function ratio(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}
