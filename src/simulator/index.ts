export type { CostRow, CostTable, RowRole, TableKind } from './table.js';
export { nsysAnswer } from './nsys-answer.js';
export type { NsysAnswer } from './nsys-answer.js';
export { nsysExport, nsysProfile, nsysStats, nsysYear, UNDER_NSYS } from './nsys-command.js';
export type { NsysProfilePlan, NsysProfileRequest } from './nsys-command.js';
export { readNsysEvents } from './nsys-sqlite.js';
export { nsysTables, readNsysSqlite } from './nsys-tables.js';
export { readTables } from './read-tables.js';
export { isSqlite } from './sqlite-file.js';
