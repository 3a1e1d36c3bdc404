import type { TelemetryOptions } from './api.js';
import type { Settings } from './settings.js';

/** A second part of the program may ask for what there is already, and expect something else of it. */
export function askedAgain(
  asked: TelemetryOptions,
  { capacity, maxCategories, endedThreads }: Settings,
): string | undefined {
  const has = { capacity, maxCategories, endedThreads };
  const keys = ['capacity', 'maxCategories', 'endedThreads'] as const;
  const other: string[] = keys.filter((key) => asked[key] !== undefined && asked[key] !== has[key]);
  if (asked.clock !== undefined) other.push('clock');
  return other.length === 0
    ? undefined
    : `It was asked for again with another ${other.join(', ')}: what the first asked for holds.`;
}
