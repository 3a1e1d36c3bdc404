import {
  type Frame,
  NO_STATES,
  type Profile,
  ProfilerError,
  type SampleState,
  type StateWeights,
  addStates,
  statesWeight,
} from '../model/index.js';
import {
  type GilHolder,
  type Pooled,
  type ThreadAnswer,
  type ThreadWaits,
  type WaitPlace,
  type WaitRow,
  type Waits,
  MOST_UNKNOWN_STATES,
  cleanText,
  compareText,
  functionText,
  grouped,
  inReadingOrder,
  percent,
  poolSamples,
  seenWeight,
  threadName,
} from '../report/index.js';
import { type Claim, UNCLAIMED, classifyProfile } from '../rules/index.js';
import {
  type GilWait,
  LOST,
  NOT_SAMPLED,
  gilWaits,
  interval,
  rawInterval,
  stateShares,
} from '../stats/index.js';
import { type AnswerOptions, answer } from './answer.js';
import { requireSamples } from './answer-findings.js';
import { byHolder, functionAt, weightOf } from './gil-held.js';
import type { Loaded } from './source.js';
import { NOTHING_TIMED, type TimedWaits } from './timed-gil.js';

/** Rows shown of holders and of places. */
const MOST = 10;

/**
 * Answer of `waits`: of the physics thread, or of those that were named.
 * @throws ProfilerError `no-states` where the samples do not know what the thread did.
 */
export function waitsAnswer(
  loaded: Loaded,
  options: AnswerOptions,
  { of: timedOf, findings }: TimedWaits = NOTHING_TIMED,
): Waits {
  requireSamples(loaded);
  const { profile } = loaded;
  const claims = options.claims ?? classifyProfile(options.ruleSet, profile);
  const found = answer(loaded, { ...options, claims });
  const sampled = found.threads.filter(({ index }) => index >= 0);
  const wanted = options.thread === undefined ? sampled.slice(0, 1) : sampled;
  const stated = wanted.filter(({ estimate }) => estimate.states !== undefined);
  if (stated.length === 0) throw noStates(loaded, wanted[0]);
  const claimOf = (stack: number): Claim => claims[stack] ?? UNCLAIMED;
  const threads = new Set(stated.map(({ index }) => index));
  const pooled = grouped(poolSamples(profile, { threads }, claimOf), ({ thread }) => thread);
  return {
    source: found.source,
    window: found.window,
    ...(found.run === undefined ? {} : { run: found.run }),
    threads: stated.map((thread) => {
      const timed = timedOf(thread.thread, thread.estimate);
      const told = threadWaits(profile, thread, pooled.get(thread.index) ?? [], claimOf);
      return timed === undefined ? told : { ...told, timed };
    }),
    named: options.thread !== undefined,
    samples: seenWeight(found.threads),
    threadCount: found.threads.length,
    physicsKnown: found.physicsKnown || options.thread !== undefined,
    ofWall: stated.every(({ totals }) => totals !== undefined),
    lost: found.lost,
    findings: [...found.findings, ...findings],
  };
}

function noStates({ profile, source }: Loaded, thread: ThreadAnswer | undefined): ProfilerError {
  const { totals } = thread ?? {};
  const gil = totals?.gilWait === undefined ? '' : ` and for the GIL ${percent(totals.gilWait)}`;
  const known =
    thread === undefined || totals === undefined
      ? 'There are no times of the kernel in it either.'
      : `The kernel counted that ${threadName(thread.thread)} waited for a CPU ${percent(totals.cpuWait)}${gil} of the time; where it waited is in no sample.`;
  return new ProfilerError({
    id: 'no-states',
    what:
      profile.samples.state === undefined
        ? `The samples of ${source.path} do not know whether their thread ran or waited: only our own sampler of Python (backend cpython) sees that.`
        : unknownText(profile, source.path, thread),
    why: known,
    fix: 'profiler attach --pid PID --backend cpython',
  });
}

function unknownText({ samples }: Profile, path: string, thread: ThreadAnswer | undefined): string {
  let all = 0;
  let unknown = 0;
  for (let row = 0; row < samples.length; row += 1) {
    if (thread !== undefined && samples.thread[row] !== thread.index) continue;
    const weight = samples.weight[row] ?? 0;
    all += weight;
    if (samples.state?.[row] === 0) unknown += weight;
  }
  const whose = thread === undefined ? 'its threads' : cleanText(threadName(thread.thread));
  return `What ${whose} did is not known of ${unknown} of ${all} samples in ${path}: waits are told where no more than ${percent(MOST_UNKNOWN_STATES)} are.`;
}

function threadWaits(
  profile: Profile,
  answered: ThreadAnswer,
  pooled: readonly Pooled[],
  claimOf: (stack: number) => Claim,
): ThreadWaits {
  const { estimate, thread, role, index } = answered;
  const waits = gilWaits(profile, index);
  const states = estimate.states;
  const unseen = unseenStates(answered);
  const whole = (state: SampleState): number =>
    state === 'cpu-wait' ? (states?.[state].share ?? 0) : (states?.[state].share ?? 0) + unseen[state];
  const holders = holdersOf(profile, waits, whole('gil-wait'));
  const places = placesOf(profile, answered, pooled, waits, claimOf);
  return {
    thread,
    role,
    ...(answered.totals === undefined ? {} : { totals: answered.totals }),
    whole: {
      unknown: whole('unknown'),
      running: whole('running'),
      'cpu-wait': whole('cpu-wait'),
      'gil-wait': whole('gil-wait'),
      sleep: whole('sleep'),
      blocked: whole('blocked'),
    },
    samples: estimate.samples,
    rows: [...rowsOf(answered, pooled, claimOf), ...unseenRow(unseen)],
    holders: holders.slice(0, MOST),
    moreHolders: {
      count: Math.max(0, holders.length - MOST),
      part: holders.slice(MOST).reduce((sum, { part }) => sum + part.share, 0),
    },
    places: places.slice(0, MOST),
    morePlaces: {
      count: Math.max(0, places.length - MOST),
      share: places.slice(MOST).reduce((sum, { gilWait, cpuWait }) => sum + gilWait.share + cpuWait.share, 0),
    },
  };
}

/**
 * What the kernel counted and no sample was taken in: time on a CPU or without one is known all the same, of blocked time nobody knows the
 * kind.
 */
function unseenStates({ estimate: { states }, totals }: ThreadAnswer): StateWeights {
  if (states === undefined || totals === undefined) return NO_STATES;
  const blocked = states['gil-wait'].samples + states.sleep.samples + states.blocked.samples;
  return {
    ...NO_STATES,
    running: states.running.samples > 0 ? 0 : totals.onCpu,
    'cpu-wait': states['cpu-wait'].samples > 0 ? 0 : totals.cpuWait,
    unknown: blocked > 0 ? 0 : totals.blocked,
  };
}

/** That time as a row of its own: it belongs to no stack. */
function unseenRow(unseen: StateWeights): WaitRow[] {
  const wall = statesWeight(unseen);
  if (!(wall > 0)) return [];
  const states = Object.fromEntries(
    Object.entries(unseen).map(([state, share]) => [state, interval(share, 0)]),
  );
  return [
    {
      bucket: 'unclassified',
      kind: NOT_SAMPLED,
      wall,
      states: states as WaitRow['states'],
      samples: 0,
    },
  ];
}

function statesOf(entries: readonly Pooled[]): StateWeights {
  return addStates(entries.map(({ states }) => states ?? NO_STATES));
}

/** Buckets in the order of the breakdown; samples without a stack are a row of their own. */
function rowsOf(
  { estimate, buckets }: ThreadAnswer,
  pooled: readonly Pooled[],
  claimOf: (stack: number) => Claim,
): WaitRow[] {
  const lost = pooled.filter(({ stack }) => stack < 0);
  const groups = grouped(
    pooled.filter(({ stack }) => stack >= 0),
    ({ stack }) => claimOf(stack).bucket,
  );
  const row = (bucket: WaitRow['bucket'], entries: readonly Pooled[], kind?: string): WaitRow[] => {
    const counts = statesOf(entries);
    const states = stateShares(estimate, counts);
    const wall = Object.values(states).reduce((sum, { share }) => sum + share, 0);
    if (wall === 0) return [];
    return [{ bucket, ...(kind === undefined ? {} : { kind }), wall, states, samples: statesWeight(counts) }];
  };
  const order = inReadingOrder(buckets).map(({ bucket }) => bucket);
  const place = (bucket: WaitRow['bucket']): number =>
    (order.indexOf(bucket) + order.length + 1) % (order.length + 1);
  return [
    ...[...groups]
      .sort(([a], [b]) => place(a) - place(b) || compareText(a, b))
      .flatMap(([bucket, entries]) => row(bucket, entries)),
    ...row('unclassified', lost, LOST),
  ];
}

function holdersOf(profile: Profile, waits: readonly GilWait[], gilWait: number): GilHolder[] {
  const all = weightOf(waits);
  return byHolder(profile, waits).map(({ holder, frame, waits: own, samples }): GilHolder => {
    const thread = profile.threads[holder];
    const seen = own.filter(({ holderState }) => holderState !== undefined && holderState !== 'unknown');
    const partOf = (state: string): number =>
      weightOf(seen.filter(({ holderState }) => holderState === state)) / weightOf(seen);
    const part = rawInterval(samples, all);
    return {
      ...(thread === undefined ? {} : { thread }),
      ...(frame === undefined ? {} : { frame }),
      samples,
      part,
      share: gilWait * part.share,
      ...(seen.length === 0 ? {} : { running: partOf('running'), cpuWait: partOf('cpu-wait') }),
    };
  });
}

/** Functions of the thread that wait for the GIL or a CPU. */
function placesOf(
  profile: Profile,
  { estimate }: ThreadAnswer,
  pooled: readonly Pooled[],
  waits: readonly GilWait[],
  claimOf: (stack: number) => Claim,
): WaitPlace[] {
  const keyOf = (stack: number, frame: Frame): string => `${claimOf(stack).bucket} ${functionText(frame)}`;
  const waitsAt = new Map<string, GilWait[]>();
  for (const wait of waits) {
    const frame = functionAt(profile, wait.stack);
    if (frame === undefined) continue;
    const key = keyOf(wait.stack, frame);
    const known = waitsAt.get(key);
    if (known === undefined) waitsAt.set(key, [wait]);
    else known.push(wait);
  }
  const keyed = pooled.flatMap((entry) => {
    const { states, stack } = entry;
    if (states === undefined || states['gil-wait'] + states['cpu-wait'] === 0) return [];
    const frame = functionAt(profile, stack);
    return frame === undefined ? [] : [{ entry, frame, key: keyOf(stack, frame) }];
  });
  return [...grouped(keyed, ({ key }) => key)]
    .flatMap(([key, group]) => {
      const [first] = group;
      if (first === undefined) return [];
      const counts = statesOf(group.map(({ entry }) => entry));
      const shares = stateShares(estimate, counts);
      const own = waitsAt.get(key) ?? [];
      const most = byHolder(profile, own).find(({ holder }) => holder >= 0);
      const thread = most === undefined ? undefined : profile.threads[most.holder];
      const place: WaitPlace = {
        frame: first.frame,
        bucket: claimOf(first.entry.stack).bucket,
        gilWait: shares['gil-wait'],
        cpuWait: shares['cpu-wait'],
        samples: counts['gil-wait'] + counts['cpu-wait'],
        ...(most === undefined || thread === undefined
          ? {}
          : {
              heldBy: {
                thread,
                ...(most.frame === undefined ? {} : { frame: most.frame }),
                part: most.samples / weightOf(own),
              },
            }),
      };
      return [{ key, place, waited: place.gilWait.share + place.cpuWait.share }];
    })
    .sort((a, b) => b.waited - a.waited || compareText(a.key, b.key))
    .map(({ place }) => place);
}
