import type { SliceVerdict } from '../capture/index.js';
import { type Recording, readSlices } from '../recording/index.js';
import { classifyProfile, type RuleSet } from '../rules/index.js';
import { type StepEvidence, stepEvidence } from './step-evidence.js';
import { stillSteady, type SteadyThread } from './steady-thread.js';

/** What is known of a loop before its first slice. */
export interface KnownLoop {
  /** Paths to its pacer; see `StepEvidence`. */
  readonly pacers: ReadonlySet<string>;
  /** Its step or its pacer was seen already. */
  readonly recognised: boolean;
  /** A thread that gives its CPU up at an even rate: what is left where no rule knows the loop. */
  readonly steady?: SteadyThread;
}

/** Verdicts on the evidence of one slice after the other. */
export function evidenceJudge(loop: KnownLoop): (evidence: StepEvidence, steady: boolean) => SliceVerdict {
  const known = new Set(loop.pacers);
  let learned: ReadonlySet<string> = new Set();
  let seen = false;
  return ({ physics, pacers }, steady) => {
    // Without anything to go by, the first wait in a pacer is taken for the loop's.
    if (!seen && known.size === 0 && physics === 0) for (const path of pacers) known.add(path);
    const steps = physics > 0 || [...pacers].some((path) => known.has(path));
    seen ||= steps;
    if (steps) {
      // A new wait belongs to the loop only if the loop went on afterwards: the last slice may hold one of what follows.
      for (const path of learned) known.add(path);
      learned = pacers;
      return 'steps';
    }
    if (loop.steady !== undefined && !seen) return steady ? 'steps' : 'rests';
    return seen || loop.recognised ? 'rests' : 'unknown';
  };
}

/** Says of each slice of a recording, in order, whether it shows the loop. */
export function stepJudge(
  folder: string,
  ruleSet: RuleSet,
  loop: KnownLoop,
): (slice: Recording) => Promise<SliceVerdict> {
  const judge = evidenceJudge(loop);
  return async (slice) => {
    const { profile } = await readSlices(folder, slice);
    const steady = loop.steady !== undefined && stillSteady(loop.steady, slice);
    return judge(stepEvidence(profile, classifyProfile(ruleSet, profile)), steady);
  };
}
