import type { Recording, StepPhase } from '../recording/index.js';
import type { RealTime } from '../report/index.js';

/** A sampler that changes the factor by more than this is not to be in it. */
const OBSERVED = 0.01;

interface Timed {
  readonly simulatedS: number;
  readonly wallS: number;
  readonly doubtS: number;
}

/**
 * The simulation's real-time factor, as its own time says. While it was sampled, unless it was another one beside that, or the sampler stops its
 * target for every look. Undefined where it is not known.
 */
export function realTimeOf({ steps, native, backend }: Recording): RealTime | undefined {
  if (steps === undefined) return undefined;
  const during = sumOf(steps.phases.filter(({ phase }) => phase === 'during'));
  const beside = sumOf(steps.phases.filter(({ phase }) => phase !== 'during'));
  const stops = native && backend.startsWith('py-spy') && !backend.includes('perf');
  const isObserved =
    during !== undefined &&
    beside !== undefined &&
    Math.abs(factorOf(during) / factorOf(beside) - 1) > OBSERVED;
  const measured = stops || isObserved || during === undefined ? 'beside' : 'during';
  const timed = measured === 'beside' ? beside : during;
  if (timed === undefined) return undefined;
  const factor = factorOf(timed);
  // A step is whole or is none: at either end by up to one.
  const margin = ((steps.timestepS ?? 0) + factor * timed.doubtS) / timed.wallS;
  return {
    factor,
    low: Math.max(0, factor - margin),
    high: factor + margin,
    measured,
    wallS: timed.wallS,
    ...(steps.timestepS === undefined ? {} : { timestepS: steps.timestepS }),
    resets: steps.phases.reduce((sum, { resets }) => sum + (resets ?? 0), 0),
  };
}

/** Undefined where nothing was measured, or not all of it timed. */
function sumOf(phases: readonly StepPhase[]): Timed | undefined {
  let simulatedS = 0;
  let wallS = 0;
  let doubtS = 0;
  for (const phase of phases) {
    if (phase.simulatedS === undefined) return undefined;
    simulatedS += phase.simulatedS;
    doubtS += phase.doubtS ?? 0;
    wallS += Number(BigInt(phase.endNs) - BigInt(phase.startNs)) / 1e9;
  }
  return wallS > 0 ? { simulatedS, wallS, doubtS } : undefined;
}

function factorOf({ simulatedS, wallS }: Timed): number {
  return simulatedS / wallS;
}
