import { open } from 'node:fs/promises';

/** Start-up is told at the beginning, and what a run came to at its end: so much is kept of either. */
const HEAD_BYTES = 4 << 20;
const TAIL_BYTES = 16 << 20;

/** A part of an output, and the place of its first byte. */
export interface OutputPart {
  readonly startByte: number;
  readonly bytes: Uint8Array;
}

/** The beginning and the end of an output, however long it becomes. */
export class KeptOutput {
  readonly #headBytes: number;
  readonly #tailBytes: number;
  readonly #head: Uint8Array[] = [];
  #tail: Uint8Array[] = [];
  #inHead = 0;
  #inTail = 0;
  #seen = 0;

  constructor(headBytes = HEAD_BYTES, tailBytes = TAIL_BYTES) {
    this.#headBytes = headBytes;
    this.#tailBytes = tailBytes;
  }

  add(chunk: Uint8Array): void {
    this.#seen += chunk.length;
    const room = Math.min(this.#headBytes - this.#inHead, chunk.length);
    // Copies: a small chunk may be a view of a large buffer.
    if (room > 0) this.#head.push(Uint8Array.from(chunk.subarray(0, room)));
    this.#inHead += room;
    if (room === chunk.length) return;
    this.#tail.push(Uint8Array.from(chunk.subarray(room)));
    this.#inTail += chunk.length - room;
    let gone = 0;
    while (this.#inTail - (this.#tail[gone]?.length ?? 0) >= this.#tailBytes) {
      this.#inTail -= this.#tail[gone]?.length ?? 0;
      gone += 1;
    }
    if (gone > 0) this.#tail = this.#tail.slice(gone);
  }

  /** One part where nothing was let go between its beginning and its end. */
  parts(): readonly OutputPart[] {
    const [head, tail] = [joined(this.#head), joined(this.#tail)];
    if (tail.length === 0) return head.length === 0 ? [] : [{ startByte: 0, bytes: head }];
    const tailAt = this.#seen - tail.length;
    if (tailAt === head.length) return [{ startByte: 0, bytes: joined([head, tail]) }];
    return [
      { startByte: 0, bytes: head },
      { startByte: tailAt, bytes: tail },
    ];
  }
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** The same of a file, from a place on: what is between its beginning and its end is not read. Throws the system's errors. */
export async function endsOfFile(path: string, fromByte = 0): Promise<readonly OutputPart[]> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    // It is shorter than it was: the program began it anew.
    const from = size < fromByte ? 0 : fromByte;
    const read = async (startByte: number, length: number): Promise<OutputPart> => {
      const buffer = new Uint8Array(length);
      const { bytesRead } = await file.read(buffer, 0, length, startByte);
      return { startByte, bytes: buffer.subarray(0, bytesRead) };
    };
    if (size - from <= HEAD_BYTES + TAIL_BYTES) return size > from ? [await read(from, size - from)] : [];
    return [await read(from, HEAD_BYTES), await read(size - TAIL_BYTES, TAIL_BYTES)];
  } finally {
    await file.close();
  }
}
