import type { TelemetryOptions } from './api.js';
import { LAYOUT } from './category.js';
import { settingsOf } from './settings.js';
import type { Settings } from './settings.js';
import type { SpanTelemetry } from './span-telemetry.js';

/**
 * By name, for all copies of this package that a thread has loaded: the first copy that makes one makes it for the others. What it makes has
 * the methods of its entry, so each entry has a store of its own.
 */
export function shared<T extends SpanTelemetry>(
  entry: 'browser' | 'node',
  options: TelemetryOptions,
  clock: () => number,
  make: (settings: Settings) => T,
): T {
  const key = Symbol.for(`sim-profiler.telemetry.${entry}.${LAYOUT}`);
  const store = ((globalThis as Record<symbol, unknown>)[key] ??= new Map()) as Map<string, T>;
  const settings = settingsOf(options, clock);
  const known = store.get(settings.name);
  if (known !== undefined) return known;
  const telemetry = make(settings);
  store.set(settings.name, telemetry);
  return telemetry;
}
