import pc from 'picocolors';

export interface Colors {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly alarm: (text: string) => string;
}

/** Colour functions that do nothing unless asked: whether to ask is decided where the terminal is known. */
export function colors(enabled: boolean): Colors {
  const made = pc.createColors(enabled);
  return { bold: made.bold, dim: made.dim, warn: made.yellow, alarm: made.red };
}
