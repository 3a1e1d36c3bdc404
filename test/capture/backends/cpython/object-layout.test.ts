import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Layout } from '../../../../src/capture/backends/cpython/layout.js';
import { OBJECT_LAYOUTS } from '../../../../src/capture/backends/cpython/object-layout-data.js';
import { objectLayoutOf } from '../../../../src/capture/backends/cpython/object-layout-of.js';
import { itWhere } from '../../../only-where.js';

interface Layouts {
  readonly missing: () => string | undefined;
  readonly generateObjects: () => string;
  readonly OBJECTS_FILE: string;
}

const script: string = new URL('../../../../scripts/cpython/layouts.mjs', import.meta.url).href;
const { missing, generateObjects, OBJECTS_FILE } = (await import(script)) as Layouts;
const reason = missing();

itWhere(reason === undefined, reason ?? '')('the numbers in the source are those of the headers', () => {
  expect(readFileSync(OBJECTS_FILE, 'utf8')).toBe(generateObjects());
});

/** What Python 3.13.0 says of itself. */
const SAID = {
  modules: 7656,
  typeSize: 416,
  flags: 168,
  dictKeys: 32,
  dictValues: 40,
  integerTag: 16,
  integerDigits: 24,
};

function saying(said: Layout['said']): Layout {
  return { said } as Layout;
}

describe('where objects have their parts', () => {
  it('is known for 3.8 to 3.12 by tables alone', () => {
    for (let minor = 8; minor <= 12; minor += 1)
      expect(objectLayoutOf(minor, {} as Layout)).toBe(OBJECT_LAYOUTS[`3.${minor}`]);
    expect(objectLayoutOf(7, {} as Layout)).toBeUndefined();
  });

  it('is known for 3.13 where it says the same of itself', () => {
    expect(objectLayoutOf(13, saying(SAID))).toEqual(OBJECT_LAYOUTS['3.13']);
    expect(objectLayoutOf(13, {} as Layout)).toBeUndefined();
  });

  it('moves with what 3.14 says, and is not known where it says that a part has changed', () => {
    const known = OBJECT_LAYOUTS['3.13']!;
    expect(objectLayoutOf(14, saying({ ...SAID, modules: 8000, typeSize: 424 }))).toEqual({
      ...known,
      interpreter: { modules: 8000 },
      type: { ...known.type, sharedKeys: known.type.sharedKeys + 8 },
    });
    for (const part of ['flags', 'dictKeys', 'dictValues', 'integerTag', 'integerDigits'] as const)
      expect(objectLayoutOf(14, saying({ ...SAID, [part]: SAID[part] + 8 }))).toBeUndefined();
    expect(objectLayoutOf(15, saying(SAID))).toBeUndefined();
  });
});
