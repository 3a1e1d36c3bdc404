import { BUCKETS, RESTING } from '../model/index.js';
import type { Bucket } from '../model/index.js';
import type { SampleCount } from '../rules/index.js';
import { FLOOR, countingHalfWidth, interval } from './interval.js';
import type { Interval } from './interval.js';
import { leafCounts } from './leaf-counts.js';
import { poolShare } from './pool-share.js';
import type { PooledThread } from './pools.js';
import type { BucketShare } from './thread-estimate.js';

/** Sub-kinds of `unclassified` that no rule decides. */
export const LOST = 'lost';
export const NOT_SAMPLED = 'not-sampled';

const KERNEL_WAITS: ReadonlySet<Bucket> = new Set(['gil-wait', 'cpu-wait']);

type Row = Omit<BucketShare, 'ofWork' | 'ceiling'>;

/** The rows of one thread: what was counted, what the kernel alone knows, what is missing. Largest first. */
export function bucketRows(counts: readonly SampleCount[], pooled: PooledThread): readonly BucketShare[] {
  const { pools } = pooled;
  const all = sum(counts) + pools.lost.samples;
  const raw = (samples: number): number => (all > 0 ? samples / all : 0);
  const kernelWaits = pools.mode === 'net';
  const rows: Row[] = grouped(counts)
    .filter(([first]) => !(kernelWaits && KERNEL_WAITS.has(first.bucket)))
    .map((group) => {
      const samples = sum(group);
      return {
        ...named(group[0]),
        ...poolShare(pools, leafCounts(group)),
        exact: false,
        samples,
        rawShare: raw(samples),
      };
    });
  const kernelRow = (bucket: Bucket, share: number | undefined): void => {
    if (share === undefined) return;
    const samples = sum(counts.filter((count) => count.bucket === bucket));
    rows.push({ bucket, share, low: share, high: share, exact: true, samples, rawShare: raw(samples) });
  };
  kernelRow('gil-wait', pooled.gilWait);
  kernelRow('cpu-wait', pooled.cpuWait);
  if (pools.lost.samples > 0) {
    const samples = pools.lost.samples;
    rows.push({
      bucket: 'unclassified',
      kind: LOST,
      ...lostInterval(pooled),
      exact: false,
      samples,
      rawShare: raw(samples),
    });
  }
  if (pooled.notSampled > 0) {
    const share = pooled.notSampled;
    rows.push({
      bucket: 'unclassified',
      kind: NOT_SAMPLED,
      share,
      low: share,
      high: share,
      exact: true,
      samples: 0,
      rawShare: 0,
    });
  }
  return rows.map((row) => withWorth(row, rows)).sort(byShare);
}

function lostInterval(pooled: PooledThread): Interval {
  const { lost, work } = pooled.pools;
  const atWork = work.share > 0 ? (lost.share / work.share) * work.samples : 0;
  return interval(lost.share, countingHalfWidth(atWork, work.samples, work.share) + FLOOR);
}

/** Counts of one bucket, sub-kind and label together, whatever their leaves: a pacer both sleeps and computes. */
function grouped(counts: readonly SampleCount[]): readonly (readonly [SampleCount, ...SampleCount[]])[] {
  const groups = new Map<string, [SampleCount, ...SampleCount[]]>();
  for (const count of counts) {
    if (count.samples === 0) continue;
    const key = JSON.stringify([count.bucket, count.kind, count.label]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [count]);
    else group.push(count);
  }
  return [...groups.values()];
}

function named(count: SampleCount): Pick<BucketShare, 'bucket' | 'kind' | 'label'> {
  return {
    bucket: count.bucket,
    ...(count.kind === undefined ? {} : { kind: count.kind }),
    ...(count.label === undefined ? {} : { label: count.label }),
  };
}

function sum(counts: readonly SampleCount[]): number {
  return counts.reduce((total, count) => total + count.samples, 0);
}

/** Part of the work, and what it would gain if it cost nothing. */
export function withWorth(row: Row, rows: readonly Row[]): BucketShare {
  if (RESTING.has(row.bucket)) return row;
  const shareOf = (wanted: (bucket: Bucket) => boolean): number =>
    rows.reduce((total, other) => total + (wanted(other.bucket) ? other.share : 0), 0);
  const work = shareOf((bucket) => !RESTING.has(bucket));
  const unpaced = 1 - shareOf((bucket) => bucket === 'pacer');
  const left = unpaced - row.share;
  // Time that nobody saw is no bucket that could be made free.
  const real = row.kind !== LOST && row.kind !== NOT_SAMPLED;
  return {
    ...row,
    ...(work > 0 ? { ofWork: row.share / work } : {}),
    ...(real && left > 1e-9 ? { ceiling: unpaced / left } : {}),
  };
}

/** Largest first, ties by bucket order, kind and label. */
export function byShare(a: BucketShare, b: BucketShare): number {
  return (
    b.share - a.share ||
    BUCKETS.indexOf(a.bucket) - BUCKETS.indexOf(b.bucket) ||
    compareText(a.kind, b.kind) ||
    compareText(a.label, b.label)
  );
}

/** By code unit, the same on every machine; a row without the text comes first. */
function compareText(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
