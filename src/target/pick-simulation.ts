import { isWithoutMainThread } from './proc/stat.js';
import { hasEnded } from './proc/stat.js';
import type { ProcessFacts } from './process.js';
import type { Target } from './target.js';
import { wrapperReason } from './wrappers.js';

/** The process of a tree to profile, and why: goes into the target as it is. */
export interface Choice {
  readonly facts: ProcessFacts;
  readonly chosenBecause: string;
  readonly passedOver: Target['passedOver'];
}

/** How likely a process is the simulation. Higher wins; 0 is never chosen while anything else is there. */
const RANK = { wrapper: 0, native: 1, node: 2, python: 3, named: 4, loaded: 5 } as const;

/**
 * Picks the simulation of a process tree: a Python with a simulator loaded before one whose command line names it,
 * before any other Python, before Node, before native code; wrappers last. Of equals the process that the user named,
 * then the one that used most CPU. `undefined` for a tree in which everything has ended.
 */
export function pickSimulation(rootPid: number, tree: readonly ProcessFacts[]): Choice | undefined {
  const ranked = tree
    .filter((facts) => !hasEnded(facts.stat))
    .map((facts) => ({ facts, rank: rankOf(facts) }))
    .sort(
      (a, b) =>
        b.rank - a.rank ||
        Number(b.facts.stat.pid === rootPid) - Number(a.facts.stat.pid === rootPid) ||
        b.facts.stat.cpuTicks - a.facts.stat.cpuTicks ||
        a.facts.stat.pid - b.facts.stat.pid,
    );
  const [best, ...others] = ranked;
  if (best === undefined) return undefined;
  const equals = others.filter(({ rank }) => rank === best.rank).length;
  return {
    facts: best.facts,
    chosenBecause: reasonFor(best.facts, best.rank, best.facts.stat.pid === rootPid, equals),
    passedOver: tree
      .filter((facts) => facts !== best.facts)
      .map((facts) => ({
        pid: facts.stat.pid,
        command: facts.command,
        because: reasonAgainst(facts, best.facts, rankOf(facts) === best.rank),
      })),
  };
}

/** The processes that are as likely the simulation as the likeliest; wrappers are never among them. Empty where nothing else is there. */
export function likeliest(tree: readonly ProcessFacts[]): readonly ProcessFacts[] {
  const alive = tree.filter((facts) => !hasEnded(facts.stat));
  const best = Math.max(RANK.native, ...alive.map(rankOf));
  return alive.filter((facts) => rankOf(facts) === best);
}

function rankOf(facts: ProcessFacts): number {
  if (wrapperReason(facts.command, facts.exe) !== undefined) return RANK.wrapper;
  if (facts.runtime !== 'python') return RANK[facts.runtime];
  if (facts.simulator === undefined) return RANK.python;
  return facts.simulator.loaded ? RANK.loaded : RANK.named;
}

function reasonFor(facts: ProcessFacts, rank: number, named: boolean, equals: number): string {
  const kind =
    rank === RANK.wrapper
      ? 'nothing else runs in its tree'
      : facts.runtime !== 'python'
        ? // Its program and memory are hidden then, whatever it runs.
          isWithoutMainThread(facts.stat)
          ? 'its main thread has ended, so what runs in it cannot be told'
          : 'no Python runs in its tree'
        : facts.simulator === undefined
          ? 'a Python process; no simulator was found in its tree'
          : facts.simulator.loaded
            ? `a Python process with ${facts.simulator.name} loaded`
            : `a Python process with ${facts.simulator.name} in its command line`;
  if (equals === 0) return kind;
  return named
    ? `${kind}, and the one that was named`
    : `${kind}, and of ${equals + 1} such the one that used most CPU`;
}

function reasonAgainst(facts: ProcessFacts, chosen: ProcessFacts, equal: boolean): string {
  if (hasEnded(facts.stat)) return 'has ended (zombie)';
  const wrapper = wrapperReason(facts.command, facts.exe);
  if (wrapper !== undefined) return wrapper;
  if (equal) {
    return facts.stat.cpuTicks > chosen.stat.cpuTicks
      ? 'not the one that was named'
      : 'as likely, but used less CPU';
  }
  if (facts.runtime !== 'python') return 'not a Python process';
  return facts.simulator === undefined
    ? 'no simulator found in it'
    : `${facts.simulator.name} only in its command line`;
}
