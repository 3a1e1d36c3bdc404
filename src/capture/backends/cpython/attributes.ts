import { ATTRIBUTE_LAYOUTS } from './attribute-data.js';
import type { Layout } from './layout.js';
import { block, pointerAt, type Memory } from './memory.js';
import { isPlausible, type Objects } from './objects.js';

const MANAGED_DICT = 1 << 4;
const KEYS_GENERAL = 0;
const MOST_ATTRIBUTES = 256;

/** Address of an attribute's value, by the object's address; undefined where it has none, or this version is not known. */
export type ReadAttribute = (object: number, name: string) => number | undefined;

export function attributeReader(
  memory: Memory,
  layout: Layout,
  minor: number,
  objects: Objects,
): ReadAttribute {
  const at = ATTRIBUTE_LAYOUTS[`3.${minor}`];
  if (at === undefined) return () => undefined;
  const part = block(64);
  const entries = block(MOST_ATTRIBUTES * 24);

  const pointer = (address: number): number =>
    isPlausible(address) && memory.read(part, 0, 8, address) === 8 ? pointerAt(part.words, 0) : 0;

  /** Calls `use` with the place of the key of that name: its number, and its entry's value. */
  const findKey = (
    keys: number,
    name: string,
  ): { readonly index: number; readonly value: number } | undefined => {
    if (!isPlausible(keys) || memory.read(part, 0, at.keys.indices, keys) < at.keys.indices) return undefined;
    const count = Math.min(pointerAt(part.words, at.keys.count), MOST_ATTRIBUTES);
    const general = at.keys.kind === undefined || part.bytes[at.keys.kind] === KEYS_GENERAL;
    const first = keys + at.keys.indices + indexBytes();
    // A general entry begins with the hash.
    const entry = general ? 24 : 16;
    const key = general ? 8 : 0;
    if (memory.read(entries, 0, count * entry, first) < count * entry) return undefined;
    for (let index = 0; index < count; index += 1) {
      const text = objects.readText(pointerAt(entries.words, index * entry + key));
      if (text?.value === name) return { index, value: pointerAt(entries.words, index * entry + key + 8) };
    }
    return undefined;
  };

  const indexBytes = (): number => {
    if (at.keys.log2IndexBytes !== undefined) return 2 ** (part.bytes[at.keys.log2IndexBytes] ?? 0);
    const size = pointerAt(part.words, at.keys.size ?? 0);
    return size * (size <= 0xff ? 1 : size <= 0xffff ? 2 : 4);
  };

  const fromValues = (keys: number, values: number, name: string): number | undefined => {
    const found = findKey(keys, name);
    return found === undefined ? undefined : pointer(values + at.values.first + found.index * 8);
  };

  const fromDict = (dict: number, name: string): number | undefined => {
    const keys = pointer(dict + at.dict.keys);
    const values = pointer(dict + at.dict.values);
    return values === 0 ? findKey(keys, name)?.value : fromValues(keys, values, name);
  };

  const fromManaged = (object: number, sharedKeys: number, name: string): number | undefined => {
    const { dict, values, inlineValues } = at.managed ?? { dict: 0 };
    const own = pointer(object + dict);
    // 3.12 marks values by an odd address, one below theirs.
    if (own % 2 === 1) return fromValues(sharedKeys, own + 1, name);
    if (own !== 0) return fromDict(own, name);
    if (values !== undefined) return fromValues(sharedKeys, pointer(object + values), name);
    return inlineValues === undefined ? undefined : fromValues(sharedKeys, object + inlineValues, name);
  };

  return (object, name) => {
    const type = pointer(object + layout.object.type);
    if (type === 0) return undefined;
    const isManaged = at.managed !== undefined && (pointer(type + at.type.flags) & MANAGED_DICT) !== 0;
    if (isManaged) return fromManaged(object, pointer(type + at.type.sharedKeys), name);
    const offset = pointer(type + at.type.dictOffset);
    if (offset === 0 || offset > 0xffff) return undefined;
    return fromDict(pointer(object + offset), name);
  };
}
