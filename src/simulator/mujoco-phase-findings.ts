import type { Finding } from '../model/index.js';
import { isRk4 } from './mujoco-calls.js';
import type { Phase } from './mujoco-phases.js';

/** What the phases that a source has, and those that it lacks, say of how the program steps. */
export function steppingFindings(phases: ReadonlySet<Phase>): readonly Finding[] {
  const isOf = (phase: Phase): boolean => phases.has(phase);
  return [
    ...(isRk4(phases) ? [RK4] : []),
    ...(isOf('STEP') && isOf('POSITION') && !isOf('FORWARD') ? [HALVES] : []),
    ...(!isOf('STEP') && isOf('POSITION') ? [NO_STEP] : []),
    ...(isOf('STEP') && isOf('INVERSE') ? [FWDINV] : []),
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

const NO_STEP: Finding = {
  level: 'note',
  id: 'mujoco-no-step',
  what: 'No step was counted: the program called mj_forward or mj_inverse, not mj_step.',
  why: 'Times are of those calls, and there is nothing of which they could be shares.',
};

const FWDINV: Finding = {
  level: 'note',
  id: 'mujoco-fwdinv',
  what: 'Each step also computes inverse dynamics: the model asks for it (fwdinv), as a check of the solver.',
  why: 'Where there are constraints it evaluates them once more, which is in the row of the solver, too.',
  fix: 'leave out <flag fwdinv="enable"/>',
};

const NO_COLLISION: Finding = {
  level: 'note',
  id: 'mujoco-no-collisions',
  what: 'Broad and narrow phase have no row: MuJoCo left collision detection before both.',
  why: 'It does so where contacts or constraints are disabled (<flag contact="disable"/>).',
};

/** Sensors and the like, of which the remainder consists. */
export const UNTIMED: Finding = {
  level: 'note',
  id: 'mujoco-untimed',
  what: 'What the rows leave of the step is what MuJoCo does not time: sensors (rangefinders cast their rays there), energy, checks, unconstrained accelerations, callbacks.',
  why: 'The rest is computed here; it is no measurement of its own.',
};
