/** CPU seconds per second of each function. */
export interface Truth {
  readonly physics: number;
  readonly raycast: number;
  readonly publishing: number;
  readonly stepsPerS: number;
}

export function truthOver(path: string, windows: readonly (readonly [bigint, bigint])[]): Truth;
