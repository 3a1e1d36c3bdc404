import { fixed, rounded } from './exact-text.js';
import type { LagSpike } from './lag-spike.js';
import type { StepSample } from './step-sample.js';

/** A step that has ended, or has not when the trace does; the lag of the loop at a moment; a spike. */
export type TraceItem =
  | { readonly step: StepSample; readonly isEnded: boolean }
  | { readonly lag: readonly [ts: number, lagMs: number] }
  | { readonly spike: LagSpike };

/** Events of a Chrome trace as JSON, one on a line, with the names and arguments that raccoon's have. */
export class TraceText {
  readonly #lagTid: number;
  readonly #named = new Set<number>();
  #isBegun = false;

  /** `lagTid` is the row of the lag: one that no step is on. */
  constructor(lagTid: number) {
    this.#lagTid = lagTid;
  }

  /** Names of rows come before what is on them. */
  of(items: readonly TraceItem[]): readonly string[] {
    const events: string[] = [];
    if (!this.#isBegun) {
      this.#isBegun = true;
      this.#name(0, events);
      events.push(rowName(this.#lagTid, 'event-loop-lag'));
    }
    for (const item of items)
      if ('step' in item) this.#addStep(item.step, item.isEnded, events);
      else events.push('lag' in item ? this.#lag(item.lag) : this.#spike(item.spike));
    return events;
  }

  #name(tid: number, events: string[]): void {
    if (this.#named.has(tid)) return;
    this.#named.add(tid);
    events.push(rowName(tid, tid === 0 ? 'main' : `task-${tid}`));
  }

  #addStep(step: StepSample, isEnded: boolean, events: string[]): void {
    this.#name(step.tid, events);
    events.push(
      JSON.stringify({
        name: step.signature,
        cat: step.composite ? 'composite' : 'step',
        ph: 'X',
        pid: 1,
        tid: step.tid,
        ts: micros(step.ts),
        // A duration of 0 says that it has not ended.
        dur: isEnded ? Math.max(length(step.ts, step.total), 0.1) : 0,
        args: {
          path: step.path,
          execute_ms: millis(step.execute),
          overhead_ms: millis(step.overhead),
          db_write_ms: millis(step.dbWrite),
          db_read_ms: millis(step.dbRead),
          acquire_ms: millis(step.acquire),
          hal_ms: millis(step.hal),
          hal_calls: step.halCalls,
          sleep_ms: millis(step.sleep),
          body_compute_ms: millis(step.bodyCompute),
        },
      }),
    );
    // A phase belongs to the step before it.
    for (const { label, ts, dur } of step.phases)
      events.push(
        JSON.stringify({
          name: label,
          cat: 'phase',
          ph: 'X',
          pid: 1,
          tid: step.tid,
          ts: micros(ts),
          dur: length(ts, dur),
        }),
      );
  }

  #lag([ts, lagMs]: readonly [number, number]): string {
    return JSON.stringify({
      name: 'loop_lag',
      ph: 'C',
      pid: 1,
      tid: this.#lagTid,
      ts: micros(ts),
      args: { ms: rounded(lagMs, 2) },
    });
  }

  #spike({ ts, lagMs }: LagSpike): string {
    return JSON.stringify({
      name: `LAG ${fixed(lagMs, 0)}ms`,
      ph: 'i',
      s: 'g',
      pid: 1,
      tid: this.#lagTid,
      ts: micros(ts),
    });
  }
}

function rowName(tid: number, name: string): string {
  return JSON.stringify({ name: 'thread_name', ph: 'M', pid: 1, tid, args: { name } });
}

function micros(seconds: number): number {
  return Math.round(seconds * 1e7) / 10;
}

/** From one tenth of a microsecond to another, so that what lies inside something else does so in the file too. */
function length(ts: number, seconds: number): number {
  return Math.round((micros(ts + seconds) - micros(ts)) * 10) / 10;
}

function millis(seconds: number): number {
  return Math.round(seconds * 1e6) / 1000;
}
