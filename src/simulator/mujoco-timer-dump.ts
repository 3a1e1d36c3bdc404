/** Dumps of MuJoCo's timers by `MUJOCO_TIMER_SNIPPET`: seconds and counts of each phase since the data were last reset. */
import type { Finding } from '../model/index.js';
import { entriesOf, finite, jsonLines, textOf } from './json-lines.js';
import { RK4_CALLS } from './mujoco-calls.js';
import { UNTIMED, steppingFindings } from './mujoco-phase-findings.js';
import { phaseRows } from './mujoco-phase-rows.js';
import type { PhaseCost } from './mujoco-phase-rows.js';
import { PHASE_IDS } from './mujoco-phases.js';
import type { Phase } from './mujoco-phases.js';
import type { CostTable, TableReader, TableRun } from './table.js';

const MARK = 'mujoco_timer';
const US_PER_S = 1e6;
/** A program may evaluate forward dynamics now and then beside its steps, after a reset for one. */
const BESIDE = 0.01;

interface Stat {
  readonly phase: Phase;
  readonly number: number;
  readonly durationS: number;
}

function fromJson(document: unknown): readonly CostTable[] | undefined {
  return entriesOf(document).has(MARK) ? tables(document, 0) : undefined;
}

function fromText(lines: readonly string[]): readonly CostTable[] {
  return jsonLines(lines, MARK).flatMap(({ document, at }) => tables(document, at));
}

function tables(document: unknown, at: number): readonly CostTable[] {
  const dump = entriesOf(document);
  const counted = stats(dump.get('timer')).filter(({ number }) => number > 0);
  if (counted.length === 0) return [];
  const steps = counted.find(({ phase }) => phase === 'STEP');
  const isTimed = counted.some(({ durationS }) => durationS > 0) && textOf(dump.get('unit')) === 's';
  const { inside, beside } = parted(counted, steps?.number);
  const costs = inside.map((stat) => cost(stat, steps?.number, isTimed));
  const simulatedS = finite(dump.get('timestep'));
  const wallS = isTimed ? steps?.durationS : undefined;
  const present = new Set(inside.map(({ phase }) => phase));
  return [
    {
      kind: 'mujoco-timers',
      title: titleOf(dump),
      lines: { from: at + 1, to: at + 1 },
      ...phaseRows(costs),
      ...(steps === undefined ? {} : { steps: steps.number }),
      ...(simulatedS === undefined || simulatedS <= 0 ? {} : { timestepS: simulatedS }),
      ...(steps === undefined || wallS === undefined ? {} : { stepsPerS: steps.number / wallS }),
      ...(steps === undefined || wallS === undefined || simulatedS === undefined
        ? {}
        : { realTimeFactor: (steps.number * simulatedS) / wallS }),
      ...runOf(dump),
      findings: [
        ...(isTimed ? [] : [notTimed(textOf(dump.get('mujoco')))]),
        ...(dump.get('callback') === true ? [OWN_CLOCK] : []),
        ...(isTimed && steps !== undefined ? [PHYSICS_ALONE] : []),
        ...beside.map((what) => besideSteps(what, steps?.number ?? 0)),
        ...steppingFindings(present),
        ...(isTimed ? [UNTIMED] : []),
      ],
    },
  ];
}

/** What the program said of itself; dumps of other makers need not. */
function runOf(dump: ReadonlyMap<string, unknown>): { readonly run?: TableRun } {
  const [pid, timestepS] = [finite(dump.get('pid')), finite(dump.get('timestep'))];
  const [kernel, python, mujoco] = ['kernel', 'python', 'mujoco'].map((key) => textOf(dump.get(key)));
  const run: TableRun = {
    ...(pid === undefined ? {} : { pid }),
    ...(kernel === undefined ? {} : { kernel }),
    ...(python === undefined ? {} : { python }),
    ...(mujoco === undefined ? {} : { mujoco }),
    ...(timestepS === undefined ? {} : { timestepS }),
  };
  return Object.keys(run).length === 0 ? {} : { run };
}

/** Names, not places: releases before 3.2 have one phase more in the middle. */
function stats(timer: unknown): readonly Stat[] {
  const held = entriesOf(timer);
  return PHASE_IDS.flatMap((phase) => {
    const stat = entriesOf(held.get(`mjTIMER_${phase}`));
    const number = finite(stat.get('number'));
    const durationS = finite(stat.get('duration'));
    return number === undefined || durationS === undefined ? [] : [{ phase, number, durationS }];
  });
}

interface Beside {
  readonly call: 'mj_forward' | 'mj_inverse';
  readonly calls: number;
}

/**
 * What a program asked for beside its steps, told by counts. Each call of mj_forward or mj_inverse counts one of its own and one of
 * positions; a step by mj_step1 and mj_step2 counts positions only. Whatever is all of the program's own is no part of the step: no row.
 */
function parted(
  counted: readonly Stat[],
  steps: number | undefined,
): { readonly inside: readonly Stat[]; readonly beside: readonly Beside[] } {
  if (steps === undefined) return { inside: counted, beside: [] };
  const of = (phase: Phase): number => counted.find((stat) => stat.phase === phase)?.number ?? 0;
  const [forward, inverse, positions] = [of('FORWARD'), of('INVERSE'), of('POSITION')];
  const isHalves = forward < steps || positions - forward - inverse >= steps / 2;
  const own = of('ADVANCE') === 0 ? RK4_CALLS * steps : steps;
  const inverses = Math.min(inverse, positions - forward - (isHalves ? steps : 0));
  const beside: readonly Beside[] = [
    { call: 'mj_forward', calls: isHalves ? forward : forward - own },
    { call: 'mj_inverse', calls: inverses },
  ];
  return {
    inside: counted.filter(
      ({ phase }) =>
        !(phase === 'FORWARD' && isHalves) && !(phase === 'INVERSE' && inverses > inverse * (1 - BESIDE)),
    ),
    beside: beside.filter(({ calls }) => calls > BESIDE * steps),
  };
}

function cost({ phase, number, durationS }: Stat, steps: number | undefined, isTimed: boolean): PhaseCost {
  const totalUs = durationS * US_PER_S;
  return {
    phase,
    name: `mjTIMER_${phase}`,
    calls: number,
    ...(isTimed ? { totalUs, meanUs: totalUs / number } : {}),
    ...(isTimed && steps !== undefined ? { perStepUs: totalUs / steps } : {}),
  };
}

function titleOf(dump: ReadonlyMap<string, unknown>): string {
  const release = textOf(dump.get('mujoco'));
  const setting = [dump.get('integrator'), dump.get('solver')]
    .flatMap((value) => textOf(value)?.replace(/^mj(?:INT|SOL)_/, '') ?? [])
    .join(', ');
  const name = release === undefined ? 'MuJoCo timers' : `MuJoCo ${release} timers`;
  return setting === '' ? name : `${name} (${setting})`;
}

function notTimed(release: string | undefined): Finding {
  return {
    level: 'warning',
    id: 'mujoco-timers-without-clock',
    what: `MuJoCo${release === undefined ? '' : ` ${release}`} counted its phases and timed none of them: it had no clock, or one of an unknown unit.`,
    why: 'The Python package comes with a clock from 3.3.1 on; before, all durations stay 0 until one is set.',
    fix: 'mujoco.set_mjcb_time(time.perf_counter) before the loop, at some microseconds for each step; or a later MuJoCo',
  };
}

const OWN_CLOCK: Finding = {
  level: 'note',
  id: 'mujoco-callback-cost',
  what: 'The program has set a clock of its own (mjcb_time), which MuJoCo asks about 32 times a step: the times hold its cost, in seconds only if it gives seconds.',
  why: 'An answer from Python needs the interpreter and its lock; short phases look longer than they are.',
  fix: 'from MuJoCo 3.3.1 on leave out set_mjcb_time: mjData.timer fills by itself',
};

const PHYSICS_ALONE: Finding = {
  level: 'note',
  id: 'physics-alone',
  what: 'Steps per second and real-time factor are of physics alone: what the loop would reach if it did nothing else.',
  why: 'Controllers, sensors of the program, publishing, pacing and waits for the interpreter are outside of what MuJoCo times.',
};

function besideSteps({ call, calls }: Beside, steps: number): Finding {
  return {
    level: 'note',
    id: 'mujoco-beside-steps',
    what: `The program called ${call} ${String(calls)} times beside its ${String(steps)} steps.`,
    why: 'The times of its phases are in the same rows, so that parts may add up to more than the step.',
    fix: `look for ${call} in the loop: after a step, much of what it computes is known already`,
  };
}

export const MUJOCO_TIMER_DUMP: TableReader = { text: fromText, json: fromJson };
