import type { Finding } from '../../model/index.js';

/**
 * `works`: nothing to do. `limited`: works, and something in it costs accuracy or reach. `fails`: what needs it cannot be done.
 * `note`: neither good nor bad, or nothing needs it.
 */
export type CheckState = 'works' | 'limited' | 'fails' | 'note';

export type CheckGroup =
  | 'target'
  | 'containers'
  | 'samplers'
  | 'kernel'
  | 'routes'
  | 'backends'
  | 'leftovers';

/** One answer of `profiler doctor`. Texts are raw. */
export interface Check {
  readonly group: CheckGroup;
  /** Stable, kebab case: scripts match on it. */
  readonly id: string;
  /** How the thing is called: `perf_event_paranoid`, `nsenter`. */
  readonly name: string;
  readonly state: CheckState;
  /** What is the case, with values. */
  readonly what: string;
  /** The line to type, or the thing to change. */
  readonly fix?: string;
}

/** A finding as the answer to a check that it fails. */
export function failing(
  check: Pick<Check, 'group' | 'id' | 'name'>,
  { what, why, fix }: Pick<Finding, 'what' | 'why' | 'fix'>,
): Check {
  return {
    ...check,
    state: 'fails',
    what: [what, why].filter(Boolean).join(' '),
    ...(fix === undefined ? {} : { fix }),
  };
}
