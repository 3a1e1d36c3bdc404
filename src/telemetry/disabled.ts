import type { SpanRecording, TelemetrySnapshot } from './api.js';

const nothing = (): void => {};

/** What is called instead, where nothing is to be measured: as little as can be. */
export function disabledTelemetry(name: string): SpanRecording {
  const span = { end: nothing, [Symbol.dispose]: nothing };
  const snapshot: TelemetrySnapshot = { name, categories: [], threads: [], notes: [], bytes: 0 };
  return {
    enabled: false,
    measure: (_, fn) => fn(),
    span: () => span,
    profiled: () => (method) => method,
    startFrame: nothing,
    endFrame: nothing,
    record: nothing,
    snapshot: () => snapshot,
  };
}
