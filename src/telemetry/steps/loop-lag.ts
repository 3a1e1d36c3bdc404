import { AsyncResource } from 'node:async_hooks';
import { LagMonitor } from './lag-monitor.js';
import { LagSpike, stepHit } from './lag-spike.js';
import type { DelayWatch, GcPause, LoopDelay } from './loop-watch.js';
import type { StepClock } from './step-clock.js';
import type { StepHistory } from './step-history.js';
import type { StepHost, StepSettings } from './step-options.js';
import type { GcTotals, Reported } from './step-report.js';
import type { StepTrace } from './step-trace.js';

type Sample = readonly [ts: number, lagMs: number];

/** How late the event loop was: a sample every few milliseconds, spikes with the step that they hit, and what the collector had to do with it. */
export class LoopLag {
  readonly samples: Sample[] = [];
  readonly spikes: LagSpike[] = [];
  maxMs = 0;
  readonly #settings: StepSettings;
  readonly #host: StepHost;
  readonly #clock: StepClock;
  readonly #history: StepHistory;
  readonly #trace: StepTrace | undefined;
  readonly #monitor: LagMonitor;
  readonly #maxSamples: number;
  /** Where the profiler was made: what the first step belongs to is not to be kept alive by a timer. */
  readonly #scope = new AsyncResource('StepProfiler');
  #dropped = 0;
  #spikeCount = 0;
  /** Pauses that were told since the last sample: a spike may be told after them. In seconds. */
  #early: { readonly start: number; readonly end: number }[] = [];
  #gc: GcTotals = { pauses: 0, totalMs: 0, maxMs: 0 };
  #stopGc: (() => void) | undefined;
  #watch: DelayWatch | undefined;
  #isStarted = false;

  constructor(
    settings: StepSettings,
    host: StepHost,
    clock: StepClock,
    history: StepHistory,
    trace: StepTrace | undefined,
  ) {
    this.#settings = settings;
    this.#host = host;
    this.#clock = clock;
    this.#history = history;
    this.#trace = trace;
    this.#maxSamples = settings.maxSamples * 10;
    this.#monitor = new LagMonitor({
      intervalMs: this.#intervalMs,
      now: () => clock.now(),
      timers: host.timers,
      onSample: (ts, lagMs) => this.#add(ts, lagMs),
    });
  }

  get gc(): GcTotals {
    return this.#gc;
  }

  get #intervalMs(): number {
    return Math.round(this.#settings.loopLagInterval * 1000);
  }

  start(): void {
    if (this.#isStarted || !this.#settings.loopLag) return;
    this.#isStarted = true;
    this.#scope.runInAsyncScope(() => this.#startAll());
  }

  #startAll(): void {
    this.#monitor.start();
    this.#stopGc = this.#host.watchGc?.((pause) => this.#addPause(pause));
    this.#watch = this.#host.watchDelay?.(this.#intervalMs);
  }

  stop(): void {
    this.#monitor.stop();
    this.#stopGc?.();
    this.#watch?.stop();
  }

  delay(): LoopDelay | undefined {
    return this.#watch?.read();
  }

  /** Pauses that have been are told by then. */
  async settled(): Promise<void> {
    if (this.#stopGc === undefined) return;
    // Node takes one turn to hand them to JavaScript, and may take another to hand them on.
    for (let turn = 0; turn < 2; turn += 1)
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
  }

  reported(): Pick<
    Reported,
    | 'lagMs'
    | 'lagDropped'
    | 'maxLagMs'
    | 'lagIntervalMs'
    | 'lagSpikeMs'
    | 'spikes'
    | 'spikeCount'
    | 'gc'
    | 'delay'
  > {
    return {
      lagMs: this.samples.map(([, lagMs]) => lagMs),
      lagDropped: this.#dropped,
      maxLagMs: this.maxMs,
      lagIntervalMs: this.#intervalMs,
      lagSpikeMs: this.#settings.lagSpikeMs,
      spikes: this.spikes,
      spikeCount: this.#spikeCount,
      gc: this.#gc,
      delay: this.delay(),
    };
  }

  #add(ts: number, lagMs: number): void {
    const sample: Sample = [ts, lagMs];
    this.samples.push(sample);
    this.maxMs = Math.max(this.maxMs, lagMs);
    this.#trace?.add({ lag: sample }, ts);
    if (lagMs >= this.#settings.lagSpikeMs) this.#addSpike(ts, lagMs);
    if (this.#early.length > 0) this.#early = [];
    if (this.samples.length > this.#maxSamples)
      this.#dropped += this.samples.splice(0, Math.ceil(this.#maxSamples / 10)).length;
  }

  #addSpike(ts: number, lagMs: number): void {
    const near = stepHit(ts - lagMs / 1000, ts, this.#history.open(), this.#history.samples);
    const spike = new LagSpike(ts, lagMs, near);
    for (const { start, end } of this.#early) spike.addPause(start, end);
    this.#spikeCount += 1;
    this.spikes.push(spike);
    this.#trace?.add({ spike }, ts);
    if (this.spikes.length > this.#settings.maxSamples)
      this.spikes.splice(0, Math.ceil(this.spikes.length / 10));
  }

  /** It is told when the loop turns, before or after the spike that it made. */
  #addPause({ startMs, durationMs }: GcPause): void {
    const [start, end] = [this.#clock.at(startMs), this.#clock.at(startMs + durationMs)];
    this.#gc = {
      pauses: this.#gc.pauses + 1,
      totalMs: this.#gc.totalMs + durationMs,
      maxMs: Math.max(this.#gc.maxMs, durationMs),
    };
    this.#early.push({ start, end });
    for (let at = this.spikes.length - 1; at >= 0; at -= 1) {
      const spike = this.spikes[at] as LagSpike;
      if (spike.ts <= start) break;
      spike.addPause(start, end);
    }
  }
}
