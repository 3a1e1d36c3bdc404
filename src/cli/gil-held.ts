import { type Frame, type Profile, framesOf } from '../model/index.js';
import { type HeldBy, compareText, functionText, grouped } from '../report/index.js';
import { type GilWait, gilWaits } from '../stats/index.js';

/** Leaf-most Python function of a stack, without its line; undefined for none. */
export function functionAt(profile: Profile, stack: number): Frame | undefined {
  const frames = framesOf(profile, stack).flatMap((index) => profile.frames[index] ?? []);
  const found = frames.findLast(({ kind }) => kind === 'python') ?? frames.at(-1);
  if (found === undefined) return undefined;
  const { line: _, sourceText: __, ...frame } = found;
  return frame;
}

/** Waits for the GIL with one holder, in one of its functions. */
export interface Held {
  readonly holder: number;
  readonly frame?: Frame;
  readonly waits: readonly GilWait[];
  readonly samples: number;
}

/** Waits by who held the GIL and in which function, most first. */
export function byHolder(profile: Profile, waits: readonly GilWait[]): Held[] {
  const keyed = waits.map((wait) => {
    const frame = wait.holderStack === undefined ? undefined : functionAt(profile, wait.holderStack);
    return { wait, frame, key: `${wait.holder} ${frame === undefined ? '' : functionText(frame)}` };
  });
  return [...grouped(keyed, ({ key }) => key)]
    .map(([key, group]) => ({
      key,
      holder: group[0]?.wait.holder ?? -1,
      ...(group[0]?.frame === undefined ? {} : { frame: group[0].frame }),
      waits: group.map(({ wait }) => wait),
      samples: weightOf(group.map(({ wait }) => wait)),
    }))
    .sort((a, b) => b.samples - a.samples || compareText(a.key, b.key));
}

/** Samples of some waits. */
export function weightOf(waits: readonly GilWait[]): number {
  return waits.reduce((sum, { weight }) => sum + weight, 0);
}

/** Who held the GIL most while a thread waited for it; undefined where nobody was seen to. */
export function heldMostBy(profile: Profile, thread: number): HeldBy | undefined {
  const waits = gilWaits(profile, thread);
  const most = byHolder(profile, waits).find(({ holder }) => holder >= 0 && holder !== thread);
  const holder = most === undefined ? undefined : profile.threads[most.holder];
  if (most === undefined || holder === undefined) return undefined;
  return {
    thread: holder,
    ...(most.frame === undefined ? {} : { frame: most.frame }),
    part: most.samples / weightOf(waits),
  };
}
