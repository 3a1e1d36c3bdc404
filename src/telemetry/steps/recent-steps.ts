import { toldName } from '../inspected.js';
import type { StepHistory } from './step-history.js';
import type { StepRecord } from './step-sample.js';

/** A step for a profiler that looks at it from outside; times in milliseconds of the profiler's clock. */
export interface RecentStep {
  readonly signature: string;
  readonly path: string;
  readonly composite: boolean;
  readonly lane: number;
  readonly startMs: number;
  readonly endMs: number;
  /** It runs: `endMs` is now. */
  readonly isOpen: boolean;
  readonly phases: readonly (readonly [label: string, startMs: number, endMs: number])[];
}

export interface RecentSteps {
  readonly steps: readonly RecentStep[];
  /** Those that ended before them, and phases, for which there was no room. */
  readonly leftOut: number;
}

/** A program that makes so many a second is not read step by step. */
const MOST_STEPS = 20_000;
const MOST_PHASES = 50_000;

/** Steps that ended from a moment on, and those that run: these before all others, since what ended is inside of them. */
export function recentSteps(history: StepHistory, sinceMs: number, nowMs: number): RecentSteps {
  if (sinceMs === Infinity) return { steps: [], leftOut: 0 };
  const open = new Set(history.open());
  const found = history.samples.filter((step) => open.has(step) || (step.ts + step.total) * 1000 >= sinceMs);
  const running = found.filter((step) => open.has(step));
  let roomOpen = Math.min(running.length, MOST_STEPS);
  let roomEnded = MOST_STEPS - roomOpen;
  let room = MOST_PHASES;
  let leftOut = 0;
  const steps: RecentStep[] = [];
  for (const step of found.toReversed()) {
    const isOpen = open.has(step);
    if ((isOpen ? roomOpen-- : roomEnded--) <= 0) {
      leftOut += 1;
      continue;
    }
    const own = step.phases.slice(0, room);
    room -= own.length;
    leftOut += step.phases.length - own.length;
    steps.push({ ...placeOf(step, isOpen ? nowMs : undefined), phases: own.map(spanOf) });
  }
  return { steps: steps.toReversed(), leftOut };
}

function placeOf(step: StepRecord, nowMs: number | undefined): Omit<RecentStep, 'phases'> {
  const { signature, path, composite, tid, ts, total } = step;
  const endMs = nowMs ?? (ts + total) * 1000;
  return {
    signature: toldName(signature),
    path: toldName(path),
    composite,
    lane: tid,
    startMs: ts * 1000,
    endMs,
    isOpen: nowMs !== undefined,
  };
}

function spanOf({ label, ts, dur }: StepRecord['phases'][number]): RecentStep['phases'][number] {
  return [toldName(label), ts * 1000, (ts + dur) * 1000];
}
