import type { Finding } from '../model/index.js';
import { countText, shareText, timeText } from './amount-text.js';
import { NO_TIMES, shortKernelsText, stepRangeFinding, waitFinding } from './nsys-findings.js';
import { callName, isLaunch, isWait, rangeName, SHORT_KERNEL_US } from './nsys-names.js';
import type { CostRow, CostTable, TableKind } from './table.js';

/** One that is this many times the usual one was no ordinary call. */
const OUTLIER = 10;
const FEW_CALLS = 10;
/** A step whose kernels take this much longer than its range does not end within it. */
const LONGER = 1.2;
/** From this part of short kernels on, it is launching that takes the time. */
const MANY = 0.5;

/** What the reports of one `nsys stats` say together, and what they cannot say. */
export function statsFindings(tables: readonly CostTable[]): readonly Finding[] {
  if (tables.length === 0) return [];
  const rowsOf = (kind: TableKind): readonly CostRow[] =>
    tables.flatMap((table) => (table.kind === kind ? table.rows : []));
  const kernels = rowsOf('nsys-kernels');
  const calls = rowsOf('nsys-cuda-api');
  const ranges = rowsOf('nsys-nvtx');
  return [
    stepRange(ranges, kernels),
    waits(calls),
    launches(calls, kernels),
    outlier(kernels),
    tables.some(({ kind }) => kind === 'nsys-osrt') ? ALL_THREADS : undefined,
    NO_TIMES,
  ].filter((finding) => finding !== undefined);
}

const ALL_THREADS: Finding = {
  level: 'note',
  id: 'os-calls-of-all-threads',
  what: 'Calls of the operating system are summed over all threads, most of which only wait.',
  why: 'The largest rows (poll, futex, nanosleep) are threads that have nothing to do, and say nothing of the step.',
};

function stepRange(ranges: readonly CostRow[], kernels: readonly CostRow[]): Finding | undefined {
  const steps = ranges.find(({ name }) => rangeName(name) === 'step');
  const { calls = 0, meanUs } = steps ?? {};
  if (meanUs === undefined || calls < FEW_CALLS) return undefined;
  // Medians, and whole calls for each step: the warm-up is in the sums, with calls that are far longer.
  const deviceUs = sum(
    kernels,
    (row) => Math.round((row.calls ?? 0) / calls) * (row.p50Us ?? row.meanUs ?? 0),
  );
  return deviceUs > LONGER * meanUs
    ? stepRangeFinding({ count: calls, hostUs: meanUs, deviceUs })
    : undefined;
}

function waits(calls: readonly CostRow[]): Finding | undefined {
  const waiting = calls.filter(({ name }) => isWait(callName(name)));
  const us = sum(waiting, ({ totalUs }) => totalUs);
  if (!(us > 0)) return undefined;
  return waitFinding(
    us,
    sum(waiting, (row) => row.calls),
    waiting.map(({ name }) => callName(name)),
  );
}

/** Without times there are no gaps; what one launch takes the host is known, and what one kernel takes the GPU. */
function launches(calls: readonly CostRow[], kernels: readonly CostRow[]): Finding | undefined {
  const count = sum(kernels, (row) => row.calls);
  const short = sum(kernels, (row) => ((row.meanUs ?? Infinity) < SHORT_KERNEL_US ? row.calls : 0));
  const launching = calls.filter(({ name }) => isLaunch(callName(name)));
  const times = sum(launching, (row) => row.calls);
  if (count < FEW_CALLS || times < FEW_CALLS) return undefined;
  const hostUs = sum(launching, ({ totalUs }) => totalUs) / times;
  const deviceUs = sum(kernels, ({ totalUs }) => totalUs) / times;
  const numbers = `A launch takes the host ${timeText(hostUs)}, and what it starts takes the GPU ${timeText(deviceUs)} (${countText(times)} launches); ${shortKernelsText(short / count, SHORT_KERNEL_US)}.`;
  if (hostUs < deviceUs || short / count < MANY) return undefined;
  return {
    level: 'warning',
    id: 'launches-cost-more-than-kernels',
    what: numbers,
    why: 'The host cannot hand over work as fast as the GPU does it, so the GPU has to wait for the next launch.',
    fix: 'Capture the step as one CUDA graph, or simulate more worlds in each step.',
  };
}

function outlier(kernels: readonly CostRow[]): Finding | undefined {
  const found = kernels
    .filter(
      ({ calls = 0, p50Us, maxUs }) => calls >= FEW_CALLS && (maxUs ?? 0) > OUTLIER * (p50Us ?? Infinity),
    )
    .toSorted((a, b) => (b.maxUs ?? 0) - (a.maxUs ?? 0));
  const [worst] = found;
  if (worst?.maxUs === undefined || worst.p50Us === undefined || worst.totalUs === undefined)
    return undefined;
  return {
    level: 'note',
    id: 'slowest-call-stands-out',
    what: `The slowest call of ${worst.name} took ${timeText(worst.maxUs)}, the median is ${timeText(worst.p50Us)}: ${shareText(worst.maxUs / worst.totalUs)} of its total is this one call.`,
    why: 'Mostly it is the first one, which is warm-up and no part of a step; the mean holds it, the median does not.',
  };
}

function sum(rows: readonly CostRow[], value: (row: CostRow) => number | undefined): number {
  return rows.reduce((total, row) => total + (value(row) ?? 0), 0);
}
