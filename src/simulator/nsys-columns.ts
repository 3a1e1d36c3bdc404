import type { CostRow } from './table.js';

/** Of one row, in microseconds or bytes. */
export interface NsysCells {
  readonly name: string;
  readonly of?: string;
  /** As nsys says it, from 0 to 1: rounded to a thousandth. */
  readonly share?: number;
  readonly amounts: Pick<
    CostRow,
    'calls' | 'totalUs' | 'meanUs' | 'minUs' | 'maxUs' | 'p50Us' | 'totalBytes'
  >;
}

const US: Readonly<Record<string, number>> = { ns: 1e-3, us: 1, '\u00B5s': 1, '\u03BCs': 1, ms: 1e3, s: 1e6 };
const BYTES: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1e3,
  KiB: 1024,
  MB: 1e6,
  MiB: 1024 ** 2,
  GB: 1e9,
  GiB: 1024 ** 3,
};

const COUNTS: ReadonlySet<string> = new Set(['Instances', 'Num Calls', 'Count', 'Operations']);
const NAMES: ReadonlySet<string> = new Set(['Name', 'Range', 'Operation']);
/** What is printed besides, and tells rows of one name apart. */
const OF: ReadonlySet<string> = new Set(['Style', 'GridXYZ', 'BlockXYZ']);
const TIMES: readonly (readonly [RegExp, 'totalUs' | 'meanUs' | 'minUs' | 'maxUs' | 'p50Us'])[] = [
  [/^Total Time/, 'totalUs'],
  [/^(?:Avg|Average)/, 'meanUs'],
  [/^(?:Med|Median)/, 'p50Us'],
  [/^Min/, 'minUs'],
  [/^Max/, 'maxUs'],
];

/** Whether a line of heads begins a table of `nsys stats`. */
export function isNsysHead(heads: readonly string[]): boolean {
  const [first = '', second = ''] = heads;
  const isTimes = /^Time ?\(%\)$/.test(first) && second.startsWith('Total Time');
  return (
    (isTimes || (/^Total(?: \(\w+\))?$/.test(first) && COUNTS.has(second))) && NAMES.has(heads.at(-1) ?? '')
  );
}

/** The cells below their heads. `sizeUnit` is what sizes are in where no head says it. Undefined for a line that is no row. */
export function nsysCells(
  heads: readonly string[],
  cells: readonly string[],
  sizeUnit = 'B',
): NsysCells | undefined {
  if (cells.length < heads.length) return undefined;
  // A name with commas that nobody quoted fills more cells than there are heads.
  const last = heads.length - 1;
  const name = cells.slice(last).join(',').trim();
  if (name === '' || numberOf(cells[0]) === undefined) return undefined;
  const isSize = heads[0]?.startsWith('Total') === true;
  const amounts: Record<string, number> = {};
  for (const [place, head] of heads.slice(0, last).entries()) {
    const value = numberOf(cells[place]);
    if (value === undefined) continue;
    if (COUNTS.has(head)) amounts['calls'] = value;
    else if (isSize && place === 0) {
      const factor = BYTES[unitOf(head) ?? sizeUnit];
      if (factor !== undefined) amounts['totalBytes'] = Math.round(value * factor);
    } else if (!isSize) {
      const key = TIMES.find(([pattern]) => pattern.test(head))?.[1];
      // nsys 2020 wrote the unit above the total alone.
      const factor = US[unitOf(head) ?? unitOf(heads[1] ?? '') ?? 'ns'];
      if (key !== undefined && factor !== undefined) amounts[key] = micro(value, factor);
    }
  }
  const of = heads.flatMap((head, place) =>
    OF.has(head) ? [(cells[place] ?? '').replace(/\s+/g, ' ')] : [],
  );
  const percent = isSize ? undefined : numberOf(cells[0]);
  return {
    name,
    ...(of.length === 0 ? {} : { of: of.map((text) => text.trim()).join(' \u00D7 ') }),
    ...(percent === undefined ? {} : { share: percent / 100 }),
    amounts,
  };
}

/** To the picosecond: what is beyond is not of nsys but of binary fractions. */
function micro(value: number, factor: number): number {
  return Number((value * factor).toFixed(6));
}

function unitOf(head: string): string | undefined {
  return /\((\S+)\)$/.exec(head)?.[1];
}

/** Newer versions part thousands with commas. */
function numberOf(cell: string | undefined): number | undefined {
  const bare = cell?.trim() ?? '';
  return /^\d[\d,]*(?:\.\d+)?$/.test(bare) ? Number(bare.replaceAll(',', '')) : undefined;
}
