import { AsyncLocalStorage } from 'node:async_hooks';
import { HalStats } from './hal-stats.js';
import type { LoopLag } from './loop-lag.js';
import type { NamedPhase } from './phase-kind.js';
import { whenSettled } from './settled.js';
import type { StepClock } from './step-clock.js';
import type { StepHistory } from './step-history.js';
import type { OpenStep } from './step-lanes.js';
import type { StepSettings } from './step-options.js';
import { addToStep, placeInside, startOf } from './step-sums.js';
import type { Place } from './step-sums.js';
import type { Troubles } from './troubles.js';

/** Calls what the program hands over, as a step or as a phase of the step that is running, and takes the time. */
export class StepCalls {
  readonly halStats = new HalStats();
  readonly #settings: StepSettings;
  readonly #clock: StepClock;
  readonly #history: StepHistory;
  readonly #lag: LoopLag;
  readonly #troubles: Troubles;
  readonly #context = new AsyncLocalStorage<Place>();
  #isOff = false;

  constructor(of: {
    readonly settings: StepSettings;
    readonly clock: StepClock;
    readonly history: StepHistory;
    readonly lag: LoopLag;
    readonly troubles: Troubles;
  }) {
    this.#settings = of.settings;
    this.#clock = of.clock;
    this.#history = of.history;
    this.#lag = of.lag;
    this.#troubles = of.troubles;
  }

  /** From here on it only calls. A context that is in use makes every promise of a program dearer, on Node 20 and 22. */
  turnOff(): void {
    this.#isOff = true;
    this.#context.disable();
  }

  get isOff(): boolean {
    return this.#isOff;
  }

  step<Result>(signature: string, composite: boolean, fn: () => Result): Result {
    const step = this.#isOff ? undefined : this.#begin(signature, composite);
    if (step === undefined) return fn();
    const end = (): void => this.#end(step);
    let result: Result;
    try {
      result = this.#context.run(startOf(step), fn);
    } catch (error) {
      end();
      throw error;
    }
    return whenSettled(result, true, end);
  }

  /** `isAdopted`: an object that is more than a promise is awaited, not handed back as it is. */
  phase<Result>(phase: NamedPhase, fn: () => Result, isAdopted: boolean): Result {
    if (this.#isOff) return fn();
    const place = this.#context.getStore();
    if (!this.#isTimed(phase, place)) return fn();
    const inside = place === undefined ? undefined : placeInside(place, phase.kind);
    const ts = this.#clock.now();
    const end = (): void => this.#endPhase(phase, place, ts);
    let result: Result;
    try {
      result = inside === undefined || inside === place ? fn() : this.#context.run(inside, fn);
    } catch (error) {
      end();
      throw error;
    }
    return whenSettled(result, isAdopted, end);
  }

  #isTimed({ kind }: NamedPhase, place: Place | undefined): boolean {
    if (kind === 'hal') return this.#settings.hal;
    return place !== undefined && (kind !== 'sleep' || this.#settings.sleepTrack);
  }

  #begin(signature: string, composite: boolean): OpenStep | undefined {
    try {
      this.#lag.start();
      const around = this.#context.getStore()?.step;
      return this.#history.begin(signature, composite, around, this.#clock.now());
    } catch (error) {
      this.#troubles.tell(error);
      return undefined;
    }
  }

  #end(step: OpenStep): void {
    try {
      this.#history.end(step, this.#clock.now());
    } catch (error) {
      this.#troubles.tell(error);
    }
  }

  #endPhase(phase: NamedPhase, place: Place | undefined, ts: number): void {
    try {
      const dur = this.#clock.now() - ts;
      if (phase.kind === 'hal') this.halStats.add(phase.method, dur);
      if (place !== undefined) addToStep(place, phase, ts, dur, this.#settings.halSpanMs);
    } catch (error) {
      this.#troubles.tell(error);
    }
  }
}
