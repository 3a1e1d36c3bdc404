import {
  type Finding,
  type Frame,
  type Profile,
  SAMPLE_STATES,
  type WeightUnit,
  frameText,
} from '../model/index.js';
import type { BucketShare, Interval, ObserverEffect, Totals } from '../stats/index.js';
import type {
  Breakdown,
  BucketAnswer,
  Hot,
  HotRow,
  RealTime,
  ThreadAnswer,
  Tree,
  TreeNode,
} from './answer.js';
import { functionText, threadName } from './names.js';
import { safeJson } from './terminal-text.js';

export const JSON_SCHEMA = 'sim-profiler/v1';

/** Six decimals: below any interval that is printed, and the same text on every machine. */
export function share(value: number): number;
export function share(value: number | undefined): number | undefined;
export function share(value: number | undefined): number | undefined {
  // A ceiling without bound has no number in JSON; unknown is left out.
  if (value === undefined || !Number.isFinite(value)) return undefined;
  return Math.round(value * 1e6) / 1e6;
}

/** What the kernel says of one thread. */
export function accountingJson(totals: Totals): object {
  return {
    onCpu: share(totals.onCpu),
    cpuWait: share(totals.cpuWait),
    blocked: share(totals.blocked),
    gilWait: share(totals.gilWait),
    sleep: share(totals.sleep),
    otherBlocked: share(totals.otherBlocked),
    stolenAtMost: share(totals.stolenAtMost),
  };
}

function effectJson(effect: ObserverEffect): object {
  const { change, low, high, measure } = effect;
  return { change: share(change), low: share(low), high: share(high), measure };
}

/** Simulated seconds per second. */
export function realTimeJson({ factor, low, high, measured, wallS, timestepS, resets }: RealTime): object {
  return {
    factor: share(factor),
    low: share(low),
    high: share(high),
    measured,
    wallS: share(wallS),
    timestepS,
    resets,
  };
}

/** Samples, or nanoseconds where the source counts time. */
function amountJson(weight: number, unit: WeightUnit): object {
  return unit === 'samples' ? { samples: weight } : { nanoseconds: weight };
}

function shareJson(row: BucketShare, unit: WeightUnit): object {
  const sampled = unit === 'samples';
  return {
    share: share(row.share),
    low: sampled ? share(row.low) : undefined,
    high: sampled ? share(row.high) : undefined,
    exact: row.exact ? true : undefined,
    ...amountJson(row.samples, unit),
    rawShare: share(row.rawShare),
    ofWork: share(row.ofWork),
    ceiling: share(row.ceiling),
  };
}

function bucketJson(bucket: BucketAnswer, unit: WeightUnit): object {
  const split = bucket.parts.some((part) => part.kind !== undefined || part.label !== undefined);
  return {
    id: bucket.bucket,
    ...shareJson(bucket, unit),
    parts: split
      ? bucket.parts.map((part) => ({ kind: part.kind, label: part.label, ...shareJson(part, unit) }))
      : undefined,
    remedies: bucket.remedies.length === 0 ? undefined : bucket.remedies,
  };
}

/** What every answer says of a thread. */
export function threadFacts(thread: ThreadAnswer, unit: WeightUnit): object {
  const { estimate, totals } = thread;
  return {
    tid: thread.thread.tid,
    nsTid: thread.thread.nsTid,
    name: thread.thread.name,
    pid: thread.thread.pid,
    role: thread.role,
    ...amountJson(estimate.samples, unit),
    lost: estimate.lost,
    includesWaiting: estimate.mode !== 'net' && estimate.states === undefined,
    accounting: totals === undefined ? undefined : accountingJson(totals),
  };
}

/** `kind: "breakdown"`: the answer of `attach` and `buckets`. */
export function breakdownJson(answer: Breakdown): string {
  return objectText('breakdown', {
    source: answer.source,
    window: answer.window,
    recording: answer.run?.folder,
    observerEffect: answer.effect === undefined ? undefined : effectJson(answer.effect),
    realTime: answer.realTime === undefined ? undefined : realTimeJson(answer.realTime),
    lost: answer.lost,
    findings: answer.findings,
    threads: answer.threads.map((thread) => ({
      ...threadFacts(thread, answer.unit),
      buckets: thread.buckets.map((bucket) => bucketJson(bucket, answer.unit)),
      phases: thread.phases,
      unclassified:
        thread.unclassified.length === 0
          ? undefined
          : thread.unclassified.map((place) => ({
              frame: frameText(place.frame),
              ...amountJson(place.samples, answer.unit),
              share: share(place.share),
            })),
    })),
  });
}

/** A function of Python, without its line; nothing where it is not known. */
export function functionJson(frame: Frame | undefined): object {
  return frame === undefined ? {} : { function: frame.name, file: frame.file };
}

/** A share with its 95 % interval. */
export function intervalJson(found: Interval): object {
  return { share: share(found.share), low: share(found.low), high: share(found.high) };
}

function hotRowJson(row: HotRow): object {
  const { stack, thread } = row;
  return {
    stack: stack?.map(frameText),
    name: row.name,
    file: row.file,
    line: row.line,
    module: row.module,
    corrupt: row.corrupt,
    thread: thread === undefined ? undefined : threadName(thread),
    tid: thread?.tid,
    bucket: row.bucket,
    kind: row.kind,
    label: row.label,
    weight: row.weight,
    self: row.self,
    waiting: row.waiting,
    total: row.total,
    totalWaiting: row.totalWaiting,
    share: share(row.share),
    low: share(row.low),
    high: share(row.high),
    totalShare: share(row.totalShare),
    lines: row.lines,
  };
}

/** `kind: "hot"`. */
export function hotJson(hot: Hot): string {
  return objectText('hot', {
    source: hot.source,
    by: hot.by,
    window: hot.window,
    total: hot.total,
    lost: hot.lost,
    rows: hot.rows.map(hotRowJson),
    more: hot.more,
    findings: hot.findings,
  });
}

function treeNodeJson({ frames, recursive, children, more, ...node }: TreeNode): object {
  return {
    frames: frames.map(functionText),
    recursive,
    self: node.self,
    total: node.total,
    share: share(node.share),
    totalShare: share(node.totalShare),
    more: more === undefined ? undefined : { ...more, share: share(more.share) },
    children: children.length === 0 ? undefined : children.map(treeNodeJson),
  };
}

/** `kind: "tree"`. */
export function treeJson(tree: Tree): string {
  return objectText('tree', {
    source: tree.source,
    window: tree.window,
    total: tree.total,
    lost: tree.lost,
    min: tree.min,
    threads: tree.threads.map(({ thread, root }) => ({
      thread: thread === undefined ? undefined : threadName(thread),
      tid: thread?.tid,
      ...treeNodeJson(root),
      frames: undefined,
    })),
    hidden: tree.hidden,
    findings: tree.findings,
  });
}

/** `kind: "error"`: what could not be done, for scripts; the sentence for people goes to standard error. */
export function errorJson(finding: Finding): string {
  return objectText('error', { findings: [finding] });
}

/** `kind: "profile"`: the whole profile as data (`export --to json`), in pieces, so that a large one needs no second copy in memory. */
export function* profileJson(profile: Profile): Generator<string> {
  const { stacks, samples } = profile;
  yield `{"schema":"${JSON_SCHEMA}","kind":"profile","origin":${safeJson(profile.origin, 0)},"unit":"${profile.unit}"`;
  if (samples.state !== undefined) yield `,"states":${safeJson(SAMPLE_STATES, 0)}`;
  yield `,"lost":${safeJson(profile.lost, 0)},"threads":${safeJson(profile.threads, 0)},"frames":[`;
  yield* pieces(profile.frames.length, (index) => safeJson(profile.frames[index], 0));
  yield '],"stacks":[';
  const { verified } = stacks;
  yield* pieces(stacks.length, (index) => {
    const seen = verified === undefined ? '' : `,${verified[index] ?? 0}`;
    return `[${stacks.parent[index] ?? -1},${stacks.frame[index] ?? -1}${seen}]`;
  });
  yield '],"samples":[';
  yield* pieces(samples.length, (index) => {
    const time = samples.timeNs === undefined ? '' : `,${samples.timeNs[index] ?? 0}`;
    const { state, holder } = samples;
    // Its place tells what it is: a state without a time has none before it.
    const seen =
      state === undefined
        ? ''
        : `${time === '' ? ',null' : ''},${state[index] ?? 0},${holder?.[index] ?? -1}`;
    return `[${samples.stack[index] ?? -1},${samples.thread[index] ?? -1},${samples.weight[index] ?? 0}${time}${seen}]`;
  });
  yield ']}\n';
}

function* pieces(length: number, item: (index: number) => string): Generator<string> {
  const each = 2000;
  for (let start = 0; start < length; start += each) {
    const texts: string[] = [];
    for (let index = start; index < Math.min(length, start + each); index += 1) texts.push(item(index));
    yield `${start === 0 ? '\n' : ',\n'}${texts.join(',\n')}`;
  }
}

/** One object of the product's JSON: schema and kind first, unknown fields left out, a newline at the end. */
export function objectText(kind: string, fields: object): string {
  return `${safeJson({ schema: JSON_SCHEMA, kind, ...fields }, 2)}\n`;
}
