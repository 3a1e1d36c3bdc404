import type { RowChange, TableChange } from '../simulator/index.js';
import { csvText } from './csv.js';
import { objectText, share } from './json.js';
import type { ComparedTables } from './table-changes-text.js';
import type { SourcedTable } from './tables-text.js';

/** `kind: "tables-comparison"`. Times are microseconds. */
export function tableChangesJson({ source, against, compared }: ComparedTables): string {
  const { changes, onlyBefore, onlyAfter } = compared;
  return objectText('tables-comparison', {
    source: { path: source },
    against: { path: against },
    tables: changes.map((change) => changeJson(change)),
    onlyBefore: onlyBefore.map(sideJson),
    onlyNow: onlyAfter.map(sideJson),
  });
}

function changeJson({ before, after, rows, ...said }: TableChange<SourcedTable>): object {
  return {
    kind: after.kind,
    before: sideJson(before),
    now: sideJson(after),
    ...said,
    rows: rows.map((row) => ({ ...row, change: ratioOf(row) })),
  };
}

function sideJson(table: SourcedTable): object {
  return { ...table, rows: undefined };
}

function ratioOf({ beforeUs, afterUs }: RowChange): number | undefined {
  return beforeUs === undefined || afterUs === undefined || beforeUs <= 0
    ? undefined
    : share(afterUs / beforeUs - 1);
}

const COLUMNS = [
  'kind',
  'row',
  'parts_of',
  'of',
  'per',
  'before_us',
  'now_us',
  'change_us',
  'change',
] as const;

/** All rows of all pairs of tables; unknown is empty. */
export function tableChangesCsv({ compared }: ComparedTables): string {
  const rows = compared.changes.flatMap(({ after, rows: changes }) =>
    changes.map((row) => [
      after.kind,
      row.name,
      row.path.join(' > '),
      row.of,
      row.per,
      row.beforeUs,
      row.afterUs,
      row.changeUs,
      ratioOf(row),
    ]),
  );
  return csvText([COLUMNS, ...rows]);
}
