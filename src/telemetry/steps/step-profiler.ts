/**
 * Where the time of a mission of steps goes, after raccoon's StepProfiler (`step_profiler.py` of raccoon-lib): the same options, numbers,
 * report and Chrome trace, for programs of Node.
 */
import { showToInspector } from '../inspected.js';
import type { HalStat } from './hal-stats.js';
import { instrumented, publicMethods } from './instrumented.js';
import type { Instrumented } from './instrumented.js';
import { LoopLag } from './loop-lag.js';
import type { LagSpike } from './lag-spike.js';
import type { LoopDelay } from './loop-watch.js';
import { Patches } from './patches.js';
import { phaseOf } from './phase-kind.js';
import type { PhaseName } from './phase-kind.js';
import { programTraces, warnedOnce } from './program-traces.js';
import { recentSteps } from './recent-steps.js';
import { StepCalls } from './step-calls.js';
import { StepClock } from './step-clock.js';
import { optionsOf } from './step-environment.js';
import type { Environment } from './step-environment.js';
import { StepHistory } from './step-history.js';
import { hostOf, settingsOf } from './step-options.js';
import type { StepHost, StepProfilerOptions, StepSettings } from './step-options.js';
import { stepReport } from './step-report.js';
import type { GcTotals } from './step-report.js';
import type { StepSample } from './step-sample.js';
import type { StepTrace } from './step-trace.js';
import { showRealTimers, timeSleep } from './timed-sleep.js';
import { Troubles } from './troubles.js';

export interface StepOptions {
  /** It consists of other steps: the report leaves it out. */
  readonly composite?: boolean;
}

export interface PhaseOptions {
  /** Of a call into hardware: `Class.method`. */
  readonly method?: string;
}

export class StepProfiler implements Disposable, AsyncDisposable {
  readonly #settings: StepSettings;
  readonly #host: StepHost;
  readonly #clock: StepClock;
  readonly #troubles: Troubles;
  readonly #history: StepHistory;
  readonly #lag: LoopLag;
  readonly #calls: StepCalls;
  readonly #trace: StepTrace | undefined;
  readonly #sleeps = new Patches();
  /** Of each `instrument`, in their order. */
  readonly #patches: Patches[] = [];
  readonly #atExit = (): void => this.#exit();
  readonly #hide: () => void;
  #closing: Promise<void> | undefined;

  /** From the environment, or undefined where that does not ask for it. `more` is for what has no variable. */
  static fromEnv(env: Environment = process.env, more: StepProfilerOptions = {}): StepProfiler | undefined {
    const options = optionsOf(env, more.host?.warn ?? warnedOnce);
    return options === undefined ? undefined : new StepProfiler({ ...options, ...more });
  }

  /** Writes the traces that were kept in memory, and answers the paths of those that are whole. */
  static flushTraces(): Promise<string[]> {
    return programTraces().flush();
  }

  /** One that measures nothing and only calls what it is given, so that a program need not ask whether it has one. */
  static disabled(): StepProfiler {
    const profiler = new StepProfiler({ loopLag: false, sleepTrack: false, printReport: false });
    profiler.#stop();
    return profiler;
  }

  constructor(options: StepProfilerOptions = {}) {
    this.#settings = settingsOf(options);
    this.#host = hostOf(options.host ?? {}, programTraces);
    this.#troubles = new Troubles(this.#host.warn);
    this.#clock = new StepClock(this.#host.clock);
    const { tracePath, mission, deferTrace, sleepTrack } = this.#settings;
    if (tracePath !== undefined)
      this.#trace = this.#troubles.safely(() => this.#host.traces.begin(tracePath, mission, !deferTrace));
    this.#history = new StepHistory(this.#settings, this.#trace);
    this.#lag = new LoopLag(this.#settings, this.#host, this.#clock, this.#history, this.#trace);
    this.#calls = new StepCalls({
      settings: this.#settings,
      clock: this.#clock,
      history: this.#history,
      lag: this.#lag,
      troubles: this.#troubles,
    });
    if (sleepTrack) {
      const sleep = phaseOf('sleep');
      this.#troubles.safely(() => timeSleep(this.#sleeps, (call) => this.#calls.phase(sleep, call, false)));
    }
    this.#host.traces.watch(this.#atExit);
    this.#hide = showToInspector({
      kind: 'steps',
      name: mission ?? '',
      now: () => this.#clock.now() * 1000,
      since: (ms) => recentSteps(this.#history, ms, this.#clock.now() * 1000),
    });
  }

  /** The file of the trace; with a mission it has that in its name. */
  get tracePath(): string | undefined {
    return this.#trace?.path;
  }

  /** The options that it has, defaults among them. */
  get settings(): StepSettings {
    return this.#settings;
  }

  /** The newest, up to `maxSamples`; also of steps that run. */
  get samples(): readonly StepSample[] {
    return this.#history.samples;
  }

  get lagSpikes(): readonly LagSpike[] {
    return this.#lag.spikes;
  }

  /** Seconds since the profiler started, and milliseconds. */
  get lagSamples(): readonly (readonly [ts: number, lagMs: number])[] {
    return this.#lag.samples;
  }

  get maxLagMs(): number {
    return this.#lag.maxMs;
  }

  /** Calls into hardware by `Class.method`, also those outside of steps. */
  get halStats(): ReadonlyMap<string, HalStat> {
    return this.#calls.halStats.byMethod;
  }

  get gc(): GcTotals {
    return this.#lag.gc;
  }

  /** What `monitorEventLoopDelay` says, where it ran. */
  get loopDelay(): LoopDelay | undefined {
    return this.#lag.delay();
  }

  /** Runs a step: hands back what `fn` does, or throws what it throws. */
  step<Result>(signature: string, fn: () => Result, options?: StepOptions): Result {
    return this.#calls.step(signature, options?.composite === true, fn);
  }

  /** Runs a part of the step that is running. Outside of steps only calls into hardware are counted. */
  phase<Result>(name: PhaseName, fn: () => Result, options?: PhaseOptions): Result {
    return this.#calls.isOff ? fn() : this.#calls.phase(phaseOf(name, options?.method), fn, true);
  }

  /** Times methods of an object or a prototype as a phase until the profiler ends; `all` is what does not begin with `_`. */
  instrument<Owner extends object>(
    owner: Owner,
    methods: readonly (keyof Owner & string)[] | 'all' = 'all',
    phase: PhaseName = 'hal',
  ): Instrumented {
    const patches = new Patches();
    const done = this.#calls.isOff
      ? undefined
      : this.#troubles.safely(() =>
          instrumented(patches, owner, methods === 'all' ? publicMethods(owner) : methods, (label) => {
            const named = phaseOf(phase, label);
            return (call) => this.#calls.phase(named, call, false);
          }),
        );
    this.#patches.push(patches);
    const undo = (): void => this.#undo(patches);
    return { methods: done?.methods ?? [], leftAlone: done?.leftAlone ?? [], undo, [Symbol.dispose]: undo };
  }

  /** Begins to watch the event loop now, rather than with the first step. */
  start(): this {
    if (!this.#calls.isOff) this.#troubles.safely(() => this.#lag.start());
    return this;
  }

  /** As raccoon prints it, of all that is known so far. */
  formatReport(): string {
    return stepReport({
      ...this.#lag.reported(),
      ...this.#history.reported(),
      halStats: this.#calls.halStats.byMethod,
      top: this.#settings.top,
      trace: this.#trace?.state,
      clockSetBack: this.#clock.setBacks,
    });
  }

  /** Puts everything back, and writes or keeps the trace; then the report. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** The same without waiting: a trace that is not deferred is then written in the background. */
  [Symbol.dispose](): void {
    if (this.#calls.isOff) return;
    this.#stop();
    this.#troubles.safely(() => this.#endTrace());
    this.#report();
  }

  /** `await using` asks for this when it begins: there is an event loop, so that it can be watched from here on. `using` does not. */
  get [Symbol.asyncDispose](): () => Promise<void> {
    this.start();
    return () => this.close();
  }

  async #close(): Promise<void> {
    if (this.#calls.isOff) return;
    // Pauses of the collector are told only when the loop has turned.
    await this.#lag.settled();
    if (this.#calls.isOff) return;
    this.#stop();
    try {
      if (this.#settings.deferTrace) this.#endTrace();
      else await this.#writeTrace();
    } catch (error) {
      this.#troubles.tell(error);
    }
    this.#report();
  }

  async #writeTrace(): Promise<void> {
    if (this.#trace === undefined) return;
    this.#trace.close(this.#history.open());
    await this.#host.traces.finish(this.#trace);
  }

  #endTrace(): void {
    const trace = this.#trace;
    if (trace === undefined) return;
    trace.close(this.#history.open());
    if (this.#settings.deferTrace) this.#host.traces.hold(trace);
    else this.#host.traces.finishSoon(trace);
  }

  /** The program ends, with steps that may not have. */
  #exit(): void {
    this.#stop();
    this.#troubles.safely(() => {
      this.#trace?.close(this.#history.open());
      if (this.#trace !== undefined) this.#host.traces.endNow(this.#trace);
    });
    this.#report();
  }

  #stop(): void {
    this.#calls.turnOff();
    this.#troubles.safely(() => this.#lag.stop());
    for (const patches of this.#patches.toReversed()) this.#undo(patches);
    this.#undo(this.#sleeps);
    if (this.#settings.sleepTrack) this.#troubles.safely(showRealTimers);
    this.#troubles.safely(() => this.#host.traces.forget(this.#atExit));
    this.#hide();
  }

  #undo(patches: Patches): void {
    const staying = this.#troubles.safely(() => patches.undo()) ?? [];
    if (staying.length > 0)
      this.#troubles.warn(
        `Something else was put over ${staying.join(', ')}: it stays there, and what is under it only passes calls on.`,
      );
  }

  #report(): void {
    if (this.#settings.printReport) this.#troubles.safely(() => this.#host.print(`${this.formatReport()}\n`));
  }
}
