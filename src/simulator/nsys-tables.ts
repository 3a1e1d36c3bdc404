import { type NsysAnswer, nsysAnswer } from './nsys-answer.js';
import type { NsysEvent, NsysEvents } from './nsys-events.js';
import { nsysRow } from './nsys-meaning.js';
import { rangeName } from './nsys-names.js';
import { type SteadyWindow, steadyWindow } from './nsys-window.js';
import { readNsysEvents } from './nsys-sqlite.js';
import { median, quantile } from './quantile.js';
import type { CostRow, CostTable, TableKind } from './table.js';

/** A database has no lines. */
const NO_LINES = { from: 1, to: 1 } as const;

/**
 * Tables of the SQLite export of nsys, as `nsys stats` would print them of the whole capture, with the time per step of the loop. Throws
 * `ProfilerError`: `nsys-damaged`, `nsys-no-export`.
 */
export async function readNsysSqlite(bytes: Uint8Array): Promise<readonly CostTable[]> {
  return nsysTables(await readNsysEvents(bytes));
}

/** Each kind of event by its names; what they say together stands with the first table. */
export function nsysTables(events: NsysEvents): readonly CostTable[] {
  const answer = nsysAnswer(events);
  const window = steadyWindow(events);
  const kernels = events.device.filter(({ kind }) => kind === 'kernel' || kind === 'graph');
  const moved = events.device.filter(({ kind }) => kind === 'copy' || kind === 'set');
  const on = events.gpus.length === 1 ? ` (${events.gpus[0]})` : '';
  const step = { window, steps: answer?.steps };
  const tables = [
    table('nsys-kernels', `nsys: kernels on the GPU${on}`, kernels, step),
    table('nsys-memory', 'nsys: memory operations on the GPU', moved, step),
    table('nsys-cuda-api', 'nsys: calls of CUDA on the host', events.calls, step),
    rangeTable(events, answer),
    table('nsys-osrt', 'nsys: calls of the operating system', events.os, {}),
  ].filter((one) => one.rows.length > 0);
  return tables.map((one, at) => (at === 0 ? { ...one, findings: answer?.findings ?? [] } : one));
}

interface Steps {
  readonly window?: SteadyWindow | undefined;
  readonly steps?: number | undefined;
}

function table(kind: TableKind, title: string, events: readonly NsysEvent[], per: Steps): CostTable {
  const rows = rowsOf(kind, events, per);
  const wholeUs = rows.reduce((sum, { totalUs = 0 }) => sum + totalUs, 0);
  return {
    kind,
    title,
    lines: NO_LINES,
    rows: wholeUs > 0 ? rows.map((row) => ({ ...row, share: (row.totalUs ?? 0) / wholeUs })) : rows,
    ...(per.steps === undefined ? {} : { steps: per.steps }),
    ...(wholeUs > 0 ? { wholeUs } : {}),
    findings: [],
  };
}

/** Ranges lie within each other: their sum is no whole. */
function rangeTable({ ranges }: NsysEvents, answer: NsysAnswer | undefined): CostTable {
  const styles = new Map(ranges.map(({ name, style }) => [name, style]));
  const rows = rowsOf('nsys-nvtx', ranges, {}).map((row) => {
    const style = styles.get(row.name);
    return style === undefined ? row : { ...row, of: style };
  });
  const timed = rows.find(({ name, calls }) => rangeName(name) === 'timed_run' && calls === 1)?.totalUs;
  const steps = answer?.steps;
  const isTimed =
    timed !== undefined && timed > 0 && steps !== undefined && answer?.window.by === 'timed_run';
  return {
    kind: 'nsys-nvtx',
    title: 'nsys: NVTX ranges',
    lines: NO_LINES,
    rows,
    ...(steps === undefined ? {} : { steps }),
    // The window is longer than the range where the GPU was not yet done at its end.
    ...(isTimed ? { stepsPerS: steps / (answer.window.us / 1e6) } : {}),
    findings: [],
  };
}

function rowsOf(kind: TableKind, events: readonly NsysEvent[], { window, steps }: Steps): readonly CostRow[] {
  const byName = new Map<string, NsysEvent[]>();
  for (const event of events) {
    const own = byName.get(event.name);
    if (own === undefined) byName.set(event.name, [event]);
    else own.push(event);
  }
  const rows = [...byName].map(([name, own]) => {
    const times = own.map(({ startNs, endNs }) => endNs - startNs).toSorted((a, b) => a - b);
    const totalUs = sumOf(own);
    const inLoop =
      window === undefined
        ? []
        : own.filter(({ startNs }) => startNs >= window.startNs && startNs < window.endNs);
    return nsysRow(kind, {
      name,
      calls: own.length,
      totalUs,
      meanUs: totalUs / own.length,
      ...given({
        minUs: micro(times[0]),
        maxUs: micro(times.at(-1)),
        p50Us: micro(median(times)),
        p99Us: micro(quantile(times, 0.99)),
        totalBytes: bytesOf(own),
        perStepUs: steps === undefined || inLoop.length === 0 ? undefined : sumOf(inLoop) / steps,
      }),
    });
  });
  return rows.toSorted((a, b) => (b.totalUs ?? 0) - (a.totalUs ?? 0));
}

function micro(ns: number | undefined): number | undefined {
  return ns === undefined ? undefined : ns / 1000;
}

function sumOf(events: readonly NsysEvent[]): number {
  return events.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0) / 1000;
}

function bytesOf(events: readonly (NsysEvent & { readonly bytes?: number })[]): number | undefined {
  const known = events.flatMap(({ bytes }) => (bytes === undefined ? [] : [bytes]));
  return known.length === events.length ? known.reduce((sum, bytes) => sum + bytes, 0) : undefined;
}

function given(values: Readonly<Record<string, number | undefined>>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])),
  );
}
