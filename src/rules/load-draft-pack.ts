import type { Draft, DraftRequest, DraftStack } from './draft-pack.js';
import type { RulePack } from './rule.js';

/** Drafts a user's pack. The YAML library is loaded only now: most runs draft none. */
export async function draftRulePack(
  packs: readonly RulePack[],
  request: DraftRequest,
  stacks: readonly DraftStack[],
): Promise<Draft> {
  const { draftPack } = await import('./draft-pack.js');
  return draftPack(packs, request, stacks);
}
