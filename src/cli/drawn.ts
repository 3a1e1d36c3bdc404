import { type Finding, type Profile, drawnRows, unverifiedShare } from '../model/index.js';

/** Above this part of the samples, ending stacks early is worth a word. */
const NOTABLE = 0.001;

/** Where the stacks of a profile end when they are drawn as a tree, and what a reader has to know of it. */
export interface Drawn {
  readonly rowOf: (stack: number) => number;
  readonly findings: readonly Finding[];
}

/** A stack that was read while it changed may show a call that the program cannot make: such calls are not drawn. */
export function drawn(profile: Profile): Drawn {
  const rows = drawnRows(profile);
  const share = rows === undefined ? 0 : unverifiedShare(profile);
  return {
    rowOf: (stack) => (stack < 0 ? stack : (rows?.[stack] ?? stack)),
    findings: share <= NOTABLE ? [] : [unverified(share)],
  };
}

function unverified(share: number): Finding {
  return {
    level: 'note',
    id: 'calls-unverified',
    what: `${(100 * share).toFixed(1)} % of the samples have a call that no stack shows which was read twice with the same result.`,
    why: 'The stack may have changed while it was read: in trees and flame graphs they end at the caller. Shares by bucket, function and line count them where they were.',
  };
}
