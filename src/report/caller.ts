import type { Frame, Profile } from '../model/index.js';
import type { Claim } from '../rules/index.js';
import { type Place, placeOf } from './place.js';
import { type Pooled, grouped, stackFrames } from './selection.js';

type ClaimOf = (stack: number) => Claim;

/** Rows that one row of callers is looked for in: what the rules already tell apart stays apart. */
function groupKey({ bucket, kind, label }: Claim): string {
  return `${bucket}\n${kind ?? ''}\n${label ?? ''}`;
}

/**
 * Who asked for what a stack's bucket holds (which sensor cast the rays, what published), one place for each entry. It is
 * the nearest function outwards of the claimed frame; one that all entries share tells nothing, so then it is the
 * first further out in which they differ.
 */
export function callerPlaces(
  profile: Profile,
  claimOf: ClaimOf,
  pooled: readonly Pooled[],
): readonly Place[] {
  const callers = pooled.map(({ stack }) => {
    const claim = claimOf(stack);
    return { claim, chain: callerChain(profile, claimOf, stack, claim) };
  });
  const depths = new Map(
    [...grouped(callers, ({ claim }) => groupKey(claim))].map(([key, group]) => [
      key,
      tellingDepth(group.map(({ chain }) => chain)),
    ]),
  );
  return callers.map(({ claim, chain }) => {
    const key = groupKey(claim);
    const caller = chain[depths.get(key) ?? 0];
    const row = caller === undefined ? { name: '(no caller)' } : placeOf(caller, 'function').row;
    return {
      key: `${key}\n${keyAt(chain, depths.get(key) ?? 0)}`,
      row: {
        ...row,
        bucket: claim.bucket,
        ...(claim.kind === undefined ? {} : { kind: claim.kind }),
        ...(claim.label === undefined ? {} : { label: claim.label }),
      },
    };
  });
}

function keyAt(chain: readonly Frame[], depth: number): string {
  const frame = chain[depth];
  return frame === undefined ? '' : placeOf(frame, 'function').key;
}

/** How far outwards callers first differ; 0 where they never do. */
function tellingDepth(chains: readonly (readonly Frame[])[]): number {
  const [first] = chains;
  const longest = chains.reduce((most, chain) => Math.max(most, chain.length), 0);
  for (let depth = 0; depth < longest; depth += 1) {
    const key = keyAt(first ?? [], depth);
    if (chains.some((chain) => keyAt(chain, depth) !== key)) return depth;
  }
  return 0;
}

/** Frames outwards of the claimed one (of the leaf where nothing claimed), past those that the same bucket claims by themselves. */
function callerChain(profile: Profile, claimOf: ClaimOf, stack: number, claim: Claim): readonly Frame[] {
  const frames = stackFrames(profile, stack);
  const rows: number[] = [];
  for (let row = stack; row >= 0; row = profile.stacks.parent[row] ?? -1) rows.push(row);
  rows.reverse();
  let depth = (claim.frame < 0 ? rows.length : claim.frame + 1) - 2;
  while (depth >= 0) {
    const own = claimOf(rows[depth] ?? -1);
    if (own.bucket !== claim.bucket || own.frame !== depth) break;
    depth -= 1;
  }
  // A label between two frames calls nobody.
  return frames
    .slice(0, depth + 1)
    .filter(({ kind }) => kind !== 'marker')
    .toReversed();
}
