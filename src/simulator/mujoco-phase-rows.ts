import { PHASES, PHASE_IDS } from './mujoco-phases.js';
import type { Phase } from './mujoco-phases.js';
import type { CostRow, CostTable } from './table.js';

/** What a source says of one phase. */
export interface PhaseCost {
  readonly phase: Phase;
  /** As the source writes it. */
  readonly name: string;
  readonly calls?: number;
  readonly totalUs?: number;
  readonly meanUs?: number;
  readonly perStepUs?: number;
  readonly share?: number;
}

/** Phases whose sum is a step: what they leave of it, no timer covers. */
const TOP: readonly Phase[] = ['POSITION', 'VELOCITY', 'ACTUATION', 'CONSTRAINT', 'INVERSE', 'ADVANCE'];
/** Parts may add up to a little more than their whole: sources round, and clocks are read one after another. */
const ROUNDING = 0.01;

/**
 * Rows of a tree, in its order, from phases in any. What is absent is left out of the paths: a program that steps with mj_step1 and
 * mj_step2 has no forward phase, so that its parts hang on the step. Sources print the tree flat, or hang its rows wrongly.
 */
export function phaseRows(
  costs: readonly PhaseCost[],
): Pick<CostTable, 'rows' | 'wholeUs' | 'restUs' | 'restShare'> {
  const held = new Map(costs.map((cost) => [cost.phase, cost]));
  const ordered = PHASE_IDS.flatMap((phase) => held.get(phase) ?? []);
  const step = held.get('STEP');
  const size = ({ totalUs, perStepUs }: PhaseCost): number | undefined => totalUs ?? perStepUs;
  const whole = step && size(step);
  const top = TOP.flatMap((phase) => held.get(phase) ?? []);
  const restUs = whole === undefined ? undefined : rest(whole, top.map(size));
  const restShare =
    whole === undefined
      ? rest(
          1,
          top.map(({ share }) => share),
        )
      : shareOf(restUs, whole);
  return {
    rows: ordered.map((cost) => row(cost, held, size, whole)),
    ...(whole === undefined ? {} : { wholeUs: whole }),
    ...(restUs === undefined ? {} : { restUs }),
    ...(restShare === undefined ? {} : { restShare }),
  };
}

function row(
  cost: PhaseCost,
  held: ReadonlyMap<Phase, PhaseCost>,
  size: (cost: PhaseCost) => number | undefined,
  whole: number | undefined,
): CostRow {
  const { phase, name, ...said } = cost;
  const path = holders(phase, held);
  const { meaning, lever } = PHASES[phase];
  const own = size(cost);
  const parts = [...held.values()].filter((other) => holderOf(other.phase, held) === phase);
  const self = parts.length === 0 || own === undefined ? undefined : left(own, parts.map(size));
  const share = said.share ?? shareOf(own, whole);
  return {
    name,
    path,
    role: path.length === 0 ? 'step' : 'part',
    ...said,
    ...(share === undefined ? {} : { share }),
    ...(self === undefined ? {} : { selfUs: self }),
    meaning,
    ...(lever === undefined ? {} : { lever }),
  };
}

/** The nearest phase around it that the source has. */
function holderOf(phase: Phase, held: ReadonlyMap<Phase, PhaseCost>): Phase | undefined {
  let { within } = PHASES[phase];
  while (within !== undefined && !held.has(within)) ({ within } = PHASES[within]);
  return within;
}

function holders(phase: Phase, held: ReadonlyMap<Phase, PhaseCost>): readonly string[] {
  const holder = holderOf(phase, held);
  if (holder === undefined) return [];
  return [...holders(holder, held), held.get(holder)?.name ?? ''];
}

/** What parts leave of a whole; unknown where one of them is, and where they are clearly more than it. */
function left(whole: number, parts: readonly (number | undefined)[]): number | undefined {
  const known = parts.filter((part) => part !== undefined);
  if (known.length < parts.length) return undefined;
  const over = known.reduce((sum, part) => sum + part, 0) - whole;
  return over > ROUNDING * whole ? undefined : Math.max(0, -over);
}

function rest(whole: number, parts: readonly (number | undefined)[]): number | undefined {
  return parts.length === 0 ? undefined : left(whole, parts);
}

function shareOf(part: number | undefined, whole: number | undefined): number | undefined {
  return part === undefined || whole === undefined || !(whole > 0) ? undefined : part / whole;
}
