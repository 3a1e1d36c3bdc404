/** `574 µs`, `12.3 ms`, `9.82 s`: three digits that say something. */
export function durationText(us: number): string {
  const [value, unit] = us < 1000 ? [us, 'µs'] : us < 1e6 ? [us / 1000, 'ms'] : [us / 1e6, 's'];
  const digits = value === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${unit}`;
}
