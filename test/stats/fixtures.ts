import type { ThreadAccounting } from '../../src/model/index.js';
import type { SampleCount } from '../../src/rules/index.js';
import type { ThreadEstimate, Totals } from '../../src/stats/index.js';

/** Totals from percentages of wall time, as a row of a table. */
export function percents(parts: {
  readonly on: number;
  readonly rq: number;
  readonly gil?: number;
  readonly sleep?: number;
  readonly other?: number;
  readonly perS?: number;
  readonly stolen?: number;
}): Totals {
  const blocked = 100 - parts.on - parts.rq;
  return {
    wallS: 20,
    onCpu: parts.on / 100,
    cpuWait: parts.rq / 100,
    blocked: blocked / 100,
    ...(parts.gil === undefined ? {} : { gilWait: parts.gil / 100 }),
    ...(parts.sleep === undefined ? {} : { sleep: parts.sleep / 100 }),
    ...(parts.other === undefined ? {} : { otherBlocked: parts.other / 100 }),
    voluntaryPerS: parts.perS ?? 0,
    ...(parts.stolen === undefined
      ? {}
      : { stolenAtMost: parts.stolen / 100, stolenPart: parts.stolen / (parts.on + parts.stolen) }),
  };
}

export function accounting(part: Partial<ThreadAccounting>): ThreadAccounting {
  return {
    tid: 1,
    wallNs: 1e9,
    onCpuNs: 0,
    cpuWaitNs: 0,
    voluntarySwitches: 0,
    involuntarySwitches: 0,
    ...part,
  };
}

export function work(bucket: SampleCount['bucket'], samples: number): SampleCount {
  return { bucket, leaf: 'work', samples };
}

export function sleep(bucket: SampleCount['bucket'], samples: number): SampleCount {
  return { bucket, leaf: 'sleep', samples };
}

export function row(estimate: ThreadEstimate, name: string): ThreadEstimate['rows'][number] {
  const [bucket, kind] = name.split('/');
  const found = estimate.rows.find((r) => r.bucket === bucket && r.kind === kind);
  if (found === undefined)
    throw new Error(`no row ${name} among ${estimate.rows.map((r) => r.bucket).join(', ')}`);
  return found;
}

export function sumOf(estimate: ThreadEstimate): number {
  return estimate.rows.reduce((sum, r) => sum + r.share, 0);
}

export function ids(estimate: ThreadEstimate): string[] {
  return estimate.findings.map((finding) => finding.id);
}

/** Uniform numbers in [0, 1) from a seed (mulberry32). */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
