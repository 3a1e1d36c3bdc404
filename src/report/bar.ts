/** Marks of a bar's last column, by how many eighths of it are filled. */
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** How bars are drawn: with blocks, or in ASCII where the terminal has none. */
export interface BarStyle {
  readonly ascii?: true;
}

/**
 * A bar of at most `columns`, a share of 1 being all of them. What is there shows at least the thinnest mark; nothing, or what is no
 * number, shows nothing.
 */
export function bar(share: number, columns: number, style: BarStyle): string {
  if (!(share > 0) || columns <= 0) return '';
  const steps = style.ascii === true ? 2 : 8;
  const filled = Math.max(1, Math.round(Math.min(1, share) * columns * steps));
  const whole = Math.floor(filled / steps);
  const rest = filled % steps;
  return style.ascii === true
    ? `${'#'.repeat(whole)}${rest === 0 ? '' : '-'}`
    : `${'█'.repeat(whole)}${EIGHTHS[rest] ?? ''}`;
}

/** Marks of the parts of a stacked bar, told apart without colour. */
export function partMarks(style: BarStyle): readonly [first: string, second: string, third: string] {
  return style.ascii === true ? ['#', 'w', '.'] : ['█', '▒', '░'];
}

/** Marks of parts that are there, and less than half a column. */
function thinMarks(style: BarStyle): readonly [first: string, second: string, third: string] {
  return style.ascii === true ? ['-', ':', '.'] : ['▏', '┊', '░'];
}

/**
 * Up to three parts of a whole, one after the other, in at most `columns`. Each takes the columns next to its share, and one that is there
 * takes at least one, as far as there are any, with a thin mark where that is more than twice what it comes to; together they take what
 * all of them come to.
 */
export function stackedBar(parts: readonly number[], columns: number, style: BarStyle): string {
  const marks = partMarks(style);
  const shares = parts.map((part) => (part > 0 ? Math.min(1, part) : 0));
  const all = Math.min(1, sum(shares));
  const present = shares.filter((share) => share > 0).length;
  const total = Math.min(columns, Math.max(present, Math.round(all * columns)));
  const widths = shares.map((share) => (share > 0 ? Math.max(1, Math.round(share * columns)) : 0));
  // The widest gives or takes what rounding left over.
  for (let excess = sum(widths) - total; excess !== 0; excess -= Math.sign(excess)) {
    const widest = widths.indexOf(Math.max(...widths));
    widths[widest] = (widths[widest] ?? 0) - Math.sign(excess);
  }
  const thin = thinMarks(style);
  return widths
    .map((width, part) => {
      const isThin = width === 1 && (shares[part] ?? 0) * columns < 0.5;
      return ((isThin ? thin : marks)[part] ?? '').repeat(width);
    })
    .join('');
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
