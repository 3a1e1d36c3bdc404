/** The text that `report()` of sim-profiler/telemetry makes (`src/telemetry/report-text.ts`): the categories of a Node program, in all its threads. */
import type { Finding } from '../model/index.js';
import { rowsAfter } from './log-lines.js';
import { stutter } from './pyrite-findings.js';
import type { CostRow, CostTable, TableReader } from './table.js';

const HEAD = /^Telemetry (.{1,200}): \d+ threads?, \d+\.\d MB$/;
const TITLES = /^category +calls +total +own +mean +P50 +P99 +P99\.9 +max +first$/;
const TIME = String.raw`(?:0|\d[\d,]*(?:\.\d+)? (?:s|ms|µs|ns))`;
/** Own time may be known of some of the calls alone, or of none. */
const ROW = new RegExp(
  String.raw`^(.{1,200}?) {2,}(\d[\d,]{0,20}) +(${TIME}) +((?:≥ )?${TIME}|\?)${String.raw` +(${TIME})`.repeat(6)}$`,
  'u',
);
const UNIT_US: Readonly<Record<string, number>> = { s: 1e6, ms: 1e3, µs: 1, ns: 1e-3 };

type ReportRow = CostRow & Required<Pick<CostRow, 'calls' | 'meanUs' | 'p99Us'>>;

function reports(lines: readonly string[]): readonly CostTable[] {
  return lines.flatMap((line, at) => {
    const name = HEAD.exec(line)?.[1];
    if (name === undefined || !TITLES.test(lines[at + 1] ?? '')) return [];
    const { rows, last } = rowsAfter(lines, at + 1, rowOf, (next) => HEAD.test(next));
    return [
      {
        kind: 'telemetry-report',
        title: `sim-profiler/telemetry: ${name}`,
        lines: { from: at + 1, to: last + 1 },
        rows,
        findings: [...stutter(rows.map((row) => ({ ...row }))), ...(rows.length > 1 ? [NESTED] : [])],
      },
    ];
  });
}

function rowOf(line: string): ReportRow | undefined {
  const [, name, calls, total = '', own = '', mean = '', p50 = '', p99 = '', , max = ''] =
    ROW.exec(line) ?? [];
  if (name === undefined || calls === undefined) return undefined;
  const isOwnKnown = own !== '?' && !own.startsWith('≥');
  return {
    name,
    path: [],
    role: 'part',
    calls: Number(calls.replaceAll(',', '')),
    totalUs: microseconds(total),
    ...(isOwnKnown ? { selfUs: microseconds(own) } : {}),
    meanUs: microseconds(mean),
    p50Us: microseconds(p50),
    p99Us: microseconds(p99),
    maxUs: microseconds(max),
    ...(own.startsWith('≥') ? { meaning: `of its total at least ${own.slice(2)} are its own` } : {}),
  };
}

function microseconds(text: string): number {
  const [amount = '', unit = 's'] = text.split(' ');
  return Number(amount.replaceAll(',', '')) * (UNIT_US[unit] ?? 1);
}

const NESTED: Finding = {
  level: 'note',
  id: 'categories-nest',
  what: 'Categories contain each other: totals are not to be added, own times are.',
  why: 'A total holds what was measured inside of it. A moment counts once in a total, however many calls were open in it.',
};

export const TELEMETRY_REPORT: TableReader = { text: reports };
