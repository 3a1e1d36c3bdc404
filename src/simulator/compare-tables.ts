import { type Finding, ProfilerError } from '../model/index.js';
import { type IntrinsicSpeed, intrinsicSpeed } from './intrinsic-speed.js';
import type { CostRow, CostTable } from './table.js';

/** What two figures of a row are of: a simulation step, a call, or all of the run. */
export type Measure = 'step' | 'call' | 'run';

/** A row before and after. Without `beforeUs` it is new, without `afterUs` gone. Microseconds. */
export interface RowChange {
  readonly name: string;
  readonly path: readonly string[];
  readonly of?: string;
  readonly per: Measure;
  readonly beforeUs?: number;
  readonly afterUs?: number;
  /** What is more now; of a new row all of it. */
  readonly changeUs: number;
}

/** Two tables of one kind, the rows that changed most per step first. */
export interface TableChange<Table extends CostTable = CostTable> {
  readonly before: Table;
  readonly after: Table;
  readonly rows: readonly RowChange[];
  /** Rows that have no time on a side, or times of different things: their names. */
  readonly incomparable: readonly string[];
  readonly whole?: { readonly per: Measure; readonly beforeUs: number; readonly afterUs: number };
  readonly intrinsic?: IntrinsicSpeed;
  readonly findings: readonly Finding[];
}

export interface TableChanges<Table extends CostTable = CostTable> {
  readonly changes: readonly TableChange<Table>[];
  /** Tables of one side that the other has no like of. */
  readonly onlyBefore: readonly Table[];
  readonly onlyAfter: readonly Table[];
}

/**
 * Holds tables against older ones: those of one kind and title in turn, rows by their path, name and what they are of. Throws `ProfilerError`:
 * `different-kinds` where no two are alike, `different-timestep`.
 */
export function compareTables<Table extends CostTable>(
  before: readonly Table[],
  after: readonly Table[],
): TableChanges<Table> {
  const { pairs, onlyA: onlyBefore, onlyB: onlyAfter } = paired(before, after, titleKey);
  if (pairs.length === 0) throw differentKinds(before, after);
  return { changes: pairs.map(([old, now]) => changeOf(old, now)), onlyBefore, onlyAfter };
}

/** A title without what may differ between two runs of one thing: releases and settings of MuJoCo, names of GPUs. Others are of what they name. */
function titleKey({ kind, title }: CostTable): string {
  if (!/^(?:mujoco|nsys)-/.test(kind)) return `${kind} ${title}`;
  return `${kind} ${title
    .replaceAll(/\s*\([^)]*\)/g, '')
    .replaceAll(/\s*\d[\d.]*/g, '')
    .trim()}`;
}

function rowKey({ path, name, of }: CostRow): string {
  return JSON.stringify([path, name, of]);
}

/** The first of a key with the first of that key on the other side, the second with the second. */
function paired<Item>(
  a: readonly Item[],
  b: readonly Item[],
  keyOf: (item: Item) => string,
): {
  readonly pairs: readonly (readonly [Item, Item])[];
  readonly onlyA: readonly Item[];
  readonly onlyB: readonly Item[];
} {
  const waiting = new Map<string, Item[]>();
  for (const item of b) waiting.set(keyOf(item), [...(waiting.get(keyOf(item)) ?? []), item]);
  const pairs: (readonly [Item, Item])[] = [];
  const onlyA: Item[] = [];
  for (const item of a) {
    const other = waiting.get(keyOf(item))?.shift();
    if (other === undefined) onlyA.push(item);
    else pairs.push([item, other]);
  }
  const met = new Set(pairs.map(([, other]) => other));
  return { pairs, onlyA, onlyB: b.filter((item) => !met.has(item)) };
}

function changeOf<Table extends CostTable>(before: Table, after: Table): TableChange<Table> {
  mustStepAlike(before, after);
  const { pairs, onlyA, onlyB } = paired<CostRow>(before.rows, after.rows, rowKey);
  const incomparable: string[] = [];
  const changes: RowChange[] = [];
  for (const [old, now] of pairs) {
    const change = rowChange(old, now);
    if (change === undefined) incomparable.push(now.name);
    else changes.push(change);
  }
  for (const [row, sign] of [
    ...onlyA.map((one) => [one, -1] as const),
    ...onlyB.map((one) => [one, 1] as const),
  ]) {
    const change = loneRow(row, sign);
    if (change === undefined) incomparable.push(row.name);
    else changes.push(change);
  }
  const whole = wholes(before, after);
  const intrinsic = intrinsicSpeed(before, after);
  return {
    before,
    after,
    rows: changes.toSorted(
      (a, b) => ORDER[a.per] - ORDER[b.per] || Math.abs(b.changeUs) - Math.abs(a.changeUs),
    ),
    incomparable,
    ...(whole === undefined ? {} : { whole }),
    ...(intrinsic === undefined ? {} : { intrinsic }),
    findings: [
      ...(before.kind === 'roqsim-hooks' ? [NO_INTRINSIC] : []),
      ...(before.kind === 'raccoon-trace' || before.kind === 'raccoon-report' ? [PER_RUN] : []),
    ],
  };
}

const ORDER: Readonly<Record<Measure, number>> = { step: 0, call: 1, run: 2 };

const FIELD = { step: 'perStepUs', call: 'meanUs', run: 'totalUs' } as const;

/** The finest first: totals of runs that are not as long say little. Only of what is done once the total is what it costs. */
function measures({ role }: CostRow): readonly Measure[] {
  return role === 'once' ? ['run', 'call'] : ['step', 'call', 'run'];
}

function rowChange(before: CostRow, after: CostRow): RowChange | undefined {
  for (const per of measures(after)) {
    const [beforeUs, afterUs] = [before[FIELD[per]], after[FIELD[per]]];
    if (beforeUs !== undefined && afterUs !== undefined)
      return { ...nameOf(after), per, beforeUs, afterUs, changeUs: afterUs - beforeUs };
  }
  return undefined;
}

function loneRow(row: CostRow, sign: 1 | -1): RowChange | undefined {
  for (const per of measures(row)) {
    const us = row[FIELD[per]];
    if (us === undefined) continue;
    return { ...nameOf(row), per, ...(sign > 0 ? { afterUs: us } : { beforeUs: us }), changeUs: sign * us };
  }
  return undefined;
}

function nameOf({ name, path, of }: CostRow): Pick<RowChange, 'name' | 'path' | 'of'> {
  return { name, path, ...(of === undefined ? {} : { of }) };
}

function wholes(before: CostTable, after: CostTable): TableChange['whole'] {
  const per = wholeOf(after);
  if (before.wholeUs === undefined || after.wholeUs === undefined || wholeOf(before) !== per)
    return undefined;
  return { per, beforeUs: before.wholeUs, afterUs: after.wholeUs };
}

function wholeOf({ rows }: CostTable): Measure {
  return rows.some(({ totalUs }) => totalUs !== undefined) ? 'run' : 'step';
}

/** Where a source does not say it: from two figures that it rounds, if those are fine enough. */
function timestepOf({ timestepS, realTimeFactor, stepsPerS }: CostTable): number | undefined {
  if (timestepS !== undefined) return timestepS;
  if (realTimeFactor === undefined || stepsPerS === undefined) return undefined;
  return realTimeFactor >= FINE_FACTOR && stepsPerS >= FINE_RATE ? realTimeFactor / stepsPerS : undefined;
}

/** A factor is printed to the hundredth, a rate to the whole: from here on either is known to one percent. */
const FINE_FACTOR = 0.5;
const FINE_RATE = 50;
const ALIKE = 0.025;

function mustStepAlike(before: CostTable, after: CostTable): void {
  const [old, now] = [timestepOf(before), timestepOf(after)];
  if (old === undefined || now === undefined || Math.abs(now / old - 1) <= ALIKE) return;
  throw new ProfilerError({
    id: 'different-timestep',
    what: `The timestep differs: ${seconds(old)} against ${seconds(now)} s (${after.title}).`,
    why: 'A step simulates another stretch of time, so what it costs is not to be compared.',
    fix: 'profiler tables FILE --timestep S, for each of them by itself',
  });
}

function seconds(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function kinds(tables: readonly CostTable[]): string {
  return [...new Set(tables.map(titleKey))].join(', ');
}

function differentKinds(before: readonly CostTable[], after: readonly CostTable[]): ProfilerError {
  return new ProfilerError({
    id: 'different-kinds',
    what: `No two tables are of one kind: ${kinds(after)} against ${kinds(before)}.`,
    why: 'Only what one instrument says of two runs can be compared.',
    fix: 'profiler tables FILE, for each of them by itself',
  });
}

const NO_INTRINSIC: Finding = {
  level: 'note',
  id: 'no-intrinsic-in-hooks',
  what: 'What physics costs, and the intrinsic real-time factor, are in neither table: they hold no wall time and no number of steps.',
  why: 'Two runs of different length tell them: what more is simulated over what more is waited, start-up cancels.',
  fix: 'profiler rtf --runs SIM:WALL,SIM:WALL',
};

const PER_RUN: Finding = {
  level: 'note',
  id: 'totals-of-runs',
  what: 'Rows without calls are totals of the run.',
  why: 'They compare only where both runs did the same missions.',
};
