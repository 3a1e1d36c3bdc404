/** Spans and frames in a browser: of the thread that it is in, since buffers cannot be shared everywhere; nothing of Node is imported. */
import type { SpanRecording, TelemetryOptions } from './api.js';
import { disabledTelemetry } from './disabled.js';
import { shared } from './shared-telemetry.js';
import { SpanTelemetry } from './span-telemetry.js';

export type * from './api.js';
export { toOpenTelemetry } from './open-telemetry.js';
export { prometheusText } from './prometheus.js';
export { pyriteText } from './pyrite-report.js';
export { reportText } from './report-text.js';

export function createTelemetry(given?: TelemetryOptions): SpanRecording {
  const options = given ?? {};
  if (options.enabled === false) return disabledTelemetry(options.name ?? 'default');
  return shared(
    'browser',
    options,
    () => performance.now(),
    (settings) => new SpanTelemetry(settings, {}),
  );
}
