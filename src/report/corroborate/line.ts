/** What one line of `tables --corroborate` holds against what. */
export type Subject = 'hook' | 'step' | 'steps' | 'phase' | 'load' | 'pacing' | 'lag';

export type Verdict = 'agrees' | 'disagrees' | 'not-comparable';

/** `share`: 0 to 1; `us`: microseconds (of a step, where the line says so); `steps`: a number of them; `factor`: of real time. */
export type FigureUnit = 'share' | 'us' | 'steps' | 'factor';

/** A figure with its 95 % interval, where it has one. */
export interface Figure {
  readonly value: number;
  readonly low?: number;
  readonly high?: number;
}

/** The same of a witness that may know nothing but within what a figure has to be. */
export type Bounds = Partial<Figure>;

export interface CorroborationLine {
  readonly subject: Subject;
  /** Of the row, as the simulator wrote it. Raw. */
  readonly name: string;
  readonly unit: FigureUnit;
  /** What the simulator says. */
  readonly table?: Figure;
  /** What the other witness says: samples, or another table. */
  readonly samples?: Bounds;
  readonly verdict: Verdict;
  /** Function whose samples these are. Raw. */
  readonly place?: string;
  /** Why it cannot be compared; where it disagrees, the likeliest reason. One sentence. Raw. */
  readonly reason?: string;
}

/** Whether the table's figure lies in the interval of the other. */
export function verdictOf(table: Figure, { low, high, value }: Figure): 'agrees' | 'disagrees' {
  const [least, most] = [table.low ?? table.value, table.high ?? table.value];
  return most >= (low ?? value) && least <= (high ?? value) ? 'agrees' : 'disagrees';
}

/** A line of which there is nothing to compare. */
export function notComparable(
  subject: Subject,
  name: string,
  unit: FigureUnit,
  reason: string,
  table?: number,
): CorroborationLine {
  return {
    subject,
    name,
    unit,
    ...(table === undefined ? {} : { table: { value: table } }),
    verdict: 'not-comparable',
    reason,
  };
}
