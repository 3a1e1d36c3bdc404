import type { ClockProbeSaid } from '../simulator/index.js';
import type { ClockProbe } from '../target/index.js';

/**
 * Settings that decide whom a subscriber hears, where its own are not those of the target: `ROS_DOMAIN_ID is 7 there and unset here`. None where
 * either is not known.
 */
export function differentSettings(
  { hearing }: Pick<ClockProbe, 'hearing'>,
  { environment }: Pick<ClockProbeSaid, 'environment'>,
): readonly string[] {
  if (hearing === undefined || environment === undefined) return [];
  return [...new Set([...Object.keys(hearing), ...Object.keys(environment)])]
    .sort()
    .filter((name) => hearing[name] !== environment[name])
    .map((name) => `${name} is ${hearing[name] ?? 'unset'} there and ${environment[name] ?? 'unset'} here`);
}
