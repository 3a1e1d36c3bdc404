import { SLEEPING_TEXT, SPINNING_TEXT } from './known-frames.js';
import type { FramePattern, Rule } from './rule.js';

/** A pacing function with one example frame of it, without its source text: `wait (roqsim/clock.py:50)`. */
export interface PacingFunction {
  /** Start of the rules' ids: `roqsim/pacer`. */
  readonly id: string;
  readonly match: FramePattern;
  readonly example: string;
  readonly misses: readonly string[];
}

/**
 * A pacer sleeps on one of its lines, may spin on another, and reckons on the rest: four rules for one function, by the text of the
 * executed line. A sleeping line that has Python below it is a torn read of the stack and decides nothing.
 */
export function pacerRules({ id, match, example, misses }: PacingFunction): readonly Rule[] {
  return [
    {
      id: `${id}-sleep`,
      bucket: 'pacer',
      kind: 'sleep',
      match: { ...match, source: SLEEPING_TEXT },
      leaf: true,
      blocks: 'sleep',
      why: 'The pacing function stands on the line that sleeps until the next step is due.',
      hits: [`${example} #time.sleep(remaining)`],
      misses: [
        example,
        `${example} #time.sleep(remaining);publish_snapshot (roqsim/context.py:362)`,
        ...misses,
      ],
    },
    {
      id: `${id}-spin`,
      bucket: 'pacer',
      kind: 'spin',
      match: { ...match, source: SPINNING_TEXT, notSource: SLEEPING_TEXT },
      why: 'The pacing function goes round a loop of its own: it watches the clock until the next step is due.',
      hits: [`${example} #while time.perf_counter() < due:`],
      misses: [example, `${example} #time.sleep(remaining)`, `${example} #remaining = due - now`, ...misses],
    },
    {
      id: `${id}-own`,
      bucket: 'pacer',
      match: { ...match, sourceKnown: true, notSource: [...SLEEPING_TEXT, ...SPINNING_TEXT] },
      why: 'The pacing function works on a line that neither sleeps nor loops: it reckons when the next step is due.',
      hits: [`${example} #remaining = due - now`],
      misses: [
        example,
        `${example} #time.sleep(remaining)`,
        `${example} #while time.perf_counter() < due:`,
        ...misses,
      ],
    },
    {
      id: `${id}-unknown`,
      bucket: 'pacer',
      match: { ...match, sourceKnown: false },
      leaf: true,
      whenBlocked: { kind: 'sleep' },
      why: 'The pacing function holds real time, but without the text of its line sleep and spin look alike.',
      hits: [example, `${example};clock_nanosleep (libc.so.6)`],
      misses: [
        `${example} #time.sleep(remaining)`,
        `${example};publish_snapshot (roqsim/context.py:362)`,
        ...misses,
      ],
    },
  ];
}
