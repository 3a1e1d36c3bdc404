/**
 * What `nsys stats` prints: its text tables and its CSV, several reports in one text, with the lines that nsys writes between them. Columns
 * and names are those of the reports of nsys 2020 to 2026 (NVIDIA's Post-Collection Analysis Guide, and what is public of their output).
 */
import { csvRecord } from './csv-record.js';
import { isNsysHead, nsysCells, type NsysCells } from './nsys-columns.js';
import { nsysRow } from './nsys-meaning.js';
import { announcedReport, type NsysReport, reportOfColumns } from './nsys-report.js';
import { statsFindings } from './nsys-stats-answer.js';
import { ruledCells, ruledColumns } from './ruled-columns.js';
import type { CostTable, TableReader } from './table.js';

/** Between what announces a report and its heads there is a blank line or two. */
const ANNOUNCED_WITHIN = 8;
/** Below this the table was cut, and its rows are no whole. */
const WHOLE_FROM = 0.99;

interface Printed {
  readonly heads: readonly string[];
  readonly rows: readonly NsysCells[];
  /** Indices of its head and of its last row. */
  readonly from: number;
  readonly to: number;
}

/** All tables of `nsys stats` in a text; what they say together stands with the first of a run. `lines` are bare (`bareLine`). */
export function nsysStatsTables(lines: readonly string[]): readonly CostTable[] {
  const tables: CostTable[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const printed = ruledTable(lines, at) ?? csvTable(lines, at);
    if (printed === undefined || printed.rows.length === 0) continue;
    const report =
      announced(lines, at) ??
      reportOfColumns(
        printed.heads,
        printed.rows.map(({ name }) => name),
      );
    if (report !== undefined && report !== 'other') tables.push(costTable(report, printed));
    at = printed.to;
  }
  return runsOf(tables).flatMap((run) => {
    const [first, ...rest] = run;
    return first === undefined ? [] : [{ ...first, findings: statsFindings(run) }, ...rest];
  });
}

/** A report that comes again is of the next run. */
function runsOf(tables: readonly CostTable[]): readonly (readonly CostTable[])[] {
  const runs: CostTable[][] = [];
  for (const table of tables) {
    const run = runs.at(-1);
    if (run === undefined || run.some(({ title }) => title === table.title)) runs.push([table]);
    else run.push(table);
  }
  return runs;
}

function ruledTable(lines: readonly string[], at: number): Printed | undefined {
  const columns = ruledColumns(lines[at] ?? '', lines[at + 1] ?? '');
  const heads = columns?.map(({ head }) => head) ?? [];
  if (columns === undefined || !isNsysHead(heads)) return undefined;
  const unit = sizeUnit(lines, at);
  const rows: NsysCells[] = [];
  let to = at + 1;
  for (let place = at + 2; place < lines.length && !isEnd(lines[place] ?? ''); place += 1) {
    const cells = ruledCells(lines[place] ?? '', columns);
    const row = cells === undefined ? undefined : nsysCells(heads, cells, unit);
    if (row === undefined) continue;
    rows.push(row);
    to = place;
  }
  return { heads, rows, from: at, to };
}

function csvTable(lines: readonly string[], at: number): Printed | undefined {
  if (!/^"?T(?:ime|otal)\b[^,]*,/.test(lines[at] ?? '')) return undefined;
  const heads = (csvRecord(lines, at)?.fields ?? []).map((head) => head.trim());
  if (!isNsysHead(heads)) return undefined;
  const rows: NsysCells[] = [];
  let to = at;
  for (let place = at + 1; place < lines.length && !isEnd(lines[place] ?? ''); place += 1) {
    const record = csvRecord(lines, place);
    const row = record === undefined ? undefined : nsysCells(heads, record.fields);
    if (record === undefined || row === undefined) continue;
    rows.push(row);
    place = record.last;
    to = record.last;
  }
  return { heads, rows, from: at, to };
}

function isEnd(line: string): boolean {
  return line.trim() === '' || announcedReport(line) !== undefined || /^"?Time ?\(%\)/.test(line.trim());
}

function announced(lines: readonly string[], at: number): NsysReport | 'other' | undefined {
  for (let place = at - 1; place >= 0 && place >= at - ANNOUNCED_WITHIN; place -= 1) {
    const report = announcedReport(lines[place] ?? '');
    if (report !== undefined) return report;
  }
  return undefined;
}

/** nsys 2020 says it in the title: `CUDA Memory Operation Statistics (by size in KiB):`. */
function sizeUnit(lines: readonly string[], at: number): string | undefined {
  const above = lines.slice(Math.max(0, at - ANNOUNCED_WITHIN), at).join('\n');
  return /\(by size in (\w+)\)/.exec(above)?.[1];
}

function costTable(report: NsysReport, { rows, from, to }: Printed): CostTable {
  const { kind, title } = report;
  const totalUs = rows.reduce((sum, { amounts }) => sum + (amounts.totalUs ?? 0), 0);
  const said = rows.reduce((sum, { share }) => sum + (share ?? 0), 0);
  const isWhole = said >= WHOLE_FROM && totalUs > 0;
  // Ranges lie within each other: their sum is no whole.
  const hasShares = kind !== 'nsys-nvtx' && report.isSize !== true;
  return {
    kind,
    title,
    lines: { from: from + 1, to: to + 1 },
    rows: rows.map(({ name, of, share, amounts }) => {
      const own = isWhole && amounts.totalUs !== undefined ? amounts.totalUs / totalUs : share;
      return nsysRow(kind, {
        name,
        ...(of === undefined ? {} : { of }),
        ...amounts,
        ...(hasShares && own !== undefined ? { share: own } : {}),
      });
    }),
    ...(hasShares && isWhole ? { wholeUs: totalUs } : {}),
    findings: [],
  };
}

export const NSYS_STATS: TableReader = { text: nsysStatsTables };
