/** What a program measured of itself, beside its samples. `phase` is a part of a step, `composite` a step that consists of others. */
export type ProgramSpanKind = 'span' | 'frame' | 'step' | 'composite' | 'phase';

/** A stretch of time that a program named. */
export interface ProgramSpan {
  /** Thread that it began on, by the host's number. */
  readonly tid: number;
  readonly kind: ProgramSpanKind;
  /** Raw: clean it before printing. */
  readonly name: string;
  /** Nanoseconds since the window began: below 0 where it began before. */
  readonly startNs: number;
  /** Of one that had not ended the last moment of which is known. */
  readonly endNs: number;
  readonly isOpen?: true;
  /** Those of one row were measured by one and the same, and are to be drawn together. */
  readonly row: string;
}

/** Steps of any kind, without their phases. */
export function isStep({ kind }: Pick<ProgramSpan, 'kind'>): boolean {
  return kind === 'step' || kind === 'composite';
}
