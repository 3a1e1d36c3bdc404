import type { StepParts } from './raccoon-parts.js';
import type { RaccoonStep } from './raccoon-trace-events.js';

/** One run of a step that is no composite, without the steps that its body ran. */
export interface StepRun {
  readonly step: RaccoonStep;
  readonly ownUs: number;
  /** Of steps that its body ran itself. */
  readonly innerUs: number;
  readonly parts: StepParts;
}

export interface StepRuns {
  readonly runs: readonly StepRun[];
  readonly composites: readonly RaccoonStep[];
  /** Steps that had not ended when the profiler did: it writes them with a duration of 0. */
  readonly unended: readonly RaccoonStep[];
}

/** The identities of the profiler hold for each run by itself; a sum of them may hide one that is cut off at 0. */
export function stepRuns(steps: readonly RaccoonStep[]): StepRuns {
  const ended = steps.filter(({ startUs, endUs }) => endUs > startUs);
  const inner = innerTimes(ended.filter(({ isComposite }) => !isComposite));
  return {
    runs: ended.filter(({ isComposite }) => !isComposite).map((step) => runOf(step, inner.get(step) ?? 0)),
    composites: ended.filter(({ isComposite }) => isComposite),
    unended: steps.filter(({ startUs, endUs }) => endUs <= startUs),
  };
}

/** By step: what the steps take that run inside it on the same task. */
function innerTimes(steps: readonly RaccoonStep[]): ReadonlyMap<RaccoonStep, number> {
  const inner = new Map<RaccoonStep, number>();
  const openOf = new Map<number, RaccoonStep[]>();
  for (const step of steps.toSorted((a, b) => a.startUs - b.startUs || b.endUs - a.endUs)) {
    const open = openOf.get(step.task) ?? [];
    openOf.set(step.task, open);
    for (let top = open.at(-1); top !== undefined && top.endUs <= step.startUs; top = open.at(-1)) open.pop();
    const outer = open.at(-1);
    if (outer !== undefined)
      inner.set(outer, (inner.get(outer) ?? 0) + Math.min(step.endUs, outer.endUs) - step.startUs);
    open.push(step);
  }
  return inner;
}

function runOf(step: RaccoonStep, innerUs: number): StepRun {
  const totalUs = tenths(step.endUs - step.startUs);
  const executeUs = Math.max(step.executeUs - innerUs, 0);
  const overheadUs = Math.max(totalUs - step.executeUs, 0);
  return {
    step,
    ownUs: tenths(totalUs - innerUs),
    innerUs,
    parts: {
      executeUs: tenths(executeUs),
      overheadUs: tenths(overheadUs),
      dbWriteUs: step.dbWriteUs,
      dbReadUs: step.dbReadUs,
      acquireUs: step.acquireUs,
      otherUs: tenths(Math.max(overheadUs - step.dbReadUs - step.dbWriteUs - step.acquireUs, 0)),
      sleepUs: step.sleepUs,
      halUs: step.halUs,
      computeUs: tenths(Math.max(executeUs - step.sleepUs - step.halUs, 0)),
    },
  };
}

/** Times are written in tenths of a microsecond. */
export function tenths(us: number): number {
  return Math.round(us * 10) / 10;
}

export function sumOfParts(runs: readonly StepRun[]): StepParts {
  const sum = (of: (parts: StepParts) => number): number =>
    tenths(runs.reduce((total, { parts }) => total + of(parts), 0));
  return {
    executeUs: sum(({ executeUs }) => executeUs),
    overheadUs: sum(({ overheadUs }) => overheadUs),
    dbWriteUs: sum(({ dbWriteUs }) => dbWriteUs),
    dbReadUs: sum(({ dbReadUs }) => dbReadUs),
    acquireUs: sum(({ acquireUs }) => acquireUs),
    otherUs: sum(({ otherUs }) => otherUs),
    sleepUs: sum(({ sleepUs }) => sleepUs),
    halUs: sum(({ halUs }) => halUs),
    computeUs: sum(({ computeUs }) => computeUs),
  };
}

/** By a text, in the order in which each came first. */
export function grouped<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): ReadonlyMap<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
