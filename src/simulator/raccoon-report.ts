/**
 * The text report of raccoon's StepProfiler, one for each mission, as `format_report` of its `step_profiler.py` prints it
 * (docs/profiling-and-command-trace.md of raccoon-lib).
 */
import { LAG } from './raccoon-lag.js';
import { missionName } from './raccoon-mission-name.js';
import { PART, PART_MEANING, partRows } from './raccoon-parts.js';
import { halFindings, lagFindings, rowFindings, whereFindings } from './raccoon-report-findings.js';
import { reportTexts } from './raccoon-report-text.js';
import type { ReportRow, ReportText } from './raccoon-report-text.js';
import type { CostRow, CostTable, LateTurns, TableReader } from './table.js';

function reportTables(lines: readonly string[]): readonly CostTable[] {
  return reportTexts(lines).flatMap((report) => {
    const table = tableOf(report);
    return [
      whereTable(report, table),
      ...motionTable(report, table),
      ...(report.hal.length === 0
        ? []
        : [
            {
              ...table('HAL and transport calls', report.hal.map(halRow)),
              findings: [...halFindings(report), ...rowFindings(report.hal)],
            },
          ]),
      ...(report.steps.length === 0
        ? []
        : [
            {
              ...table('steps by overhead', report.steps.flatMap(stepRows)),
              findings: rowFindings(report.steps, report.leafSteps),
            },
          ]),
      ...lagTable(report, table),
    ];
  });
}

type MakeTable = (title: string, rows: readonly CostRow[]) => CostTable;

/** A report does not say of which mission it is, but the name of its trace does. */
function tableOf({ from, to, tracePath }: ReportText): MakeTable {
  const mission = tracePath === undefined ? '' : ` (${missionName(tracePath)})`;
  return (title, rows) => ({
    kind: 'raccoon-report',
    title: `raccoon: ${title}${mission}`,
    lines: { from, to },
    rows,
    findings: [],
  });
}

/** Shares are of the wall clock, as the report has them. */
function whereTable(report: ReportText, table: MakeTable): CostTable {
  const us = (name: string): number => micros(report.partsS.get(name) ?? 0, 1e6);
  const wallUs = report.wallS === undefined ? undefined : micros(report.wallS, 1e6);
  const isKnown = wallUs !== undefined && wallUs > 0;
  const rows = partRows(
    {
      executeUs: us(PART.execute),
      overheadUs: us(PART.overhead),
      dbWriteUs: us(PART.dbWrite),
      dbReadUs: us(PART.dbRead),
      acquireUs: us(PART.acquire),
      otherUs: us(PART.other),
      sleepUs: us(PART.sleep),
      halUs: us(PART.hal),
      computeUs: us(PART.compute),
    },
    [],
    (value) => (isKnown ? { share: value / wallUs } : {}),
  );
  const restUs = isKnown ? wallUs - us(PART.execute) - us(PART.overhead) : -1;
  return {
    ...table(
      'where the time goes',
      rows.map((row) =>
        row.name === PART.hal && report.halCalls !== undefined ? { ...row, calls: report.halCalls } : row,
      ),
    ),
    ...(isKnown ? { wholeUs: wallUs } : {}),
    // Steps beside each other are more than the wall clock: then it is not known when none ran.
    ...(restUs >= 0 ? { restUs } : {}),
    findings: whereFindings(report),
  };
}

function motionTable({ motion }: ReportText, table: MakeTable): readonly CostTable[] {
  if (motion === undefined) return [];
  const { computeS, waitS, cycles, meanMs } = motion;
  const wholeUs = micros((computeS ?? 0) + (waitS ?? 0), 1e6);
  const row = (name: string, seconds: number | undefined, more: Partial<CostRow>): readonly CostRow[] => {
    if (seconds === undefined) return [];
    const totalUs = micros(seconds, 1e6);
    const share = wholeUs > 0 ? { share: totalUs / wholeUs } : {};
    return [{ name, path: [], role: 'part', totalUs, ...share, ...more }];
  };
  return [
    {
      ...table('motion on_update()', [
        ...row('on_update compute', computeS, {
          ...(cycles === undefined ? {} : { calls: cycles }),
          ...(meanMs === undefined ? {} : { meanUs: micros(meanMs, 1000) }),
          meaning: 'Python of each cycle of a motion; a part of the step bodies',
        }),
        ...row('waiting for motion', waitS, { meaning: 'the robot moves; a part of the step bodies' }),
      ]),
      ...(wholeUs > 0 ? { wholeUs } : {}),
    },
  ];
}

function halRow({ name, calls, totalS, ms: [mean, most] }: ReportRow): CostRow {
  return {
    name,
    path: [],
    role: 'part',
    calls,
    totalUs: micros(totalS, 1e6),
    ...(mean === undefined ? {} : { meanUs: micros(mean, 1000) }),
    ...(most === undefined ? {} : { maxUs: micros(most, 1000) }),
  };
}

function stepRows({ name, calls, totalS, ms: [execute, overhead, dbWrite] }: ReportRow): readonly CostRow[] {
  const mean = (part: string, path: readonly string[], ms: number | undefined): readonly CostRow[] =>
    ms === undefined || ms === 0
      ? []
      : [
          {
            name: part,
            path,
            role: 'part',
            calls,
            meanUs: micros(ms, 1000),
            ...(part === PART.overhead ? { totalUs: micros(totalS, 1e6) } : {}),
            ...PART_MEANING[part],
          },
        ];
  return [
    { name, path: [], role: 'part', calls, meanUs: micros((execute ?? 0) + (overhead ?? 0), 1000) },
    ...mean(PART.execute, [name], execute),
    ...mean(PART.overhead, [name], overhead),
    ...mean(PART.dbWrite, [name, PART.overhead], dbWrite),
  ];
}

const SPIKES = 'spikes';

function lagUs(key: 'maxUs' | 'p50Us' | 'p99Us', ms: number | undefined): Partial<CostRow> {
  return ms === undefined ? {} : { [key]: micros(ms, 1000) };
}

function lagTable(report: ReportText, table: MakeTable): readonly CostTable[] {
  const { lag, spikes, noLag } = report;
  if (lag === undefined) return noLag ? [{ ...table('event-loop lag', []), findings: lagFindings() }] : [];
  const all: CostRow = {
    name: LAG,
    path: [],
    role: 'part',
    ...(lag.samples === undefined ? {} : { calls: lag.samples }),
    ...lagUs('maxUs', lag.maxMs),
    ...lagUs('p50Us', lag.p50Ms),
    ...lagUs('p99Us', lag.p99Ms),
    meaning: `how late the loop came back to a task that slept ${lag.intervalMs ?? '?'} ms: something blocked it`,
  };
  const counted: readonly CostRow[] =
    lag.spikes === undefined
      ? []
      : [
          {
            name: SPIKES,
            path: [LAG],
            role: 'part',
            calls: lag.spikes,
            meaning: `of at least ${lag.thresholdMs ?? '?'} ms`,
          },
        ];
  const worst = spikes.map(({ atS, lagMs, near }): CostRow => ({
    name: 'spike',
    path: [LAG, SPIKES],
    role: 'part',
    of: near,
    atUs: micros(atS, 1e6),
    totalUs: micros(lagMs, 1000),
  }));
  const late = lateTurns(report);
  return [
    { ...table('event-loop lag', [all, ...counted, ...worst]), ...(late === undefined ? {} : { late }) },
  ];
}

/** Of a report only the worst spikes. */
function lateTurns({ lag, spikes }: ReportText): LateTurns | undefined {
  if (lag?.intervalMs === undefined || spikes.length === 0) return undefined;
  const each = spikes
    .map(({ atS, lagMs }) => ({ atUs: micros(atS, 1e6), lagUs: micros(lagMs, 1000) }))
    .toSorted((a, b) => a.atUs - b.atUs);
  return { each, intervalUs: lag.intervalMs * 1000, untilUs: each.at(-1)?.atUs ?? 0, clocks: 1 };
}

/** Without the digits that a product of binary fractions has too many. */
function micros(value: number, unitUs: number): number {
  return Math.round(value * unitUs * 10) / 10;
}

export const RACCOON_REPORT: TableReader = { text: reportTables };
