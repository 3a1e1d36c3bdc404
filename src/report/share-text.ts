/** `28.7 %` from 0.287; something small but present is `<0.1 %`, never `0.0 %`. */
export function percent(share: number): string {
  if (share > 0 && share < 0.0005) return '<0.1 %';
  return `${(share * 100).toFixed(1)} %`;
}

/** `67 %` */
export function wholePercent(share: number): string {
  if (share > 0 && share < 0.005) return '<1 %';
  return `${Math.round(share * 100)} %`;
}

/** `27.6–29.8`, both in percent */
export function interval(low: number, high: number): string {
  return `${bounded(low)}–${bounded(high)}`;
}

function bounded(share: number): string {
  return (Math.min(1, Math.max(0, share)) * 100).toFixed(1);
}

/** A change with its sign: `-1.2`, `+0.4`, in percent. */
export function signed(change: number): string {
  return `${change > 0 ? '+' : ''}${(change * 100).toFixed(1)}`;
}

/** How many times faster: `3.0×`, `1.17×`; above a hundred only that. */
export function times(factor: number): string {
  if (factor >= 100) return '>100×';
  return `${factor.toFixed(factor < 2 ? 2 : 1)}×`;
}

/** `4,987` */
export function count(value: number): string {
  const rounded = Number.isInteger(value) ? String(value) : value.toFixed(1);
  return rounded.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** `1 row`, `2 rows` */
export function plural(value: number, singular: string, several = `${singular}s`): string {
  return `${count(value)} ${value === 1 ? singular : several}`;
}

/** A weight in its unit: `429 samples`, `1.204 s`. */
export function weightText(weight: number, unit: 'samples' | 'nanoseconds'): string {
  return unit === 'samples' ? plural(weight, 'sample') : `${(weight / 1e9).toFixed(3)} s`;
}

/** How many samples shares leave out, where samples know their state; the rest of a sentence that says what shares are of. */
export function apartText({
  total: { weight, waiting },
}: {
  readonly total: { readonly weight: number; readonly waiting?: number };
}): string {
  if (waiting === undefined) return '';
  if (waiting === 0) return '; no sample waits for the GIL or a CPU';
  return `; ${count(waiting)} of the ${count(weight)} samples wait for the GIL or a CPU, and are in no share (profiler waits)`;
}
