import type { Phase } from './mujoco-phases.js';

/** Evaluations of forward dynamics in one step of RK4. */
export const RK4_CALLS = 4;

/** MuJoCo times the end of a step in every integrator but RK4: phases of steps without it are those of RK4. */
export function isRk4(phases: ReadonlySet<Phase>): boolean {
  return phases.has('STEP') && phases.has('POSITION') && !phases.has('ADVANCE');
}

/**
 * How often a phase is called in a step, for sources that say "per step" and divide each phase by its own count. The check of inverse
 * dynamics runs, and evaluates constraints once more, only in steps that have any: how often, such a source does not say.
 */
export function callsPerStep(phase: Phase, phases: ReadonlySet<Phase>): number | undefined {
  if (phase === 'STEP' || phase === 'ADVANCE') return 1;
  if (phases.has('INVERSE') && (phase === 'INVERSE' || phase === 'CONSTRAINT')) return undefined;
  return isRk4(phases) ? RK4_CALLS : 1;
}
