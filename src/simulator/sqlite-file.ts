/** A SQLite file as bytes, read with sql.js: SQLite as WebAssembly, in memory, with no native code and no access to files. */
import type { Database, SqlValue } from 'sql.js';

const MAGIC = 'SQLite format 3\0';

export function isSqlite(bytes: Uint8Array): boolean {
  return new TextDecoder('latin1').decode(bytes.subarray(0, MAGIC.length)) === MAGIC;
}

/** Reads what is there: a table or column that a file does not have is none. */
export interface SqliteFile {
  readonly has: (table: string) => boolean;
  readonly hasColumn: (table: string, column: string) => boolean;
  /** Values of a table, by the names of `columns`; null where the table has no such column. */
  readonly rows: (table: string, columns: Readonly<Record<string, Column>>) => readonly Row[];
}

export interface Column {
  /** The first of them that the table has is taken. */
  readonly of: readonly string[];
  /** SQL around it, `?` stands for the column: what is done there is exact with integers of 64 bits, which numbers are not. */
  readonly sql?: string;
}

export type Row = Readonly<Record<string, SqlValue>>;

/** Opens, reads, closes. What SQLite says (`file is not a database`, `database disk image is malformed`) is thrown as `damaged` makes it. */
export async function readSqlite<Result>(
  bytes: Uint8Array,
  read: (file: SqliteFile) => Result,
  damaged: (reason: string) => Error,
): Promise<Result> {
  // Loaded where there is such a file: it is a megabyte.
  const { default: initSqlJs } = await import('sql.js');
  const { Database } = await initSqlJs();
  const database = new Database(bytes);
  try {
    return read(sqliteFile(database));
  } catch (error) {
    throw damaged(error instanceof Error ? error.message : String(error));
  } finally {
    database.close();
  }
}

function sqliteFile(database: Database): SqliteFile {
  const columnsOf = new Map<string, ReadonlySet<string>>();
  for (const row of select(database, `SELECT name FROM sqlite_master WHERE type IN ('table', 'view')`)) {
    const table = String(row['name']);
    const columns = select(database, `PRAGMA table_info(${quoted(table)})`);
    columnsOf.set(table.toLowerCase(), new Set(columns.map(({ name }) => String(name).toLowerCase())));
  }
  const hasColumn = (table: string, column: string): boolean =>
    columnsOf.get(table.toLowerCase())?.has(column.toLowerCase()) === true;
  return {
    has: (table) => columnsOf.has(table.toLowerCase()),
    hasColumn,
    rows: (table, columns) => {
      if (!columnsOf.has(table.toLowerCase())) return [];
      const values = Object.entries(columns).map(([name, { of, sql = '?' }]) => {
        const column = of.find((one) => hasColumn(table, one));
        return `${column === undefined ? 'NULL' : sql.replaceAll('?', quoted(column))} AS ${quoted(name)}`;
      });
      return select(database, `SELECT ${values.join(', ')} FROM ${quoted(table)}`);
    },
  };
}

function select(database: Database, sql: string): Row[] {
  const statement = database.prepare(sql);
  try {
    const rows: Row[] = [];
    while (statement.step()) rows.push(statement.getAsObject());
    return rows;
  } finally {
    statement.free();
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
