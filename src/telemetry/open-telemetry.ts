/**
 * Through the OpenTelemetry that the program has: only the shape of its `Meter` is known here, so that none has to be installed. What is told is
 * read when a reader of theirs asks.
 */
import type { Meter, MeterResult, TelemetrySnapshot } from './api.js';
import { quantiles } from './prometheus.js';

/** The answer undoes it. */
export function toOpenTelemetry(telemetry: { snapshot(): TelemetrySnapshot }, meter: Meter): () => void {
  const counter = (name: string, unit: string, description: string): never =>
    meter.createObservableCounter(`sim_profiler.span.${name}`, { unit, description }) as never;
  const gauge = (name: string, description: string): never =>
    meter.createObservableGauge(`sim_profiler.span.${name}`, { unit: 's', description }) as never;
  const calls = counter('calls', '{call}', 'Spans that have ended.');
  const sum = counter('time', 's', 'Durations of spans, added.');
  const own = counter('own_time', 's', 'Time of spans without those inside, where that is known.');
  const busy = counter('busy_time', 's', 'Time in which at least one span was open, by thread.');
  const quantile = gauge('duration', 'Quantiles of durations over the whole run.');
  const max = gauge('max', 'The longest span of the run.');
  const instruments = [calls, sum, own, busy, quantile, max];
  const callback = (result: MeterResult): void => {
    for (const category of telemetry.snapshot().categories) {
      if (category.calls === 0) continue;
      const attributes = { category: category.name };
      result.observe(calls, category.calls, attributes);
      result.observe(sum, category.sumMs / 1000, attributes);
      result.observe(own, category.ownMs / 1000, attributes);
      result.observe(busy, category.totalMs / 1000, attributes);
      for (const [q, ms] of quantiles(category))
        result.observe(quantile, ms / 1000, { ...attributes, quantile: q });
      result.observe(max, category.maxMs / 1000, attributes);
    }
  };
  meter.addBatchObservableCallback(callback, instruments);
  return () => meter.removeBatchObservableCallback(callback, instruments);
}
