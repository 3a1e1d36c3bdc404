/**
 * The trace of raccoon's StepProfiler, one for each mission: phases of every step, gaps between them and the lag of the event loop. As
 * its `step_profiler.py` writes it (docs/profiling-and-command-trace.md of raccoon-lib).
 */
import type { Finding } from '../model/index.js';
import { CoveredTime } from './covered-time.js';
import { spread } from './quantile.js';
import { gapRows } from './raccoon-gaps.js';
import { lagRows, lateTurns } from './raccoon-lag.js';
import { partRows } from './raccoon-parts.js';
import { grouped, stepRuns, sumOfParts, tenths } from './raccoon-runs.js';
import type { StepRun, StepRuns } from './raccoon-runs.js';
import { isRaccoon, raccoonTrace } from './raccoon-trace-events.js';
import type { RaccoonStep, RaccoonTrace } from './raccoon-trace-events.js';
import { stepFindings } from './raccoon-trace-findings.js';
import type { CostRow, CostTable, TableReader } from './table.js';
import { traceEvents } from './trace-events.js';

function ofDocument(document: unknown): readonly CostTable[] | undefined {
  const events = traceEvents(document);
  return events !== undefined && isRaccoon(events) ? raccoonTables(raccoonTrace(events)) : undefined;
}

/** Tables of a trace; the first says what is wrong with it. */
export function raccoonTables(trace: RaccoonTrace): readonly CostTable[] {
  const steps = stepRuns(trace.steps);
  const leaves = steps.runs.map(({ step }) => step);
  const covered = new CoveredTime(leaves);
  const wallUs = trace.steps.reduce((end, { endUs }) => Math.max(end, endUs), 0);
  const sumUs = tenths(steps.runs.reduce((sum, { ownUs }) => sum + ownUs, 0));
  const optional = (title: string, rows: readonly CostRow[], wholeUs?: number): readonly CostTable[] =>
    rows.length === 0 ? [] : [table(title, rows, wholeUs)];
  return [
    {
      ...table('raccoon: where the time goes', whereRows(steps.runs, sumUs), sumUs > 0 ? sumUs : undefined),
      findings: stepFindings(trace, steps, { sumUs, wallUs, coveredUs: coveredTotal(covered) }),
    },
    ...optional('raccoon: steps by overhead', signatureRows(steps.runs, sumUs), sumUs),
    ...optional('raccoon: composite steps', compositeRows(steps, covered)),
    ...optional('raccoon: HAL and transport calls', halRows(steps.runs), halTotal(steps.runs)),
    ...optional('raccoon: gaps between steps', gapRows(leaves, wallUs), wallUs),
    ...optional('raccoon: tasks', taskRows(trace, steps.runs, wallUs), wallUs),
    ...lagTable(trace, leaves),
  ];
}

function table(title: string, rows: readonly CostRow[], wholeUs?: number): CostTable {
  return {
    kind: 'raccoon-trace',
    title,
    lines: { from: 1, to: 1 },
    rows,
    ...(wholeUs === undefined ? {} : { wholeUs }),
    findings: [],
  };
}

function coveredTotal({ stretches }: CoveredTime): number {
  return stretches.reduce((sum, { startUs, endUs }) => sum + endUs - startUs, 0);
}

/** Of the time of all steps, not of the wall: of steps beside each other that would be more than all of it. */
function whereRows(runs: readonly StepRun[], sumUs: number): readonly CostRow[] {
  return partRows(sumOfParts(runs), [], (us) => ({ share: us / sumUs }));
}

/** The step with the most overhead first, each followed by what it consists of. */
function signatureRows(runs: readonly StepRun[], sumUs: number): readonly CostRow[] {
  return [...grouped(runs, ({ step }) => step.signature)]
    .map(([signature, own]) => ({ signature, own, parts: sumOfParts(own) }))
    .toSorted((a, b) => b.parts.overheadUs - a.parts.overheadUs)
    .flatMap(({ signature, own, parts }): readonly CostRow[] => {
      const totalUs = tenths(own.reduce((sum, { ownUs }) => sum + ownUs, 0));
      return [
        {
          name: signature,
          path: [],
          role: 'part',
          totalUs,
          ...spread(own.map(({ ownUs }) => ownUs)),
          share: totalUs / sumUs,
        },
        ...partRows(parts, [signature], (us) => ({ share: us / sumUs })),
      ];
    });
}

/** A composite contains its steps, also those on tasks of their own: only its rest is its own. */
function compositeRows({ composites }: StepRuns, covered: CoveredTime): readonly CostRow[] {
  return [...grouped(composites, ({ signature }) => signature)]
    .map(([signature, own]): CostRow => ({
      name: signature,
      path: [],
      role: 'part',
      totalUs: tenths(own.reduce((sum, { startUs, endUs }) => sum + endUs - startUs, 0)),
      selfUs: tenths(own.reduce((sum, one) => sum + one.endUs - one.startUs - covered.within(one), 0)),
      ...spread(own.map(({ startUs, endUs }) => tenths(endUs - startUs))),
      meaning: 'contains its steps: its total is not to be added to theirs, its own time is when none ran',
    }))
    .toSorted((a, b) => (b.selfUs ?? 0) - (a.selfUs ?? 0));
}

export const SHORT_CALLS = '(calls too short for the trace)';

function halTotal(runs: readonly StepRun[]): number {
  return runs.reduce((sum, { step }) => sum + step.halUs, 0);
}

/** Only calls of a millisecond and more are in the trace one by one; the steps know the time and the number of all of theirs. */
function halRows(runs: readonly StepRun[]): readonly CostRow[] {
  const wholeUs = halTotal(runs);
  const calls = runs.flatMap(({ step }) => step.phases.filter(({ name }) => name.startsWith('hal:')));
  const rows = [...grouped(calls, ({ name }) => name.slice('hal:'.length))]
    .map(([name, own]): CostRow => {
      const lengths = own.map(({ startUs, endUs }) => tenths(endUs - startUs));
      const totalUs = tenths(lengths.reduce((sum, us) => sum + us, 0));
      return {
        name,
        path: [],
        role: 'part',
        totalUs,
        ...spread(lengths),
        ...(wholeUs > 0 ? { share: totalUs / wholeUs } : {}),
      };
    })
    .toSorted((a, b) => (b.totalUs ?? 0) - (a.totalUs ?? 0));
  const count = runs.reduce((sum, { step }) => sum + step.halCalls, 0) - calls.length;
  const restUs = tenths(wholeUs - rows.reduce((sum, { totalUs = 0 }) => sum + totalUs, 0));
  if (count <= 0) return rows;
  const short: CostRow = { name: SHORT_CALLS, path: [], role: 'part', calls: count };
  return [...rows, restUs > 0 ? { ...short, totalUs: restUs, share: restUs / wholeUs } : short];
}

function taskRows(trace: RaccoonTrace, runs: readonly StepRun[], wallUs: number): readonly CostRow[] {
  const rows = [...grouped(runs, ({ step }) => String(step.task))].map(([, own]): CostRow => {
    const task = own[0]?.step.task ?? 0;
    const totalUs = tenths(own.reduce((sum, { ownUs }) => sum + ownUs, 0));
    return {
      name: trace.tasks.get(task) ?? `task-${task}`,
      path: [],
      role: 'part',
      calls: own.length,
      totalUs,
      share: totalUs / wallUs,
    };
  });
  return rows.length > 1 ? rows.toSorted((a, b) => (b.totalUs ?? 0) - (a.totalUs ?? 0)) : [];
}

const NO_LAG: Finding = {
  level: 'note',
  id: 'lag-not-measured',
  what: 'The trace has no sample of the lag of the event loop.',
  why: 'They are written behind all steps, so a cut trace has none; or RACCOON_PROFILE_LOOP_LAG switched them off.',
};

function lagTable(trace: RaccoonTrace, leaves: readonly RaccoonStep[]): readonly CostTable[] {
  const found = table('raccoon: event-loop lag', lagRows(trace, leaves));
  return [trace.lag.length === 0 ? { ...found, findings: [NO_LAG] } : { ...found, late: lateTurns(trace) }];
}

export const RACCOON_TRACE: TableReader = { json: ofDocument };
