/** Steps, from the beginning of one to the beginning of the next. */
export interface StepSet {
  readonly steps: number;
  /** Samples of the thread in them. */
  readonly looks: number;
  readonly meanUs: number;
}
