import type { BarStyle } from './bar.js';

const BLOCKS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/** From little to much ink. */
const INK = ['.', ':', '-', '=', '+', '*', '#', '@'];
/** Of a moment of which nothing is known. */
const UNKNOWN = '?';

/**
 * One column for each value, as high as it is of the highest. Nothing shows nothing; what is there, at least the lowest mark.
 * @param values undefined: not known.
 */
export function sparkline(values: readonly (number | undefined)[], style: BarStyle): string {
  const marks = style.ascii === true ? INK : BLOCKS;
  const highest = Math.max(0, ...values.flatMap((value) => value ?? []));
  return values
    .map((value) => {
      if (value === undefined) return UNKNOWN;
      if (!(value > 0)) return ' ';
      return marks[Math.max(0, Math.ceil((value / highest) * marks.length) - 1)];
    })
    .join('');
}
