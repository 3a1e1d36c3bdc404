import { NO_STATES, SAMPLE_STATES, samplesByMoment } from '../model/index.js';
import type { Profile, SampleState, StateWeights } from '../model/index.js';

/** Samples of one thread with one stack, by what it did: while it held the GIL, and while it did not. */
export interface GilUse {
  /** Row of the stack table, -1: no usable stack. */
  readonly stack: number;
  readonly holding: StateWeights;
  readonly without: StateWeights;
}

/**
 * Of one thread, in the order of the first of each stack. Undefined where no sample tells who held the GIL. A thread that waits for the GIL
 * does not hold it, whatever the other word in the same look says: between the two it was given to it.
 */
export function gilUse(profile: Profile, thread: number): readonly GilUse[] | undefined {
  const { state, holder, stack, thread: owner, weight, length } = profile.samples;
  if (state === undefined || holder?.some((held) => held >= 0) !== true) return undefined;
  const found = new Map<number, { readonly holding: States; readonly without: States }>();
  for (let row = 0; row < length; row += 1) {
    if (owner[row] !== thread) continue;
    const at = stack[row] as number;
    let use = found.get(at);
    if (use === undefined) {
      use = { holding: { ...NO_STATES }, without: { ...NO_STATES } };
      found.set(at, use);
    }
    const did = SAMPLE_STATES[state[row] as number] ?? 'unknown';
    const side = holder[row] === thread && did !== 'gil-wait' ? use.holding : use.without;
    side[did] += weight[row] as number;
  }
  return [...found].map(([at, use]) => ({ stack: at, ...use }));
}

type States = { -readonly [State in SampleState]: number };

/** Two threads, look by look. `first` is the one that was asked for, `other` is this one. */
export interface WindowUse {
  /** Looks at which the state of both is known. */
  readonly looks: number;
  /** Both were on a CPU. */
  readonly both: number;
  /** `first` was on a CPU without the GIL, and no third thread held it: Python of `other` could run. */
  readonly open: number;
  /** What `other` did at those looks. */
  readonly inOpen: StateWeights;
  /** Looks at which `first` waited for the GIL, and of those the ones at which `other` was in its way. */
  readonly firstWaits: number;
  readonly firstWaitsForOther: number;
  /** The same the other way round. */
  readonly otherWaits: number;
  readonly otherWaitsForFirst: number;
}

type Counts = { -readonly [Field in Exclude<keyof WindowUse, 'inOpen'>]: number } & { inOpen: States };

/** By index, of every other thread that has samples beside one of `first`. Empty where no sample tells who held the GIL. */
export function windowUse(profile: Profile, first: number): ReadonlyMap<number, WindowUse> {
  const { state, holder, thread: owner } = profile.samples;
  const found = new Map<number, Counts>();
  if (state === undefined || holder?.some((held) => held >= 0) !== true) return found;
  for (const [start, end] of samplesByMoment(profile)) {
    let own = -1;
    for (let row = start; row < end; row += 1) if (owner[row] === first) own = row;
    if (own < 0) continue;
    const mine = SAMPLE_STATES[state[own] as number] ?? 'unknown';
    if (mine === 'unknown') continue;
    const held = holder[own] as number;
    for (let row = start; row < end; row += 1) {
      const other = owner[row] as number;
      const theirs = SAMPLE_STATES[state[row] as number] ?? 'unknown';
      if (other === first || theirs === 'unknown') continue;
      const counts = found.get(other) ?? noCounts();
      found.set(other, counts);
      addLook(counts, { mine, theirs, held, first, other });
    }
  }
  return found;
}

function noCounts(): Counts {
  return {
    looks: 0,
    both: 0,
    open: 0,
    inOpen: { ...NO_STATES },
    firstWaits: 0,
    firstWaitsForOther: 0,
    otherWaits: 0,
    otherWaitsForFirst: 0,
  };
}

interface Look {
  readonly mine: SampleState;
  readonly theirs: SampleState;
  readonly held: number;
  readonly first: number;
  readonly other: number;
}

function addLook(counts: Counts, { mine, theirs, held, first, other }: Look): void {
  counts.looks += 1;
  if (mine === 'running' && theirs === 'running') counts.both += 1;
  if (mine === 'running' && (held < 0 || held === other)) {
    counts.open += 1;
    counts.inOpen[theirs] += 1;
  }
  if (mine === 'gil-wait') {
    counts.firstWaits += 1;
    if (isInTheWay(held, other, theirs)) counts.firstWaitsForOther += 1;
  }
  if (theirs === 'gil-wait') {
    counts.otherWaits += 1;
    if (isInTheWay(held, first, mine)) counts.otherWaitsForFirst += 1;
  }
}

/** Whoever holds the GIL is; where nobody does, whoever runs: it let go of it a moment ago and takes it again before the other has woken. */
function isInTheWay(held: number, thread: number, did: SampleState): boolean {
  return held === thread || (held < 0 && (did === 'running' || did === 'cpu-wait'));
}
