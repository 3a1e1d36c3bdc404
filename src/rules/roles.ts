import type { Bucket, Profile } from '../model/index.js';
import { countSamples } from './breakdown.js';
import type { PhysicsThread } from './physics-thread.js';
import type { Claim } from './rule.js';
import type { SampleCount } from './sample-count.js';

/**
 * What a thread is for. `driver`: pixels of software rendering or other work of the graphics driver. `middleware`: DDS.
 * `idle`: waited through the window. `other`: works, at nothing the rules know.
 */
export type ThreadRole = 'physics' | 'executor' | 'driver' | 'middleware' | 'idle' | 'other' | 'unknown';

const ROLE_BY_NAME: readonly (readonly [RegExp, ThreadRole])[] = [
  [/^(?:llvmpipe|gallium|swrast|softpipe|radeonsi|iris|nv_queue|zink)[-_:]?/i, 'driver'],
  [/:(?:disk|gdrv|sh|cs|gl)\$?\d+$/, 'driver'],
  [/^(?:dds\.|dq\.|recv(?:MC|UC)?$|tev$|gc$|lease$|fastdds)/, 'middleware'],
];

/** Share of a thread's samples from which on it counts as idle. */
const IDLE_FROM = 0.95;

/** Role of a thread by its name alone, for threads that no sampler saw: drivers and middleware have no Python frames. */
export function roleOfName(name: string | undefined): ThreadRole | undefined {
  return name === undefined ? undefined : ROLE_BY_NAME.find(([pattern]) => pattern.test(name))?.[1];
}

/** Role of every thread of a profile, by index. */
export function threadRoles(
  profile: Profile,
  claims: readonly Claim[],
  physics: PhysicsThread,
): readonly ThreadRole[] {
  return profile.threads.map((thread, index) => {
    if (index === physics.index) return 'physics';
    return roleOfName(thread.name) ?? roleOfSamples(countSamples(profile, claims, index));
  });
}

function roleOfSamples(counts: readonly SampleCount[]): ThreadRole {
  const seen = counts.filter(({ kind, bucket }) => bucket !== 'unclassified' || kind !== 'lost');
  const all = sumOf(seen, () => true);
  if (all === 0) return 'unknown';
  const part = (bucket: Bucket, kind?: string): number =>
    sumOf(seen, (count) => count.bucket === bucket && (kind === undefined || count.kind === kind)) / all;
  const driver = part('render', 'driver') + part('idle', 'driver');
  if (driver > 0.5) return 'driver';
  const middleware = part('executor', 'middleware') + part('idle', 'middleware');
  if (middleware > 0.5) return 'middleware';
  if (part('executor') > 0 || isExecutorWait(seen)) return 'executor';
  return part('idle') >= IDLE_FROM ? 'idle' : 'other';
}

/** Waiting in a wait set has neither kind nor label; every other idle sample has a kind. */
function isExecutorWait(counts: readonly SampleCount[]): boolean {
  return counts.some(({ bucket, kind, leaf }) => bucket === 'idle' && kind === undefined && leaf === 'wait');
}

function sumOf(counts: readonly SampleCount[], wanted: (count: SampleCount) => boolean): number {
  return counts.reduce((sum, count) => sum + (wanted(count) ? count.samples : 0), 0);
}
