import type { SampleState, Thread } from '../model/index.js';
import { accountingJson, functionJson, intervalJson, objectText, share } from './json.js';
import { gilAgrees, type TimedGil } from './exact-gil.js';
import { threadName } from './names.js';
import type { GilHolder, ThreadWaits, WaitPlace, WaitRow, Waits } from './waits.js';

function threadJson(thread: Thread | undefined): object {
  return thread === undefined ? {} : { thread: threadName(thread), tid: thread.tid };
}

function isNone(value: unknown): boolean {
  return (
    value === 0 || (typeof value === 'object' && value !== null && 'share' in value && value.share === 0)
  );
}

/** What a thread did, by the names that the rest of the JSON has for it. */
function statesJson<Value, Out>(
  states: Readonly<Record<SampleState, Value>>,
  out: (value: Value) => Out,
): object {
  return {
    running: out(states.running),
    gilWait: out(states['gil-wait']),
    cpuWait: out(states['cpu-wait']),
    sleep: out(states.sleep),
    otherBlocked: out(states.blocked),
    ...(isNone(states.unknown) ? {} : { unknown: out(states.unknown) }),
  };
}

function rowJson({ bucket, kind, wall, states, samples }: WaitRow): object {
  return { id: bucket, kind, wall: share(wall), samples, ...statesJson(states, intervalJson) };
}

function holderJson({ thread, frame, part, running, cpuWait, ...holder }: GilHolder): object {
  return {
    ...threadJson(thread),
    ...functionJson(frame),
    samples: holder.samples,
    ofGilWait: intervalJson(part),
    share: share(holder.share),
    running: share(running),
    cpuWait: share(cpuWait),
  };
}

function placeJson({ frame, bucket, gilWait, cpuWait, samples, heldBy }: WaitPlace): object {
  return {
    ...functionJson(frame),
    bucket,
    samples,
    gilWait: intervalJson(gilWait),
    cpuWait: intervalJson(cpuWait),
    heldBy:
      heldBy === undefined
        ? undefined
        : { ...threadJson(heldBy.thread), ...functionJson(heldBy.frame), part: share(heldBy.part) },
  };
}

function timedJson(timed: TimedGil): object {
  return {
    probe: timed.symbol,
    whole: timed.isWhole,
    share: share(timed.share),
    cpuWait: share(timed.cpuWait),
    takenPerS: timed.takenPerS,
    waitsPerS: timed.waitsPerS,
    medianS: timed.medianS,
    longestS: timed.longestS,
    agrees: gilAgrees(timed),
    lost: timed.lost === 0 ? undefined : timed.lost,
    callers: timed.callers.map((caller) => ({ name: caller.name, share: share(caller.share) })),
  };
}

function threadWaitsJson(waits: ThreadWaits): object {
  const { thread, totals } = waits;
  return {
    tid: thread.tid,
    nsTid: thread.nsTid,
    name: thread.name,
    role: waits.role,
    samples: waits.samples,
    accounting: totals === undefined ? undefined : accountingJson(totals),
    whole: statesJson(waits.whole, share),
    buckets: waits.rows.map(rowJson),
    holders: waits.holders.map(holderJson),
    timed: waits.timed === undefined ? undefined : timedJson(waits.timed),
    moreHolders:
      waits.moreHolders.count === 0
        ? undefined
        : { count: waits.moreHolders.count, part: share(waits.moreHolders.part) },
    places: waits.places.map(placeJson),
    morePlaces:
      waits.morePlaces.count === 0
        ? undefined
        : { count: waits.morePlaces.count, share: share(waits.morePlaces.share) },
  };
}

/** `kind: "waits"`. */
export function waitsJson(waits: Waits): string {
  return objectText('waits', {
    source: waits.source,
    window: waits.window,
    recording: waits.run?.folder,
    lost: waits.lost,
    findings: waits.findings,
    threads: waits.threads.map(threadWaitsJson),
  });
}
