import { type Bucket, type Frame, framesOf, type NativeStacks, type Profile } from '../model/index.js';
import { leafState } from './breakdown.js';
import { classifyStack } from './classify.js';
import type { RuleSet } from './rule-set.js';

/** The function in which CPython runs code: what stands below its last call is not Python. */
const INTERPRETER = /^_?PyEval_EvalFrame(?:Default|Ex)?(?:[.@].*)?$/;
/** How CPython calls a function of C: no news between a line and what it calls. */
const CALL =
  /^(?:_?Py(?:Object|Vectorcall|CFunction|Method|Function|Eval)_?\w*|cfunction_\w+|method_vectorcall\w*|slot_tp_\w+)$/;
/** Waiting, of which the line that waits says enough. */
const WAITS: ReadonlySet<Bucket> = new Set<Bucket>(['pacer', 'idle', 'gil-wait', 'cpu-wait']);
/** Buckets of native code that any line may have called: the interpreter's own, numerics, the C library. */
export const ANYONES: ReadonlySet<Bucket> = new Set<Bucket>(['unclassified', 'python']);
/** Native frames that stand below some line of Python, of one thread. */
export interface Ending {
  readonly frames: readonly Frame[];
  readonly bucket: Bucket;
  weight: number;
}

/** What the native stacks of a thread end in, below its last line of Python, the heaviest first; `total` counts the waits as well. */
export function endingsOf(
  { profile }: NativeStacks,
  thread: number,
  ruleSet: RuleSet,
): { readonly endings: readonly Ending[]; readonly total: number } {
  const byText = new Map<string, Ending>();
  let total = 0;
  for (const [row, weight] of weightsOf(profile, thread)) {
    total += weight;
    const found = row < 0 ? undefined : endingOf(profile, row, ruleSet);
    if (found === undefined) continue;
    const text = found.frames.map(({ name, module = '' }) => `${name}\0${module}`).join('\n');
    const ending = byText.get(text) ?? { ...found, weight: 0 };
    byText.set(text, ending);
    ending.weight += weight;
  }
  return { endings: [...byText.values()].sort((a, b) => b.weight - a.weight), total };
}

/** Undefined where it has none, or only waits in it. */
function endingOf(profile: Profile, row: number, ruleSet: RuleSet): Omit<Ending, 'weight'> | undefined {
  const frames = framesOf(profile, row).flatMap((frame) => profile.frames[frame] ?? []);
  const last = frames.findLastIndex(({ name }) => INTERPRETER.test(name));
  const below = frames.slice(last + 1);
  const first = below.findIndex(({ name }) => !CALL.test(name));
  const called = first < 0 ? below : below.slice(first);
  const claim = classifyStack(ruleSet, called);
  const { bucket } = claim;
  if (called.length === 0 || WAITS.has(bucket)) return undefined;
  if (!ANYONES.has(bucket))
    return { frames: last < 0 ? called.slice(Math.max(0, claim.frame)) : called, bucket };
  // Unwound without the interpreter in sight, a stack begins anywhere: only what a rule knows can be placed.
  return last < 0 || leafState(claim) !== 'work' ? undefined : { frames: called, bucket };
}

/** Weight of each stack of a thread, by its row; -1 for samples without one. */
export function weightsOf({ samples }: Profile, thread: number): ReadonlyMap<number, number> {
  const weights = new Map<number, number>();
  for (let at = 0; at < samples.length; at += 1) {
    const row = samples.stack[at] ?? -1;
    if (samples.thread[at] === thread) weights.set(row, (weights.get(row) ?? 0) + (samples.weight[at] ?? 0));
  }
  return weights;
}
