/** How fast the loop went before, during and after the recording: the observer effect. */
export interface LoopRate {
  /** What was counted: voluntary switches of the physics thread per second, or the target's CPU seconds per second for a loop that never sleeps. */
  readonly measure: 'voluntary-switches' | 'cpu';
  /** One value per second of that phase. */
  readonly before: readonly number[];
  readonly during: readonly number[];
  readonly after: readonly number[];
}
