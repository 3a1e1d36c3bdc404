import type { CategoryFigures } from './api.js';
import {
  CLOCK_BACK,
  COUNT,
  COVERED,
  FIRST,
  FIRST_SUM,
  ILL_PAIRED,
  MAX,
  MIN,
  OPEN,
  OWN,
  REFUSED,
  SUM,
  THREADS,
  UNKNOWN,
  UNKNOWN_TIME,
  UNTOUCHED,
} from './category.js';
import { BUCKETS, linearPercentile, quantileOf } from './durations.js';
import type { Reading } from './reading.js';

/** One category of one or several threads. */
export function figuresOf(name: string, readings: readonly Reading[]): CategoryFigures {
  const sum = (slot: number): number => readings.reduce((total, { header }) => total + header[slot]!, 0);
  const called = readings.filter(({ header }) => header[COUNT]! > 0);
  const largest = (slot: number): number => Math.max(0, ...called.map(({ header }) => header[slot]!));
  const calls = sum(COUNT);
  const threads = sum(THREADS);
  const minMs = called.length === 0 ? 0 : Math.min(...called.map(({ header }) => header[MIN]!));
  const maxMs = largest(MAX);
  const histogram = new Float64Array(BUCKETS);
  for (const reading of readings)
    for (let bucket = 0; bucket < BUCKETS; bucket++) histogram[bucket]! += reading.histogram[bucket]!;
  const quantile = (q: number): number => (calls === 0 ? 0 : quantileOf(histogram, q, minMs, maxMs));
  const kept = keptOf(readings);
  return {
    name,
    threads,
    calls,
    sumMs: sum(SUM),
    totalMs: sum(COVERED),
    ownMs: sum(OWN),
    ownUnknownCalls: sum(UNKNOWN),
    ownUnknownMs: sum(UNKNOWN_TIME),
    meanMs: calls === 0 ? 0 : sum(SUM) / calls,
    minMs,
    maxMs,
    firstMs: largest(FIRST),
    meanOfOthersMs: calls > threads ? Math.max(0, sum(SUM) - sum(FIRST_SUM)) / (calls - threads) : 0,
    p50Ms: quantile(0.5),
    p90Ms: quantile(0.9),
    p99Ms: quantile(0.99),
    p999Ms: quantile(0.999),
    kept: kept.length,
    keptP99Ms: linearPercentile(kept, 0.99),
    open: sum(OPEN),
    illPaired: sum(ILL_PAIRED),
    clockBack: sum(CLOCK_BACK),
    untouchedPromises: sum(UNTOUCHED),
    refused: sum(REFUSED),
    torn: readings.filter(({ isTorn }) => isTorn).length,
  };
}

function keptOf(readings: readonly Reading[]): Float64Array {
  const kept = new Float64Array(readings.reduce((total, { samples }) => total + samples.length, 0));
  let at = 0;
  for (const { samples } of readings) {
    kept.set(samples, at);
    at += samples.length;
  }
  return kept;
}

/** By name, in the order in which the names are first met. */
export function byCategory(readings: readonly Reading[]): readonly CategoryFigures[] {
  const names = new Map<string, Reading[]>();
  for (const reading of readings) {
    const same = names.get(reading.name);
    if (same === undefined) names.set(reading.name, [reading]);
    else same.push(reading);
  }
  return [...names].map(([name, same]) => figuresOf(name, same));
}
