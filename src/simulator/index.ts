export type { CostRow, CostTable, RowRole, TableKind } from './table.js';
export type { MissionFile } from './raccoon-missions.js';
export { missionTables } from './raccoon-missions.js';
export { readTables } from './read-tables.js';
export { MUJOCO_TIMER_SNIPPET } from './mujoco-timer-snippet.js';
