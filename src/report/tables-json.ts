import type { CostRow, CostTable } from '../simulator/index.js';
import { byCost } from './cost-order.js';
import { csvText } from './csv.js';
import { objectText, share } from './json.js';
import type { Tables } from './tables-text.js';

function rowJson({ share: part, ...row }: CostRow): object {
  return { ...row, share: share(part) };
}

/** One table, its rows by cost. Times are microseconds. */
export function tableJson(table: CostTable): object {
  // Thousands of moments, whose sums and worst are rows.
  const { late: _, ...told } = table;
  return { ...told, rows: byCost(table).map(rowJson) };
}

/** `kind: "tables"`. Times are microseconds. */
export function tablesJson({ source, tables, timestepS }: Tables): string {
  return objectText('tables', { source: { path: source }, timestepS, tables: tables.map(tableJson) });
}

const COLUMNS = [
  'kind',
  'row',
  'parts_of',
  'of',
  'role',
  'calls',
  'per_step_us',
  'total_us',
  'self_us',
  'mean_us',
  'min_us',
  'p50_us',
  'p99_us',
  'max_us',
  'share',
] as const;

/** All rows of all tables; unknown is empty. */
export function tablesCsv({ tables }: Tables): string {
  const rows = tables.flatMap((table) =>
    byCost(table).map((row) => [
      table.kind,
      row.name,
      row.path.join(' > '),
      row.of,
      row.role,
      row.calls,
      row.perStepUs,
      row.totalUs,
      row.selfUs,
      row.meanUs,
      row.minUs,
      row.p50Us,
      row.p99Us,
      row.maxUs,
      share(row.share),
    ]),
  );
  return csvText([COLUMNS, ...rows]);
}
