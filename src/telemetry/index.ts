/**
 * Spans, frames and steps measured from inside a Node program, in all of its threads. It depends on nothing, never throws into its host and prints
 * nothing unless asked.
 */
import type { Telemetry, TelemetryOptions } from './api.js';
import { askedAgain } from './asked-again.js';
import { disabledTelemetry } from './disabled.js';
import { processClock } from './process-clock.js';
import { NodeTelemetry, disabledInNode } from './node-telemetry.js';
import { saveAtExit } from './save-report.js';
import { shared } from './shared-telemetry.js';

export type * from './api.js';
export * from './steps/index.js';
export { toOpenTelemetry } from './open-telemetry.js';
export { prometheusText } from './prometheus.js';
export { pyriteText } from './pyrite-report.js';
export { reportText } from './report-text.js';

export function createTelemetry(given?: TelemetryOptions): Telemetry {
  const options = given ?? {};
  if (options.enabled === false) return disabledInNode(disabledTelemetry(options.name ?? 'default'));
  let isNew = false;
  const telemetry = shared('node', options, processClock, (settings) => {
    isNew = true;
    return new NodeTelemetry(settings);
  });
  if (!isNew) telemetry.remark(askedAgain(options, telemetry.settings));
  const { saveOnExit } = options;
  if (typeof saveOnExit === 'string') saveAtExit(() => telemetry.saveReport(saveOnExit));
  return telemetry;
}
