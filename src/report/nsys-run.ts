import type { Finding } from '../model/index.js';
import type { CostTable } from '../simulator/index.js';
import { byCost } from './cost-order.js';
import { alarmLines, noteLines, wrap } from './findings-text.js';
import { objectText } from './json.js';
import { plural } from './share-text.js';
import type { TextStyle } from './table.js';
import { tableJson } from './tables-json.js';
import { tablesText } from './tables-text.js';
import { cleanText } from './terminal-text.js';

/** What nsys recorded of a program, and where that lies. */
export interface NsysRun {
  readonly command: readonly string[];
  /** As `nsys --version` prints it; absent where nsys was not started. */
  readonly nsys?: string;
  /** What is kept, as to type it; the report is what the viewer of nsys opens. */
  readonly files: {
    readonly report?: string;
    readonly sqlite?: string;
    readonly stats?: string;
  };
  readonly exitCode: number;
  readonly tables: readonly CostTable[];
  /** Beside those of the tables. */
  readonly findings: readonly Finding[];
}

/** Rows of a table on the screen; the file has all of them. */
const MOST_ROWS = 10;

/** Every finding, those of the tables first. */
export function nsysFindings({ tables, findings }: NsysRun): readonly Finding[] {
  return [...tables.flatMap((table) => table.findings), ...findings];
}

/** The screen of `run --nsys`. Ends with a newline. */
export function nsysRunText(run: NsysRun, style: TextStyle): string {
  const { tables, files, findings } = run;
  const short = tables.map((table) => ({ ...table, rows: byCost(table).slice(0, MOST_ROWS) }));
  const more = tables.reduce((sum, { rows }) => sum + Math.max(0, rows.length - MOST_ROWS), 0);
  const kept = [files.report, files.sqlite, files.stats].filter((file) => file !== undefined);
  const source = files.sqlite ?? files.stats ?? '-';
  const lines = [
    ...alarmLines(findings, style),
    ...noteLines(findings, style),
    ...(more === 0 || files.stats === undefined
      ? []
      : [`  ${plural(more, 'more row')}: profiler tables ${cleanText(files.stats)}`]),
    ...(kept.length === 0 ? [] : wrap(`Kept: ${kept.map(cleanText).join(' · ')}`, style.width, '  ')),
  ];
  return `${tables.length === 0 ? '' : `${tablesText({ source, tables: short }, style)}\n`}${lines.join('\n')}\n`;
}

/** `kind: "nsys"`. Times are microseconds. */
export function nsysRunJson(run: NsysRun): string {
  const { command, nsys, files, exitCode, tables, findings } = run;
  return objectText('nsys', {
    command,
    nsys,
    files,
    exitCode,
    findings,
    tables: tables.map(tableJson),
  });
}
