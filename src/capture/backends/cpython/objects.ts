import type { Layout } from './layout.js';
import { block, pointerAt, type Memory } from './memory.js';

/** Bytes of a bytes object or characters of a name: more is no such thing. */
const LARGEST = 1 << 22;
const LONGEST_NAME = 4096;
const FIRST_BYTES = 512;

/** Characters of a `str` and the low half of its hash, which it has once it was interned. */
export interface Text {
  readonly value: string;
  readonly hash: number;
}

/** Objects of the target. Undefined or false for an address at which there is no such object; throws where memory is not readable. */
export interface Objects {
  /** Whether a type is the one of that name; learned from the first type that has it. */
  isNamed(type: number, name: string): boolean;
  readText(address: number): Text | undefined;
  readBytes(address: number): Buffer | undefined;
}

/** Whether an address can be that of an object: aligned, in user space, not the first page. */
export function isPlausible(address: number): boolean {
  return address >= 4096 && address < 0x1_0000_0000_0000 && address % 8 === 0;
}

export function objectsOf(memory: Memory, layout: Layout): Objects {
  const { object, text, bytes } = layout;
  const types = new Map<string, number>();
  const typeBlock = block(64);
  const textBlock = block(FIRST_BYTES);

  const isNamed = (type: number, name: string): boolean => {
    const same = types.get(name);
    if (same !== undefined) return type === same;
    if (!isPlausible(type)) return false;
    if (memory.read(typeBlock, 0, 8, type + object.typeName) < 8) return false;
    const address = pointerAt(typeBlock.words, 0);
    if (address === 0 || memory.read(typeBlock, 0, name.length + 1, address) <= name.length) return false;
    if (typeBlock.bytes.toString('latin1', 0, name.length + 1) !== `${name}\0`) return false;
    types.set(name, type);
    return true;
  };

  /** Characters and hash of a `str`; the hash of a name is computed when it is interned. */
  const readText = (address: number): Text | undefined => {
    if (!isPlausible(address)) return undefined;
    const count = memory.read(textBlock, 0, FIRST_BYTES, address);
    if (count < text.ascii || !isNamed(pointerAt(textBlock.words, object.type), 'str')) return undefined;
    const length = pointerAt(textBlock.words, text.length);
    const state = textBlock.words[text.state >> 2]!;
    // interned: 2 bits, kind: 3, compact: 1, ascii: 1.
    const kind = (state >> 2) & 7;
    const data = (state & 64) === 0 ? text.compact : text.ascii;
    if ((state & 32) === 0 || ![1, 2, 4].includes(kind) || length > LARGEST) return undefined;
    const hash = textBlock.words[text.hash >> 2]!;
    const wanted = Math.min(length, LONGEST_NAME) * kind;
    const here = data + wanted <= count;
    const content = here ? textBlock : block(wanted);
    if (!here && memory.read(content, 0, wanted, address + data) < wanted) return undefined;
    return { value: decode(content.bytes, here ? data : 0, wanted, kind), hash };
  };

  const readBytes = (address: number): Buffer | undefined => {
    if (!isPlausible(address)) return undefined;
    const count = memory.read(textBlock, 0, FIRST_BYTES, address);
    if (count < bytes.data || !isNamed(pointerAt(textBlock.words, object.type), 'bytes')) return undefined;
    const length = pointerAt(textBlock.words, object.length);
    if (length > LARGEST) return undefined;
    if (bytes.data + length <= count)
      return Buffer.from(textBlock.bytes.subarray(bytes.data, bytes.data + length));
    const content = block(length);
    return memory.read(content, 0, length, address + bytes.data) < length ? undefined : content.bytes;
  };

  return { isNamed, readText, readBytes };
}

function decode(bytes: Buffer, start: number, length: number, kind: number): string {
  if (kind === 1) return bytes.toString('latin1', start, start + length);
  if (kind === 2) return bytes.toString('utf16le', start, start + length);
  let value = '';
  for (let at = start; at < start + length; at += 4) {
    const point = bytes.readUInt32LE(at);
    value += point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd';
  }
  return value;
}
