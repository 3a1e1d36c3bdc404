/**
 * The table of FlyGym's `--mujoco-timing`: MuJoCo's timers by phase, all divided by the number of steps. As its scripts/replay_behavior_cpu.py
 * prints it, by tabulate, which strips the blanks that were to indent its labels: the tree is rebuilt from what the labels are known to be.
 */
import type { Finding } from '../model/index.js';
import { grids, numberIn } from './grid.js';
import type { Grid } from './grid.js';
import { UNTIMED, steppingFindings } from './mujoco-phase-findings.js';
import { phaseRows } from './mujoco-phase-rows.js';
import type { PhaseCost } from './mujoco-phase-rows.js';
import { phaseLabelled } from './mujoco-phases.js';
import type { CostTable, TableReader } from './table.js';

const TITLE = /^MuJoCo per-phase physics timing \((\d+) steps\):$/;
const LOOP = /^Simulated (\d+) steps in /;
/** Between the title and the table, and from the line on the loop to the title. */
const NEAR = 6;

function timerTables(lines: readonly string[]): readonly CostTable[] {
  return grids(lines).flatMap((grid) => {
    const isOurs =
      grid.head[0] === 'Phase' && grid.head.includes('us/step') && grid.head.includes('% of step');
    return isOurs ? table(lines, grid) : [];
  });
}

function table(lines: readonly string[], grid: Grid): readonly CostTable[] {
  const title = before(lines, grid.first, TITLE);
  const steps = title?.number;
  const costs = grid.rows.flatMap((cells) => cost(cells, grid.head, steps));
  const unknown = grid.rows.length - costs.length;
  if (costs.length === 0) return [];
  const phases = new Set(costs.map(({ phase }) => phase));
  const loop = before(lines, title?.at ?? grid.first, LOOP)?.number;
  return [
    {
      kind: 'mujoco-timers',
      title: 'FlyGym: phases of a MuJoCo step',
      lines: { from: (title?.at ?? grid.first) + 1, to: grid.last + 1 },
      ...phaseRows(costs),
      ...(steps === undefined ? {} : { steps }),
      findings: [
        ...(loop === undefined || steps === undefined || steps >= loop ? [] : [timersReset(steps, loop)]),
        callbackCost(costs),
        ...steppingFindings(phases),
        UNTIMED,
        ...(unknown > 0 ? [unknownRows(unknown)] : []),
      ],
    },
  ];
}

/** The last line like it shortly before a place, and the number in it. */
function before(
  lines: readonly string[],
  at: number,
  pattern: RegExp,
): { readonly at: number; readonly number: number } | undefined {
  for (let place = at - 1; place >= Math.max(0, at - NEAR); place -= 1) {
    const number = pattern.exec((lines[place] ?? '').trim())?.[1];
    if (number !== undefined) return { at: place, number: Number(number) };
  }
  return undefined;
}

function cost(
  cells: readonly string[],
  head: readonly string[],
  steps: number | undefined,
): readonly PhaseCost[] {
  const name = cells[0] ?? '';
  const phase = phaseLabelled(name);
  const of = (column: string): number | undefined => numberIn(cells[head.indexOf(column)]);
  const totalMs = of('Total (ms)');
  const perStepUs = of('us/step');
  const percent = of('% of step');
  if (phase === undefined) return [];
  return [
    {
      phase,
      name,
      // How often the others were called, the table does not say: of RK4 it is four times a step.
      ...(phase === 'STEP' && steps !== undefined ? { calls: steps } : {}),
      ...(totalMs === undefined ? {} : { totalUs: totalMs * 1000 }),
      ...(perStepUs === undefined ? {} : { perStepUs }),
      ...(percent === undefined ? {} : { share: percent / 100 }),
    },
  ];
}

/** MuJoCo asks the clock at both ends of each phase: 32 times a step in 3.16, at about 5 us in all with `time.perf_counter` and nobody else at the interpreter. */
function callbackCost(costs: readonly PhaseCost[]): Finding {
  const step = costs.find(({ phase }) => phase === 'STEP')?.perStepUs;
  return {
    level: 'note',
    id: 'mujoco-callback-cost',
    what: `The times hold those of a clock in Python, asked at least ${String(2 * costs.length)} times a step${
      step === undefined ? '' : ` of ${String(step)} us`
    }: --mujoco-timing installs it (mjcb_time).`,
    why: 'Each answer needs the interpreter and its lock: short phases look longer than they are, and all of them wait where another thread holds the lock.',
    fix: 'From MuJoCo 3.3.1 on leave out --mujoco-timing, and use what profiler tables --snippet mujoco prints.',
  };
}

function timersReset(steps: number, loop: number): Finding {
  return {
    level: 'warning',
    id: 'mujoco-timers-reset',
    what: `The timers hold ${String(steps)} of the ${String(loop)} steps of the loop: the data were reset in between.`,
    why: 'MuJoCo clears its timers with the data, and resets data by itself where a simulation becomes unstable; the table is of the last steps only.',
    fix: 'look for "The simulation is unstable" in the log; a smaller timestep, or another integrator',
  };
}

function unknownRows(count: number): Finding {
  return {
    level: 'note',
    id: 'mujoco-unknown-phases',
    what: `${String(count)} ${count === 1 ? 'row of the table is' : 'rows of the table are'} of phases that are not known here, and left out.`,
    why: 'A later release may name them otherwise.',
  };
}

export const MUJOCO_TIMER_TABLE: TableReader = { text: timerTables };
