/**
 * Objects of CPython read from outside: texts, whole numbers, dicts and the attributes of instances. Everything may change while it is
 * read, so nothing that is found here is certain before it was looked at again.
 */
import { decode, isPlausible, typeNames } from './code-objects.js';
import type { Layout } from './layout.js';
import { block, pointerAt, type Block, type Memory } from './memory.js';
import type { ObjectLayout } from './object-layout.js';

/** Keys of a dict with where their values are. */
export interface Entries {
  /** Address of the first entry. */
  readonly first: number;
  readonly count: number;
  /** 24: hash, key, value; 16: key, value. */
  readonly bytes: number;
  /** Address of the first value where values lie apart from their keys, else 0. */
  readonly values: number;
}

export interface PythonObjects {
  /** Characters of a `str`, 4096 at most; undefined for anything else. Two reads at most. */
  text(address: number): string | undefined;
  /** An `int` from 0 to 2^60; undefined for anything else. One read. */
  integer(address: number): number | undefined;
  /** What a pointer at an address points to; 0 where there is none. One read. */
  pointer(address: number): number;
  /** Entries of a `dict`; undefined for anything else. Two reads. */
  dict(address: number): Entries | undefined;
  /** Entries of the `__dict__` that an instance has, or would have. Five reads at most. */
  attributes(address: number): Entries | undefined;
  /** Copies entries from number `from` on, as many as fit, and says how many. One read. */
  copy(entries: Entries, from: number): number;
  /** Of the entry that lies at number `index` in the copy. */
  keyAt(entries: Entries, index: number): number;
  hashAt(entries: Entries, index: number): number;
}

/** Where the value of an entry is. */
export function valueAddress({ first, bytes, values }: Entries, index: number): number {
  return values === 0 ? first + index * bytes + bytes - 8 : values + index * 8;
}

/** Entries that are copied at once. */
export const AT_ONCE = 1024;
const MOST_ENTRIES = 1 << 22;
const LONGEST_TEXT = 4096;
const FIRST_BYTES = 512;
const DIGIT_BITS = 30;
const MANAGED_DICT = 1 << 4;
const INLINE_VALUES = 1 << 2;
/** What an instance has before it, and its head behind that. */
const BEFORE = 32;
const GENERAL = 0;
const KINDS = 3;

/** @param minor of the version 3.`minor`. */
export function pythonObjects(memory: Memory, layout: Layout, at: ObjectLayout): PythonObjects {
  const { object, text: textAt } = layout;
  const { type: typeAt, dict: dictAt, keys: keysAt, instance: instanceAt, integer: integerAt } = at;
  const types = typeNames(memory, layout);
  const textBlock = block(FIRST_BYTES);
  const headBlock = block(64);
  const typeBlock = block(typeAt.sharedKeys + 8);
  const entryBlock = block(AT_ONCE * 24);

  /** Reads exactly that much, or says no. */
  const whole = (into: Block, length: number, address: number): boolean =>
    isPlausible(address) && memory.read(into, 0, length, address) === length;

  const pointer = (address: number): number =>
    whole(headBlock, 8, address) ? pointerAt(headBlock.words, 0) : 0;

  const keys = (address: number, values: number): Entries | undefined => {
    if (!whole(headBlock, keysAt.indices, address)) return undefined;
    const count = pointerAt(headBlock.words, keysAt.count);
    let hashBytes: number;
    let isGeneral = true;
    if (keysAt.size === undefined) {
      hashBytes = 2 ** headBlock.bytes[keysAt.logIndexBytes ?? 0]!;
      const kind = headBlock.bytes[keysAt.kind ?? 0]!;
      if (kind >= KINDS) return undefined;
      isGeneral = kind === GENERAL;
    } else {
      const slots = pointerAt(headBlock.words, keysAt.size);
      hashBytes = slots * (slots <= 0xff ? 1 : slots <= 0xffff ? 2 : 4);
    }
    // There are more slots than entries, of one byte at least.
    if (!(count <= MOST_ENTRIES && count <= hashBytes && hashBytes <= MOST_ENTRIES * 8)) return undefined;
    const first = address + keysAt.indices + hashBytes;
    return { first, count, bytes: isGeneral ? 24 : 16, values };
  };

  const dict = (address: number): Entries | undefined => {
    if (!whole(headBlock, dictAt.values + 8, address)) return undefined;
    const values = pointerAt(headBlock.words, dictAt.values);
    const keysAddress = pointerAt(headBlock.words, dictAt.keys);
    if (!types.isNamed(pointerAt(headBlock.words, object.type), 'dict')) return undefined;
    return keys(keysAddress, values === 0 ? 0 : values + instanceAt.firstValue);
  };

  /** The dict of an instance of 3.11 or newer, whose place the interpreter itself chose. */
  const managed = (address: number, flags: number): Entries | undefined => {
    const dictBefore = pointerAt(headBlock.words, BEFORE - (instanceAt.dictBefore ?? 0));
    const sharedKeys = pointerAt(typeBlock.words, typeAt.sharedKeys);
    if (instanceAt.valid !== undefined) {
      if ((flags & INLINE_VALUES) === 0) return dict(dictBefore);
      const values = address + pointerAt(typeBlock.words, typeAt.basicSize);
      if (!whole(headBlock, 8, values)) return undefined;
      return headBlock.bytes[instanceAt.valid] === 1
        ? keys(sharedKeys, values + instanceAt.firstValue)
        : dict(dictBefore);
    }
    if (instanceAt.valuesBefore !== undefined) {
      const values = pointerAt(headBlock.words, BEFORE - instanceAt.valuesBefore);
      return values === 0 ? dict(dictBefore) : keys(sharedKeys, values + instanceAt.firstValue);
    }
    return dictBefore % 2 === 1 ? keys(sharedKeys, dictBefore + 1 + instanceAt.firstValue) : dict(dictBefore);
  };

  return {
    pointer,
    dict,
    text(address) {
      if (!isPlausible(address)) return undefined;
      const count = memory.read(textBlock, 0, FIRST_BYTES, address);
      if (count < textAt.compact || !types.isNamed(pointerAt(textBlock.words, object.type), 'str'))
        return undefined;
      const length = pointerAt(textBlock.words, textAt.length);
      const state = textBlock.words[textAt.state >> 2]!;
      // interned: 2 bits, kind: 3, compact: 1, ascii: 1.
      const kind = (state >> 2) & 7;
      if ((state & 32) === 0 || (kind !== 1 && kind !== 2 && kind !== 4)) return undefined;
      const data = (state & 64) === 0 ? textAt.compact : textAt.ascii;
      const wanted = Math.min(length, LONGEST_TEXT) * kind;
      if (data + wanted <= count) return decode(textBlock.bytes, data, wanted, kind);
      const content = block(wanted);
      return memory.read(content, 0, wanted, address + data) < wanted
        ? undefined
        : decode(content.bytes, 0, wanted, kind);
    },
    integer(address) {
      if (!isPlausible(address) || memory.read(headBlock, 0, 32, address) < 32) return undefined;
      const size = pointerAt(headBlock.words, integerAt.size ?? integerAt.tag ?? 0);
      const low = headBlock.words[integerAt.digits >> 2]!;
      const high = headBlock.words[(integerAt.digits >> 2) + 1]!;
      if (!types.isNamed(pointerAt(headBlock.words, object.type), 'int')) return undefined;
      // Three bits below the number of digits, of which two are the sign: 0 for positive, 1 for zero.
      const digits = integerAt.tag === undefined ? size : (size & 3) === 0 ? Math.floor(size / 8) : 0;
      if (digits === 1) return low;
      return digits === 2 ? high * 2 ** DIGIT_BITS + low : undefined;
    },
    attributes(address) {
      const before = instanceAt.dictBefore === undefined ? 0 : BEFORE;
      if (!whole(headBlock, before + 16, address - before)) return undefined;
      const type = pointerAt(headBlock.words, before + object.type);
      if (!whole(typeBlock, typeAt.sharedKeys + 8, type)) return undefined;
      const flags = typeBlock.words[typeAt.flags >> 2]!;
      if (before > 0 && (flags & MANAGED_DICT) !== 0) return managed(address, flags);
      const offset = pointerAt(typeBlock.words, typeAt.dictOffset);
      // Negative ones are counted from the end of an instance with a length, which is no thread.
      return offset === 0 || offset >= MOST_ENTRIES ? undefined : dict(pointer(address + offset));
    },
    copy({ first, count, bytes }, from) {
      const wanted = Math.min(count - from, AT_ONCE);
      if (wanted <= 0) return 0;
      return Math.floor(memory.read(entryBlock, 0, wanted * bytes, first + from * bytes) / bytes);
    },
    keyAt: ({ bytes }, index) => pointerAt(entryBlock.words, index * bytes + bytes - 16),
    hashAt: ({ bytes }, index) => pointerAt(entryBlock.words, index * bytes),
  };
}
