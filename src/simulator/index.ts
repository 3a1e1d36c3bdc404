export type { CostRow, CostTable, RowRole, TableKind } from './table.js';
export { readTables } from './read-tables.js';
