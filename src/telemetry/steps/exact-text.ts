/** A number with so many digits behind the point, as Python prints it: an exact half goes to the even digit. */
export function fixed(value: number, digits: number): string {
  const scaled = value * 10 ** digits;
  // Only a multiple of 2^-(digits + 1) can lie exactly between two.
  const isHalf = Number.isInteger(value * 2 ** (digits + 1)) && Math.abs(scaled % 1) === 0.5;
  if (!isHalf) return value.toFixed(digits);
  return ((2 * Math.round(scaled / 2)) / 10 ** digits).toFixed(digits);
}

/** The number nearest to what `fixed` prints. */
export function rounded(value: number, digits: number): number {
  return Number(fixed(value, digits));
}

/** To the left, on so many letters. */
export function left(text: string, width: number): string {
  return text + ' '.repeat(Math.max(width - [...text].length, 0));
}

/** Of more than 33 letters the first 30 and three dots. On one line, whatever a name holds. */
export function short(text: string): string {
  const letters = [...oneLine(text)];
  return letters.length <= 33 ? letters.join('') : `${letters.slice(0, 30).join('')}...`;
}

/** Without what would end the line, or move the cursor of a terminal. */
export function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ');
}
