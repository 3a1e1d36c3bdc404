/**
 * What programs that collect logs put before each line, any of them behind one another: the service of Compose (`bridge-1  | `), the process
 * of a ROS launch (`[run_bridge-2] `), a time, a level of a logger.
 */
const PREFIXES: readonly RegExp[] = [
  /^[\w.-]+ +\| ?/,
  /^\[[\w.-]+-\d+\] /,
  /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)? /,
  /^\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR)\]?(?: \[[\d.]+\])?(?: \[[\w./-]+\])?: /,
];

const COLOURS = new RegExp(String.raw`${String.fromCharCode(27)}\[[\d;]*m`, 'g');

/** No column of a table is that wide: where a line has more blanks, whoever looks for columns from the right looks at each of them again and again. */
const TOO_WIDE = ' '.repeat(200);

/** A line of a log as the simulator wrote it; empty where it is none of a table. */
export function bareLine(line: string): string {
  let bare = line.replace(/\r$/, '').replaceAll(COLOURS, '');
  // A table may pad its last column as wide as the longest name of it.
  if (bare.includes(TOO_WIDE)) bare = bare.trimEnd();
  if (bare.includes(TOO_WIDE)) return '';
  for (const prefix of PREFIXES) bare = bare.replace(prefix, '');
  return bare;
}

/** Rows that follow a line of a log, and the place of the last of them. Lines of others between them are passed over. */
export function rowsAfter<Row>(
  lines: readonly string[],
  start: number,
  read: (line: string) => Row | undefined,
  isEnd: (line: string) => boolean,
): { readonly rows: readonly Row[]; readonly last: number } {
  const rows: Row[] = [];
  let last = start;
  for (let at = start + 1; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (isEnd(line)) break;
    const row = read(line);
    if (row === undefined) continue;
    rows.push(row);
    last = at;
  }
  return { rows, last };
}
