import { createTelemetry } from '../../src/telemetry/index.js';
import type { CategoryFigures, Telemetry, TelemetryOptions } from '../../src/telemetry/index.js';

let made = 0;

/** A telemetry of its own, whose clock goes on only when it is told to. */
export function byHand(options: TelemetryOptions = {}): {
  readonly t: Telemetry;
  readonly pass: (ms: number) => void;
  readonly of: (category: string) => CategoryFigures | undefined;
} {
  let now = 1000;
  const t = createTelemetry({ name: `by hand ${++made}`, clock: () => now, ...options });
  return {
    t,
    pass: (ms) => {
      now += ms;
    },
    of: (category) => t.snapshot().categories.find(({ name }) => name === category),
  };
}

/** Promises that are settled by the test, and the continuation that follows. */
export async function turns(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}
