import type { Layout } from './layout.js';
import { OBJECT_LAYOUTS } from './object-layout-data.js';
import type { ObjectLayout } from './object-layout.js';

/** What lies in a type's structure between its first part and the keys: slots of methods, of which no version has changed any. */
const FROM_TYPE_TO_SHARED_KEYS = 464;

/**
 * The layout for Python 3.`minor`. From 3.13 on what the process says of itself has to agree with it, and 3.14 is read as 3.13
 * where it does; undefined: it does not, or the version is not known.
 */
export function objectLayoutOf(minor: number, { said }: Layout): ObjectLayout | undefined {
  const known = OBJECT_LAYOUTS[`3.${Math.min(minor, 13)}`];
  if (known === undefined || minor < 13) return known;
  if (minor > 14 || said === undefined) return undefined;
  const agrees =
    said.flags === known.type.flags &&
    said.dictKeys === known.dict.keys &&
    said.dictValues === known.dict.values &&
    said.integerTag === known.integer.tag &&
    said.integerDigits === known.integer.digits;
  if (!agrees) return undefined;
  const sharedKeys = said.typeSize + FROM_TYPE_TO_SHARED_KEYS;
  return { ...known, interpreter: { modules: said.modules }, type: { ...known.type, sharedKeys } };
}
