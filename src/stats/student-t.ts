/** 97.5 % quantiles of Student's t for 1 to 30 degrees of freedom. */
const QUANTILES_95 = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
] as const;

/** The same of 99.5 %. */
const QUANTILES_99 = [
  63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.25, 3.169, 3.106, 3.055, 3.012, 2.977, 2.947,
  2.921, 2.898, 2.878, 2.861, 2.845, 2.831, 2.819, 2.807, 2.797, 2.787, 2.779, 2.771, 2.763, 2.756, 2.75,
] as const;

/** Factor of a two-sided 95 % interval for `degrees` degrees of freedom (at least 1; a fraction is rounded down). */
export function studentT95(degrees: number): number {
  const whole = Math.max(1, Math.floor(degrees));
  // Beyond the table the first two terms of the expansion are right to 0.001.
  return QUANTILES_95[whole - 1] ?? 1.96 + 2.372 / whole;
}

/** The same for a 99 % interval. */
export function studentT99(degrees: number): number {
  const whole = Math.max(1, Math.floor(degrees));
  return QUANTILES_99[whole - 1] ?? 2.576 + 4.917 / whole;
}
