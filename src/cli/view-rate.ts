import { InvalidArgumentError } from 'commander';

/** A sample in a thousand seconds, and one each nanosecond: beyond that its seconds are none that could be drawn. */
const SLOWEST_HZ = 0.001;
const FASTEST_HZ = 1e9;

/** Parses the rate that a bare file was sampled at. */
export function sampledRate(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= SLOWEST_HZ && value <= FASTEST_HZ)) {
    throw new InvalidArgumentError(`It must be a number from ${SLOWEST_HZ} to ${FASTEST_HZ}.`);
  }
  return value;
}
