/** `4.00 µs`, `1.25 ms`, `12.0 s`: three figures. */
export function timeText(us: number): string {
  if (us < 0.9995) return `${figures(us * 1000)} ns`;
  if (us < 999.5) return `${figures(us)} \u00B5s`;
  if (us < 999_500) return `${figures(us / 1000)} ms`;
  return `${figures(us / 1e6)} s`;
}

/** `97.9 %`. */
export function shareText(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** `1,000`. */
export function countText(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `1 call`, `20 calls`. */
export function countedText(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function figures(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value.toFixed(value >= 10 ? 1 : 2);
}
