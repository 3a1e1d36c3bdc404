/**
 * Deliberate waits: the timers of `node:timers/promises`. Its exports are properties of one object, which can be replaced; an import of a
 * name from an ES module is a binding to the builtin module, which `syncBuiltinESMExports` makes look at that object again.
 */
import { syncBuiltinESMExports } from 'node:module';
import promises from 'node:timers/promises';
import type { Around, Patches } from './patches.js';

/** Replaces them. Waits of an interval are the time between asking for a tick and getting it. */
export function timeSleep(patches: Patches, around: Around): void {
  const { scheduler } = promises;
  for (const [owner, name] of [
    [promises, 'setTimeout'],
    [promises, 'setImmediate'],
    [scheduler, 'wait'],
    [scheduler, 'yield'],
  ] as const)
    patches.add(owner, name, `timers/promises.${name}`, around);
  const ticks: Around = (call) => timedTicks(call(), around);
  patches.add(promises, 'setInterval', 'timers/promises.setInterval', ticks, true);
  syncBuiltinESMExports();
}

/** To be called after they have been put back. */
export function showRealTimers(): void {
  syncBuiltinESMExports();
}

/** The same iterator, whose `next` is timed. */
function timedTicks(ticks: unknown, around: Around): unknown {
  if (typeof ticks !== 'object' || ticks === null) return ticks;
  const { next } = ticks as { readonly next?: unknown };
  if (typeof next !== 'function') return ticks;
  Reflect.defineProperty(ticks, 'next', {
    value: (...args: readonly unknown[]) => around(() => Reflect.apply(next, ticks, args)),
    configurable: true,
    writable: true,
  });
  return ticks;
}
