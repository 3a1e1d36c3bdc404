import type { StepRecord } from './step-sample.js';

/** A step that runs. */
export interface OpenStep {
  readonly sample: StepRecord;
  /** The path of the steps inside it. */
  readonly inside: string;
  /** The one under it on its lane. */
  below: OpenStep | undefined;
  isOpen: boolean;
  /** Whether an `execute` phase said what its body is. */
  hasBody: boolean;
}

/**
 * Node has no tasks, and a viewer wants what is drawn on one row to lie inside each other: a step stands on the row of the step around it,
 * unless another one stands there already. Steps beside each other so have a row each, and rows are used again.
 */
export class StepLanes {
  readonly #tops: (OpenStep | undefined)[] = [undefined];
  /** When the last step of a row ended. */
  readonly #ends: number[] = [0];
  readonly #free: number[] = [];

  /** The row for a step that starts inside another one, or inside none. */
  take(around: OpenStep | undefined): number {
    if (around?.isOpen === true && this.#tops[around.sample.tid] === around) return around.sample.tid;
    if (this.#tops[0] === undefined) return 0;
    for (let lane = this.#free.pop(); lane !== undefined; lane = this.#free.pop())
      if (this.#tops[lane] === undefined) return lane;
    return this.#added();
  }

  enter(step: OpenStep): void {
    const lane = step.sample.tid;
    step.below = this.#tops[lane];
    this.#tops[lane] = step;
  }

  leave(step: OpenStep, now: number): void {
    const lane = step.sample.tid;
    const top = this.#tops[lane];
    if (top !== undefined && top !== step) this.#moveAway(top, step);
    this.#tops[lane] = step.below;
    this.#ends[lane] = now;
    if (step.below === undefined && lane !== 0) this.#free.push(lane);
  }

  /** Steps that outlive the one around them would reach over its end: they go to a row where nothing was since they began. */
  #moveAway(top: OpenStep, from: OpenStep): void {
    const moved: OpenStep[] = [];
    for (let at: OpenStep | undefined = top; at !== undefined && at !== from; at = at.below) moved.push(at);
    const lowest = moved.at(-1);
    if (lowest === undefined || lowest.below !== from) return;
    const since = lowest.sample.ts;
    const free = this.#tops.findIndex(
      (one, lane) => lane !== 0 && one === undefined && (this.#ends[lane] ?? 0) <= since,
    );
    const lane = free < 0 ? this.#added() : free;
    for (const step of moved) step.sample.tid = lane;
    lowest.below = undefined;
    this.#tops[lane] = top;
  }

  #added(): number {
    this.#ends.push(0);
    return this.#tops.push(undefined) - 1;
  }
}
