const PLAIN = /^(?:\d+\.?\d*|\.\d+)$/;

/**
 * The number that every flag takes: plain decimal, as seconds and rates are written. NaN for anything else: a sign, a blank, an exponent
 * or `0x1` come of a slip or an unset variable far more often than they are meant.
 */
export function decimal(text: string): number {
  return PLAIN.test(text) ? Number(text) : Number.NaN;
}
