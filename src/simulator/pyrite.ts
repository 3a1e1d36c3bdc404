/**
 * The report of Pyrite's profiler, `profiling_results.json`, as `save_report` of its `src/profiler.py` writes it ("Telemetry Systems and
 * Profiling Breakdown" of its documentation), and what it prints when it cannot.
 */
import type { Finding } from '../model/index.js';
import { asRecord } from '../formats/index.js';
import { FRAME, RING, categoryOf } from './pyrite-category.js';
import type { PyriteCategory } from './pyrite-category.js';
import { pyriteFindings } from './pyrite-findings.js';
import { pathsOf } from './pyrite-tree.js';
import type { CostRow, CostTable, TableReader } from './table.js';

function pyriteTables(document: unknown): readonly CostTable[] | undefined {
  const categories = Object.entries(asRecord(document) ?? {}).map(([name, value]) => categoryOf(name, value));
  const known = categories.filter((category) => category !== undefined);
  // An empty report is an empty object, which anything may have written.
  if (known.length === 0 || known.length < categories.length) return undefined;
  const frame = known.find(({ name }) => name === FRAME);
  const paths = pathsOf(known.map(({ name }) => name));
  const rows = known.map((category) => rowOf(category, paths.get(category.name) ?? [], frame));
  const wholeUs = frame === undefined || frame.isCapped ? undefined : frame.totalUs;
  const parts = known.filter(({ name }) => paths.get(name)?.at(-1) === FRAME);
  const restUs = (wholeUs ?? 0) - parts.reduce((sum, { totalUs }) => sum + totalUs, 0);
  const isRestKnown = parts.length > 0 && !parts.some(({ isCapped }) => isCapped) && restUs >= 0;
  return [
    {
      kind: 'pyrite',
      title: 'Pyrite: telemetry',
      lines: { from: 1, to: 1 },
      rows: inTree(rows),
      ...(frame === undefined || frame.isCapped ? {} : { steps: frame.calls }),
      ...(wholeUs === undefined ? {} : { wholeUs }),
      ...(wholeUs !== undefined && isRestKnown ? { restUs } : {}),
      findings: pyriteFindings(known),
    },
  ];
}

/** What the ring dropped is unknown: then there is no total, and no part of the frame. */
function rowOf(
  category: PyriteCategory,
  path: readonly string[],
  frame: PyriteCategory | undefined,
): CostRow {
  const { name, calls, meanUs, minUs, maxUs, p99Us, totalUs, isCapped } = category;
  const inFrame = frame !== undefined && (name === FRAME || path.includes(FRAME));
  const isPart = inFrame && !isCapped && !frame.isCapped;
  return {
    name,
    path,
    role: inFrame ? 'step' : 'part',
    calls,
    ...(isCapped ? {} : { totalUs }),
    meanUs,
    minUs,
    maxUs,
    p99Us,
    ...(isPart ? { perStepUs: totalUs / frame.calls } : {}),
    ...(isPart && frame.totalUs > 0 ? { share: totalUs / frame.totalUs } : {}),
    ...(isCapped
      ? { meaning: `the last calls only: ${calls} fill the ring of ${RING} for each thread` }
      : {}),
  };
}

/** Each row behind the one that it is a part of; those of one place by what they took. */
function inTree(rows: readonly CostRow[]): readonly CostRow[] {
  const below = (parent: readonly string[]): readonly CostRow[] =>
    rows
      .filter(({ path }) => path.length === parent.length && path.every((name, at) => name === parent[at]))
      .toSorted((a, b) => weight(b) - weight(a))
      .flatMap((row) => [row, ...below([...parent, row.name])]);
  return below([]);
}

function weight({ calls = 0, meanUs = 0 }: CostRow): number {
  return calls * meanUs;
}

const FAILED = /^\[TELEMETRY\] ERROR: Failed to write report file: (.*)$/;

/** The program goes on when its report cannot be written: all that is left of it is this line. */
function failures(lines: readonly string[]): readonly CostTable[] {
  return lines.flatMap((line, at): CostTable[] => {
    const reason = FAILED.exec(line)?.[1];
    if (reason === undefined) return [];
    return [
      {
        kind: 'pyrite',
        title: 'Pyrite: telemetry',
        lines: { from: at + 1, to: at + 1 },
        rows: [],
        findings: [notWritten(reason)],
      },
    ];
  });
}

function notWritten(reason: string): Finding {
  return {
    level: 'warning',
    id: 'report-not-written',
    what: `Pyrite could not write its report: ${reason}.`,
    why: 'An older file of that name is of another run.',
  };
}

export const PYRITE: TableReader = { text: failures, json: pyriteTables };
