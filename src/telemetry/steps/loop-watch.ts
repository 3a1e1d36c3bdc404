import { PerformanceObserver, monitorEventLoopDelay } from 'node:perf_hooks';

/** A pause of the garbage collector, in milliseconds of `performance.now()`. */
export interface GcPause {
  readonly startMs: number;
  readonly durationMs: number;
}

/** Node's own measure of how late its loop is, in milliseconds. */
export interface LoopDelay {
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Tells of pauses some time after them, and ends when what it returns is called. */
export function watchGc(onPause: (pause: GcPause) => void): () => void {
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      onPause({ startMs: startTime, durationMs: duration });
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => observer.disconnect();
}

export interface DelayWatch {
  /** Undefined where nothing was measured. */
  readonly read: () => LoopDelay | undefined;
  readonly stop: () => void;
}

export function watchDelay(resolutionMs: number): DelayWatch {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  // It counts from one of its ticks to the next, so that a loop without delay has the resolution.
  const lateMs = (ns: number): number => Math.max(ns / 1e6 - resolutionMs, 0);
  return {
    read: () =>
      histogram.count === 0
        ? undefined
        : {
            meanMs: lateMs(histogram.mean),
            p50Ms: lateMs(histogram.percentile(50)),
            p99Ms: lateMs(histogram.percentile(99)),
            maxMs: lateMs(histogram.max),
          },
    stop: () => void histogram.disable(),
  };
}
