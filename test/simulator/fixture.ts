import { readFileSync } from 'node:fs';
import { readTables } from '../../src/simulator/index.js';
import type { CostRow, CostTable } from '../../src/simulator/index.js';

const FIXTURES = new URL('../fixtures/simulator/', import.meta.url);

export function fixtureText(name: string): string {
  return readFileSync(new URL(name, FIXTURES), 'utf8');
}

/** The tables of a real output, of one kind. */
export function tablesOf(name: string, kind: CostTable['kind']): readonly CostTable[] {
  return readTables(fixtureText(name)).filter((table) => table.kind === kind);
}

/** Path and name of each row: its tree, as text. */
export function treeOf(table: CostTable | undefined): readonly string[] {
  return (table?.rows ?? []).map(({ path, name }) => [...path, name].join(' > '));
}

export function rowOf(table: CostTable | undefined, name: string): CostRow | undefined {
  return table?.rows.find((row) => row.name === name);
}

export function findingIds(table: CostTable | undefined): readonly string[] {
  return (table?.findings ?? []).map(({ id }) => id);
}
