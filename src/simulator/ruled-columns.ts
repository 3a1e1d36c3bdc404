/** A column of a table whose heads stand above a rule of dashes, one run of dashes for each column. */
export interface RuledColumn {
  readonly head: string;
  readonly from: number;
  readonly to: number;
}

const RULE = /^\s*-{3,}(?:\s+-{3,})+\s*$/;

/** The columns of a head and the rule below it. Undefined where the second line is no rule. */
export function ruledColumns(head: string, rule: string): readonly RuledColumn[] | undefined {
  if (!RULE.test(rule)) return undefined;
  const runs = [...rule.matchAll(/-+/g)].map(
    ({ index, 0: dashes }) => [index, index + dashes.length] as const,
  );
  return runs.map(([from, to], place) => {
    const isLast = place === runs.length - 1;
    return { head: head.slice(from, isLast ? undefined : to).trim(), from, to: isLast ? Infinity : to };
  });
}

/** The cells of a row. Where it does not stand below its heads, as in a text that lost its leading blanks: what two blanks part. */
export function ruledCells(line: string, columns: readonly RuledColumn[]): readonly string[] | undefined {
  const isBelow = columns.every(({ from, to }, place) => {
    const isParted = from === 0 || (line[from - 1] ?? ' ') === ' ';
    return isParted && (place === columns.length - 1 || line.slice(from, to).trim() !== '');
  });
  if (isBelow) return columns.map(({ from, to }) => line.slice(from, to).trim());
  const parted = line.trim().split(/\s{2,}/);
  if (parted.length < columns.length) return undefined;
  const own = columns.length - 1;
  return [...parted.slice(0, own), parted.slice(own).join('  ')];
}
