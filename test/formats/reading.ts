import { readFileSync } from 'node:fs';
import { framesOf } from '../../src/model/index.js';
import type { Profile } from '../../src/model/index.js';

const FIXTURES = new URL('../fixtures/', import.meta.url);

export function fixture(name: string): Uint8Array {
  return readFileSync(new URL(name, FIXTURES));
}

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The same bytes in pieces of `size`, all in one buffer that is filled again: what a reader keeps, it has to copy. */
export function* inChunks(whole: Uint8Array, size: number): Generator<Uint8Array> {
  const buffer = new Uint8Array(size);
  for (let at = 0; at < whole.length; at += size) {
    const chunk = whole.subarray(at, at + size);
    buffer.set(chunk);
    yield buffer.subarray(0, chunk.length);
    buffer.fill(0x3b);
  }
}

/**
 * The same text twice with comments between, so that the second lies beyond the head. A reader takes the head as one chunk: only what
 * comes after is cut where the source cuts it.
 */
export function beyondHead(text: Uint8Array): Uint8Array {
  const comments = bytes(`\n${'# nothing to see in this line\n'.repeat(2300)}`);
  const whole = new Uint8Array(text.length * 2 + comments.length);
  whole.set(text);
  whole.set(comments, text.length);
  whole.set(text, text.length + comments.length);
  return whole;
}

/** Everything a profile says, independent of the order in which it was said. Equal rows are added up. */
export function meaning(profile: Profile): unknown {
  const rows = new Map<string, number>();
  for (let row = 0; row < profile.samples.length; row += 1) {
    const frames = framesOf(profile, profile.samples.stack[row]!).map((index) => profile.frames[index]);
    const thread = profile.threads[profile.samples.thread[row]!];
    const torn = profile.samples.stack[row] === -1;
    const key = JSON.stringify([sorted(thread), frames.map(sorted), torn]);
    rows.set(key, (rows.get(key) ?? 0) + profile.samples.weight[row]!);
  }
  return { unit: profile.unit, rows: [...rows].sort(([a], [b]) => (a < b ? -1 : 1)) };
}

function sorted(record: object | undefined): [string, unknown][] {
  return Object.entries(record ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Names as a folded line has them, written out here a second time: what `withFoldedNames` makes of them. */
export function spelled(profile: Profile): Profile {
  const { frames, threads } = JSON.parse(
    JSON.stringify({ frames: profile.frames, threads: profile.threads }),
    (key, value: unknown) =>
      typeof value === 'string' && key !== 'kind' ? value.replaceAll('\n', '␊').replaceAll(';', ':') : value,
  ) as Pick<Profile, 'frames' | 'threads'>;
  return { ...profile, frames, threads };
}
