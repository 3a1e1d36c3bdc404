import { framesOf, type Frame, type Profile } from '../model/index.js';
import type { Claim } from '../rules/index.js';

/** What samples show of a loop that steps. */
export interface StepEvidence {
  /** Samples inside the simulator's step. */
  readonly physics: number;
  /** Paths from the root to a pacer's wait, each with its lines: the same path again is the same loop. */
  readonly pacers: ReadonlySet<string>;
}

function isImport({ name, file = '' }: Frame): boolean {
  return name.startsWith('_find_and_load') || file.includes('importlib');
}

/** What the samples show. Steps made while a module is imported, and the forward pass of a model that is built, are no loop. */
export function stepEvidence(profile: Profile, claims: readonly Claim[]): StepEvidence {
  const { samples } = profile;
  const pacers = new Set<string>();
  let physics = 0;
  for (let row = 0; row < samples.length; row += 1) {
    const stack = samples.stack[row] ?? -1;
    const claim = claims[stack];
    if (claim === undefined || (claim.bucket !== 'physics' && claim.bucket !== 'pacer')) continue;
    if (claim.kind === 'forward') continue;
    const frames = framesOf(profile, stack).flatMap((index) => profile.frames[index] ?? []);
    if (frames.some(isImport)) continue;
    if (claim.bucket === 'physics') physics += samples.weight[row] ?? 0;
    else pacers.add(pathOf(frames.slice(0, claim.frame + 1)));
  }
  return { physics, pacers };
}

function pathOf(frames: readonly Frame[]): string {
  return JSON.stringify(frames.map(({ name, file = '', line = 0 }) => [name, file, line]));
}
