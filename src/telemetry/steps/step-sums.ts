import { isPart } from './phase-kind.js';
import type { NamedPhase, PhaseKind } from './phase-kind.js';
import type { OpenStep } from './step-lanes.js';

/** Where in a step the program is: what `AsyncLocalStorage` hands on. */
export interface Place {
  readonly step: OpenStep;
  readonly isBody: boolean;
  /** Inside a phase that is a part of the step already. */
  readonly isCounted: boolean;
}

export function startOf(step: OpenStep): Place {
  return { step, isBody: false, isCounted: false };
}

export function placeInside(place: Place, kind: PhaseKind): Place {
  if (kind === 'execute') return place.isBody ? place : { ...place, isBody: true };
  return !isPart(kind) || place.isCounted ? place : { ...place, isCounted: true };
}

/** Adds a phase that has ended to the step that it is of. What lies inside its like is not added twice. */
export function addToStep(
  { step, isBody, isCounted }: Place,
  { kind, label }: NamedPhase,
  ts: number,
  dur: number,
  spanMs: number,
): void {
  // What a step leaves behind when it ends is no part of it.
  if (!step.isOpen) return;
  const { sample } = step;
  switch (kind) {
    case 'execute':
      step.hasBody = true;
      if (!isBody) sample.execute += dur;
      break;
    case 'motion':
      // A loop of 100 Hz would fill the trace.
      sample.motionCompute += dur;
      sample.motionUpdates += 1;
      return;
    case 'hal':
      sample.halCalls += 1;
      if (!isCounted) sample.hal += dur;
      break;
    case 'own':
      break;
    default:
      if (!isCounted) sample[kind] += dur;
  }
  const isShort = (kind === 'hal' || kind === 'sleep') && dur * 1000 < spanMs;
  if (!isShort) sample.addPhase(label, ts, dur);
}
