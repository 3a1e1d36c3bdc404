/**
 * Line tables of code objects, as pure functions: the table's bytes to the line of every instruction, two bytes each; 0 where
 * the table gives none. Formats: Objects/lnotab_notes.txt (up to 3.10), Objects/locations.md (3.11 and newer) of CPython.
 */
export type LineTable = (table: Uint8Array, firstLine: number, instructions: number) => Int32Array;

function signed(byte: number): number {
  return byte > 127 ? byte - 256 : byte;
}

/** 3.8 and 3.9: pairs of an address step in bytes and a signed line step, which holds from there on. */
export const lnotabLines: LineTable = (table, firstLine, instructions) => {
  const lines = new Int32Array(instructions);
  let line = firstLine;
  // In bytes: a long step is written in parts of 255, which is odd.
  let at = 0;
  for (let pair = 0; pair + 1 < table.length; pair += 2) {
    const next = at + table[pair]!;
    lines.fill(line, (at + 1) >> 1, (next + 1) >> 1);
    at = next;
    line += signed(table[pair + 1]!);
  }
  return lines.fill(line, (at + 1) >> 1);
};

/** 3.10 (PEP 626): pairs of a length in bytes and a signed line step, which holds for that length; -128 is no line. */
export const lineStepLines: LineTable = (table, firstLine, instructions) => {
  const lines = new Int32Array(instructions);
  let line = firstLine;
  let at = 0;
  for (let pair = 0; pair + 1 < table.length; pair += 2) {
    const step = signed(table[pair + 1]!);
    const none = step === -128;
    if (!none) line += step;
    const next = at + (table[pair]! >> 1);
    lines.fill(none ? 0 : line, at, next);
    at = next;
  }
  return lines;
};

const NO_LOCATION = 15;
const LONG = 14;
const NO_COLUMNS = 13;
const FIRST_ONE_LINE = 10;

/** 3.11 and newer: entries of a head byte (kind and length) and what the kind asks for; only lines are kept of them. */
export const locationLines: LineTable = (table, firstLine, instructions) => {
  const lines = new Int32Array(instructions);
  let line = firstLine;
  let at = 0;
  let byte = 0;
  // Six bits a byte, lowest first; the seventh says that more follow.
  const number = (): number => {
    let value = 0;
    let shift = 0;
    for (;;) {
      const part = table[byte] ?? 0;
      byte += 1;
      value += (part & 63) * 2 ** shift;
      shift += 6;
      if ((part & 64) === 0 || byte >= table.length) return value;
    }
  };
  const signedNumber = (): number => {
    const value = number();
    return value % 2 === 1 ? -Math.floor(value / 2) : value / 2;
  };
  while (byte < table.length) {
    const head = table[byte]!;
    byte += 1;
    const kind = (head >> 3) & 15;
    const next = at + (head & 7) + 1;
    if (kind === LONG) {
      line += signedNumber();
      for (const _column of ['endLine', 'column', 'endColumn']) number();
    } else if (kind === NO_COLUMNS) line += signedNumber();
    else if (kind >= FIRST_ONE_LINE && kind < NO_COLUMNS) {
      line += kind - FIRST_ONE_LINE;
      byte += 2;
    } else if (kind < FIRST_ONE_LINE) byte += 1;
    lines.fill(kind === NO_LOCATION ? 0 : line, at, next);
    at = next;
  }
  return lines;
};

/** The format of a minor version of Python 3. */
export function lineTableOf(minor: number): LineTable {
  if (minor <= 9) return lnotabLines;
  return minor === 10 ? lineStepLines : locationLines;
}
