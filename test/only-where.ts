import { describe, it } from 'vitest';

/** `it`, or a skipped test whose name carries the reason: scripts/test prints the reasons and counts them. */
export function itWhere(
  possible: boolean,
  reason: string,
): (name: string, body: () => Promise<void> | void) => void {
  return (name, body) => {
    if (possible) it(name, body);
    else it.skip(`${name} [skipped: ${reason}]`, body);
  };
}

/** Whether the heavy tests run, too: `scripts/test --all`. */
export const ALL = process.env['PROFILER_TEST_ALL'] === '1';

/** `it` for a heavy test: where not all are asked for, one that is skipped with that reason. */
export function onlyWithAll<It>(test: It): It | ReturnType<typeof itWhere> {
  return ALL ? test : itWhere(false, 'only with --all');
}

/** The same for a whole group: its tests are registered, so that each is counted as skipped. */
export function describeWhere(
  possible: boolean,
  reason: string,
): (name: string, body: (test: ReturnType<typeof itWhere>) => void) => void {
  return (name, body) => describe(name, () => body(itWhere(possible, reason)));
}
