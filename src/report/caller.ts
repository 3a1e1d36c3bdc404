import type { Frame, Profile } from '../model/index.js';
import type { Claim } from '../rules/index.js';
import { type Place, placeOf } from './place.js';

type ClaimOf = (stack: number) => Claim;

/**
 * Who asked for what a stack's bucket holds: which sensor cast the rays, what published. The label that the rules give
 * is kept beside the frame.
 */
export function callerPlace(profile: Profile, claimOf: ClaimOf, stack: number): Place {
  const claim = claimOf(stack);
  const bucket = {
    bucket: claim.bucket,
    ...(claim.kind === undefined ? {} : { kind: claim.kind }),
    ...(claim.label === undefined ? {} : { label: claim.label }),
  };
  const base = `${claim.bucket}\n${claim.kind ?? ''}\n${claim.label ?? ''}`;
  const caller = callerFrame(profile, claimOf, stack, claim);
  if (caller === undefined) return { key: base, row: { name: '(no caller)', ...bucket } };
  const place = placeOf(caller, 'function');
  return { key: `${base}\n${place.key}`, row: { ...place.row, ...bucket } };
}

/** Walks outwards from the claimed frame, past frames that the same bucket claims by themselves; from the leaf where nothing claimed. */
function callerFrame(profile: Profile, claimOf: ClaimOf, stack: number, claim: Claim): Frame | undefined {
  const { parent, frame } = profile.stacks;
  const rows: number[] = [];
  for (let row = stack; row >= 0; row = parent[row] ?? -1) rows.push(row);
  rows.reverse();
  let depth = (claim.frame < 0 ? rows.length : claim.frame + 1) - 2;
  while (depth >= 0) {
    const own = claimOf(rows[depth] ?? -1);
    if (own.bucket !== claim.bucket || own.frame !== depth) break;
    depth -= 1;
  }
  const row = rows[depth];
  return row === undefined ? undefined : profile.frames[frame[row] ?? -1];
}
