const SPACE = 32;
const TAB = 9;
const COLON = 58;
const ZERO = 48;
const NINE = 57;
const DOT = 46;

/** The whole number at `from`, blanks before it skipped; 0 where there is none. No text is made of it: this runs thousands of times a second. */
export function numberAt(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === SPACE || bytes[at] === TAB) at += 1;
  let value = 0;
  for (let digit = bytes[at] ?? 0; digit >= ZERO && digit <= NINE; digit = bytes[at] ?? 0) {
    value = value * 10 + digit - ZERO;
    at += 1;
  }
  return value;
}

/**
 * The number behind `key` and a colon, its decimal point left out: `12.345678` milliseconds are nanoseconds. -1 where the key is not there.
 * The last place counts: the first line of these files holds a name that its thread may choose.
 */
export function numberOf(bytes: Buffer, length: number, key: string): number {
  // A negative place would be counted from the end: of what an earlier read has left there.
  const found = length > 0 ? bytes.lastIndexOf(key, length - 1) : -1;
  if (found < 0 || found + key.length > length) return -1;
  let at = bytes.indexOf(COLON, found) + 1;
  while (bytes[at] === SPACE || bytes[at] === TAB) at += 1;
  let value = 0;
  for (
    let digit = bytes[at] ?? 0;
    (digit >= ZERO && digit <= NINE) || digit === DOT;
    digit = bytes[at] ?? 0
  ) {
    if (digit !== DOT) value = value * 10 + digit - ZERO;
    at += 1;
  }
  return value;
}

/** Start of the third number of `schedstat`: times that the thread was switched in. */
export function thirdNumber(bytes: Uint8Array, length: number): number {
  let blanks = 0;
  for (let at = 0; at < length; at += 1) {
    if (bytes[at] !== SPACE) continue;
    blanks += 1;
    if (blanks === 2) return numberAt(bytes, at + 1);
  }
  return -1;
}

/** The first argument of a line of `syscall`: `NUMBER 0xARG0 0xARG1 …`, in hexadecimal. */
export function firstArgument(bytes: Uint8Array, length: number): number {
  let at = 0;
  while (at < length && bytes[at] !== 120) at += 1;
  let value = 0;
  for (at += 1; at < length; at += 1) {
    const byte = bytes[at] ?? SPACE;
    if (byte === SPACE) break;
    value = value * 16 + (byte <= NINE ? byte - ZERO : byte - 87);
  }
  return value;
}
