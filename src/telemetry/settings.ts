import type { TelemetryOptions } from './api.js';

export interface Settings {
  readonly name: string;
  readonly capacity: number;
  readonly maxCategories: number;
  readonly endedThreads: number;
  readonly clock: () => number;
}

/** A wrong option must not end the program that it is measured in: what cannot be is as if it had not been given. */
export function settingsOf(options: TelemetryOptions, clockOfHost: () => number): Settings {
  const { name, clock } = options;
  return {
    name: typeof name === 'string' ? name : 'default',
    capacity: wholeWithin(options.capacity, 1, 10_000_000, 10_000),
    maxCategories: wholeWithin(options.maxCategories, 1, 1_000_000, 256),
    endedThreads: wholeWithin(options.endedThreads, 0, 10_000, 16),
    clock: typeof clock === 'function' ? guarded(clock) : clockOfHost,
  };
}

function wholeWithin(value: unknown, low: number, high: number, otherwise: number): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high
    ? value
    : otherwise;
}

/** A clock that throws is none, and counted as such. */
function guarded(clock: () => number): () => number {
  return () => {
    try {
      const now: unknown = clock();
      return typeof now === 'number' ? now : Number.NaN;
    } catch {
      return Number.NaN;
    }
  };
}
