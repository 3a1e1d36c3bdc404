import { shellLine } from '../model/index.js';
import type { ByStep, SlowStep } from './by-step.js';
import { bucketText } from './names.js';
import { secondText } from './header-text.js';
import { cleanText } from './terminal-text.js';

/** Slowest steps that a screen has lines for. */
const MOST_SHOWN = 5;

/** The slowest steps that are shown. */
export function shownSlowest({ slowest }: ByStep): readonly SlowStep[] {
  return slowest.slice(0, MOST_SHOWN);
}

/** When a step began, in seconds of the window. */
export function beganS({ fromNs }: SlowStep): number {
  return fromNs / 1e9;
}

export function lengthUs({ fromNs, toNs }: SlowStep): number {
  return (toNs - fromNs) / 1e3;
}

/** `waiting for a CPU`; nothing where too few samples say so. */
export function beyondText({ beyond }: SlowStep): string {
  return beyond === undefined ? '' : bucketText(beyond.bucket);
}

/** The line that opens the slowest step that has samples, with the milliseconds that it lies in; undefined where none has. */
export function openSlowest(byStep: ByStep, path: string): string | undefined {
  const step = byStep.slowest.find(({ looks }) => looks > 0);
  if (step === undefined) return undefined;
  const from = secondText(Math.floor(step.fromNs / 1e6) / 1e3);
  const to = secondText(Math.min(Math.ceil(step.toNs / 1e6) / 1e3, byStep.endNs / 1e9));
  return cleanText(shellLine(['profiler', 'hot', path, '--from', from, '--to', to]));
}
