/** Timers as Node has them, whose handles are nobody's business. */
export interface StepTimers {
  readonly setTimeout: (call: () => void, ms: number) => unknown;
  readonly clearTimeout: (timer: unknown) => void;
}

/** Timers that do not keep a program alive. Taken when this file is loaded: tests of the program may replace the global ones. */
export const NODE_TIMERS: StepTimers = /* @__PURE__ */ (() => {
  const { setTimeout: start, clearTimeout: stop } = globalThis;
  return {
    setTimeout: (call, ms) => start(call, ms).unref(),
    clearTimeout: (timer) => stop(timer as NodeJS.Timeout),
  };
})();

/** How late the event loop comes back to a timer: now - (the last time + interval), so that one block shows once. */
export class LagMonitor {
  readonly #intervalMs: number;
  readonly #now: () => number;
  readonly #timers: StepTimers;
  readonly #onSample: (ts: number, lagMs: number) => void;
  #timer: unknown;
  #expected = 0;
  #isOn = false;

  constructor(of: {
    readonly intervalMs: number;
    readonly now: () => number;
    readonly timers: StepTimers;
    readonly onSample: (ts: number, lagMs: number) => void;
  }) {
    this.#intervalMs = of.intervalMs;
    this.#now = of.now;
    this.#timers = of.timers;
    this.#onSample = of.onSample;
  }

  start(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#wait();
  }

  stop(): void {
    this.#isOn = false;
    this.#timers.clearTimeout(this.#timer);
  }

  #wait(): void {
    this.#expected = this.#now() + this.#intervalMs / 1000;
    this.#timer = this.#timers.setTimeout(() => this.#wake(), this.#intervalMs);
  }

  #wake(): void {
    if (!this.#isOn) return;
    const now = this.#now();
    this.#onSample(now, Math.max((now - this.#expected) * 1000, 0));
    this.#wait();
  }
}
