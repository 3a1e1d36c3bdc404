import type { Chunks } from './format.js';

/** How much of a file decides what it is. */
export const HEAD_BYTES = 65_536;

/** The first bytes of a stream, and the whole stream again. */
export interface Peeked {
  /** `HEAD_BYTES` long unless the file is shorter. */
  readonly head: Uint8Array;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Reads the head without losing it. The returned chunks can be read once. */
export async function peek(chunks: Chunks): Promise<Peeked> {
  const source = each(chunks);
  const taken: Uint8Array[] = [];
  let length = 0;
  while (length < HEAD_BYTES) {
    const next = await source.next();
    if (next.done === true) break;
    length += next.value.length;
    // A copy, as the source may fill the same buffer again; the last chunk is used up before the next is asked for.
    taken.push(length < HEAD_BYTES ? next.value.slice() : next.value);
  }
  const all = taken.length === 1 ? (taken[0] ?? new Uint8Array()) : joined(taken, length);
  return { head: all.subarray(0, HEAD_BYTES), chunks: again(all, source) };
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

async function* each(chunks: Chunks): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function* again(taken: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (taken.length > 0) yield taken;
  yield* rest;
}

/** The encoding that a byte order mark names; UTF-8 without one. PowerShell's `>` writes UTF-16LE. */
export function encodingOf(head: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  return head[0] === 0xfe && head[1] === 0xff ? 'utf-16be' : 'utf-8';
}

/** The same text in UTF-8 without a byte order mark. */
export async function* utf8Chunks({ head, chunks }: Peeked): AsyncGenerator<Uint8Array> {
  const encoding = encodingOf(head);
  if (encoding !== 'utf-8') {
    const decoder = new TextDecoder(encoding);
    const encoder = new TextEncoder();
    for await (const chunk of chunks) yield encoder.encode(decoder.decode(chunk, { stream: true }));
    yield encoder.encode(decoder.decode());
    return;
  }
  let mark = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
  for await (const chunk of chunks) {
    // The first chunk of a peeked stream holds the whole head, so the mark is never cut.
    yield mark === 0 ? chunk : chunk.subarray(mark);
    mark = 0;
  }
}
