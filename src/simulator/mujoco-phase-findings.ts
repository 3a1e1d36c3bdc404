import type { Finding } from '../model/index.js';
import type { Phase } from './mujoco-phases.js';

/** MuJoCo times the end of a step in every integrator but RK4: a table of steps without it is one of RK4. */
export function isRk4(phases: ReadonlySet<Phase>): boolean {
  return phases.has('STEP') && phases.has('POSITION') && !phases.has('ADVANCE');
}

/** Evaluations of forward dynamics in one step of RK4. */
export const RK4_CALLS = 4;

/** What a table of phases without all of them says of how the program steps. */
export function absentPhases(phases: ReadonlySet<Phase>): readonly Finding[] {
  const isOf = (phase: Phase): boolean => phases.has(phase);
  return [
    ...(isRk4(phases) ? [RK4] : []),
    ...(isOf('STEP') && isOf('POSITION') && !isOf('FORWARD') ? [HALVES] : []),
    ...(!isOf('STEP') && isOf('FORWARD') ? [FORWARD_ALONE] : []),
    ...(isOf('POS_COLLISION') && !isOf('COL_NARROW') ? [NO_COLLISION] : []),
  ];
}

const RK4: Finding = {
  level: 'note',
  id: 'mujoco-rk4',
  what: 'The model is integrated by RK4: each step computes forward dynamics four times, and no row is the integration.',
  why: 'MuJoCo times the integration of all integrators but this one; it is in what no row accounts for.',
  fix: 'compare with <option integrator="implicitfast"/>: one evaluation for each step, a quarter of the work',
};

const HALVES: Finding = {
  level: 'note',
  id: 'mujoco-step-halves',
  what: 'The program steps by mj_step1 and mj_step2 (dm_control does): forward dynamics has no row, as MuJoCo never counts it there.',
  why: 'Its parts stand directly below the step, and what happens between the two halves is in none of them.',
};

const FORWARD_ALONE: Finding = {
  level: 'note',
  id: 'mujoco-no-step',
  what: 'No step was counted: the program called mj_forward, not mj_step.',
  why: 'Times are of calls of mj_forward, and there is nothing of which they could be shares.',
};

const NO_COLLISION: Finding = {
  level: 'note',
  id: 'mujoco-no-collisions',
  what: 'Broad and narrow phase have no row: collision detection found nothing to do and returned at once.',
  why: 'MuJoCo leaves it before both where contacts or constraints are disabled, or where a model has no geoms that could touch.',
};

/** Sensors and the like, of which the remainder consists. */
export const UNTIMED: Finding = {
  level: 'note',
  id: 'mujoco-untimed',
  what: 'What the rows leave of the step is what MuJoCo does not time: sensors (rangefinders cast their rays there), energy, checks, unconstrained accelerations, callbacks.',
  why: 'The rest is computed here; it is no measurement of its own.',
};
