/** A table of Python's tabulate with lines drawn around it: `rounded_outline`, `simple_grid` and their like. */
export interface Grid {
  /** Of each column, the lines of its head joined. */
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Places of its first and last line. */
  readonly first: number;
  readonly last: number;
}

const TOP = /^\s*[\u256D\u250C]\u2500/;
const BOTTOM = /^\s*[\u2570\u2514]\u2500/;
const BETWEEN = /^\s*\u251C\u2500/;
const CELLS = /^\s*\u2502(.*)\u2502\s*$/;

/** All of them in a text; whatever stands between their lines is passed over. One that is cut off ends with the lines. */
export function grids(lines: readonly string[]): readonly Grid[] {
  return lines.flatMap((line, at) => (TOP.test(line) ? (grid(lines, at) ?? []) : []));
}

function grid(lines: readonly string[], first: number): Grid | undefined {
  const head: string[] = [];
  const rows: (readonly string[])[] = [];
  let inHead = true;
  let last = first;
  for (let at = first + 1; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (TOP.test(line)) break;
    const cells = CELLS.exec(line)?.[1]
      ?.split('\u2502')
      .map((cell) => cell.trim());
    if (cells === undefined && !BETWEEN.test(line) && !BOTTOM.test(line)) continue;
    last = at;
    if (BOTTOM.test(line)) break;
    if (cells === undefined) inHead = false;
    else if (inHead) cells.forEach((cell, column) => (head[column] = `${head[column] ?? ''} ${cell}`.trim()));
    else rows.push(cells);
  }
  return inHead ? undefined : { head, rows, first, last };
}

/** The number in a cell; undefined where there is none, also for `nan`. */
export function numberIn(cell: string | undefined): number | undefined {
  return cell !== undefined && /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/.test(cell) ? Number(cell) : undefined;
}
