import { describe, expect, it } from 'vitest';
import { frameObjects } from '../../../../src/capture/backends/cpython/frame-objects.js';
import { LAYOUTS } from '../../../../src/capture/backends/cpython/layout-data.js';
import type { Layout } from '../../../../src/capture/backends/cpython/layout.js';
import {
  GONE,
  sameStack,
  stackCopy,
  type StackSource,
} from '../../../../src/capture/backends/cpython/stack-copy.js';
import { memoryImage, type MemoryImage } from './memory-image.js';

const INTERPRETER = 0x20000;
const THREAD = 0x30000;
const FRAME_TYPE = 0x80000;
/** Innermost first; the last two lie far from the others. */
const FRAMES = [0x40000, 0x40200, 0x40400, 0x90000, 0xa0000];
const CODES = [0x50000, 0x51000, 0x52000, 0x53000, 0x54000];
const SLOTS = 3;
const PLACES = [FRAMES.slice(0, 3), FRAMES.slice(3, 4), FRAMES.slice(4)];

/** A frame that runs, with one variable, as fields from `base` on. */
function frameFields(
  { frame }: Layout,
  address: number,
  base: number,
): Readonly<Record<number, number | Buffer>> {
  const index = FRAMES.indexOf(address);
  const last = Buffer.alloc(4);
  last.writeInt32LE(10 + index);
  return {
    [base]: 1,
    [base + 8]: FRAME_TYPE,
    [base + 16]: SLOTS,
    [base + frame.previous]: FRAMES[index + 1] ?? 0,
    [base + frame.code]: CODES[index]!,
    [base + (frame.lastInstruction ?? 0)]: last,
    // 3.10: the state of one that runs is 0.
    ...(frame.executing === undefined ? {} : { [base + frame.executing]: Buffer.from([1]) }),
    [base + frame.locals]: 0x1111,
  };
}

interface Fixture {
  readonly image: MemoryImage;
  readonly layout: Layout;
  readonly source: StackSource;
  /** How many reads a copy takes. */
  readonly reads: () => number;
}

/** `afterRead` is told the address of what has just been read. */
function fixture(
  version: '3.8' | '3.10',
  afterRead: (address: number, image: MemoryImage) => void = () => {},
): Fixture {
  const layout = LAYOUTS[version]!;
  const image = memoryImage();
  image.put(THREAD, 400, {
    [layout.thread.interpreter]: INTERPRETER,
    [layout.thread.frame ?? 0]: FRAMES[0]!,
  });
  for (const places of PLACES) {
    const fields = places.map((address) => frameFields(layout, address, address - places[0]!));
    image.put(places[0]!, 0x800, Object.assign({}, ...fields) as Record<number, number | Buffer>);
  }
  let reads = 0;
  const counting = {
    ...image,
    read: (...parameters: Parameters<MemoryImage['read']>) => {
      reads += 1;
      const count = image.read(...parameters);
      afterRead(parameters[3], image);
      return count;
    },
  };
  const source = frameObjects(
    counting,
    layout,
    (address) => address === INTERPRETER,
    version === '3.10' ? 2 : 1,
  );
  return {
    image,
    layout,
    source,
    reads: () => {
      const count = reads;
      reads = 0;
      return count;
    },
  };
}

describe('frame objects', () => {
  it.each([
    ['3.8' as const, [10, 11, 12, 13, 14]],
    ['3.10' as const, [20, 22, 24, 26, 28]],
  ])('of %s are followed to the outermost', (version, instructions) => {
    const { source } = fixture(version);
    const copy = stackCopy();
    expect(source.copy(THREAD, copy)).toBe(true);
    expect(copy.depth).toBe(5);
    expect([...copy.code.subarray(0, 5)]).toEqual(CODES);
    expect([...copy.instruction.subarray(0, 5)]).toEqual(instructions);
    expect(copy.outermost).toBe(CODES[4]);
    expect(source.innermost(THREAD)).toBe(FRAMES[0]);
  });

  it('that lay close together are read together the next time', () => {
    const { source, reads } = fixture('3.8');
    const copy = stackCopy();
    source.copy(THREAD, copy);
    expect(reads()).toBe(6);
    expect(source.copy(THREAD, copy)).toBe(true);
    // The thread, its innermost frame at once, and three places.
    expect(reads()).toBe(5);
    expect([...copy.code.subarray(0, 5)]).toEqual(CODES);
  });

  it('whose place is gone are found anew', () => {
    const { source, image, layout } = fixture('3.8');
    const copy = stackCopy();
    source.copy(THREAD, copy);
    image.unmap(FRAMES[3]!);
    image.set(FRAMES[2]! + layout.frame.previous, FRAMES[4]!);
    expect(source.copy(THREAD, copy)).toBe(true);
    expect([...copy.code.subarray(0, 4)]).toEqual([CODES[0], CODES[1], CODES[2], CODES[4]]);
  });

  it.each([
    ['the innermost ones', FRAMES.slice(0, 2)],
    ['those behind the innermost one, which was read before', FRAMES.slice(1, 3)],
  ])('of which some returned while they were read are the stack that was there: %s', (_, returned) => {
    const { source, image, layout } = fixture('3.8');
    const copy = stackCopy();
    for (const frame of returned) {
      image.set(frame, 0);
      image.poke(frame + layout.frame.executing!, 0);
    }
    expect(source.copy(THREAD, copy)).toBe(true);
    expect([copy.moved, ...copy.code.subarray(0, 5)]).toEqual([true, ...CODES]);
    const whole = fixture('3.8');
    expect([whole.source.copy(THREAD, copy), copy.moved]).toEqual([true, false]);
  });

  it('stand where the innermost one stood at first, whatever it goes on to while its callers are read', () => {
    const field = LAYOUTS['3.8']!.frame.lastInstruction ?? 0;
    const copy = stackCopy();
    const { source } = fixture('3.8', (address, image) => {
      if (address === FRAMES[0]) image.poke(FRAMES[0] + field, 99);
    });
    expect(source.copy(THREAD, copy)).toBe(true);
    expect([...copy.instruction.subarray(0, 5)]).toEqual([10, 11, 12, 13, 14]);
    // Its place is known now, and read with the others behind it.
    expect(source.copy(THREAD, copy)).toBe(true);
    expect(copy.instruction[0]).toBe(99);
  });

  it('that are none are no stack', () => {
    const other = fixture('3.8');
    other.image.set(FRAMES[2]! + 8, 0x81000);
    expect(other.source.copy(THREAD, stackCopy())).toBe(false);
  });

  it('that do not run call nobody, and are no outermost ones: a generator that has yielded', () => {
    for (const version of ['3.8', '3.10'] as const) {
      const { source, image, layout } = fixture(version);
      const field = layout.frame.executing ?? layout.frame.state ?? 0;
      expect(source.copy(THREAD, stackCopy())).toBe(true);
      // 3.10: -1, suspended.
      image.poke(FRAMES[1]! + field, version === '3.8' ? 0 : 0xff);
      expect(source.copy(THREAD, stackCopy())).toBe(false);
    }
    const { source, image, layout } = fixture('3.8');
    image.poke(FRAMES[0]! + layout.frame.executing!, 0);
    expect(source.copy(THREAD, stackCopy())).toBe(true);
    image.set(FRAMES[0]! + layout.frame.previous, 0);
    expect(source.copy(THREAD, stackCopy())).toBe(false);
  });

  it('of a thread without any are none, and of one that has ended are gone', () => {
    const { source, image, layout } = fixture('3.8');
    image.set(THREAD + (layout.thread.frame ?? 0), 0);
    const copy = stackCopy();
    expect(source.copy(THREAD, copy)).toBe(true);
    expect(copy.depth).toBe(0);
    image.set(THREAD + layout.thread.interpreter, 0);
    expect(() => source.copy(THREAD, copy)).toThrow(GONE);
  });
});

/** Whether two copies are the same, between which something changes. */
function copies(change: (image: MemoryImage, layout: Layout) => void): boolean {
  const { source, image, layout } = fixture('3.8');
  const [one, other] = [stackCopy(), stackCopy()];
  source.copy(THREAD, one);
  change(image, layout);
  expect(source.copy(THREAD, other)).toBe(true);
  return sameStack(one, other);
}

describe('two copies', () => {
  it('are the same where nothing moved, or only the innermost frame', () => {
    expect(copies(() => {})).toBe(true);
    expect(copies((image, { frame }) => image.poke(FRAMES[0]! + (frame.lastInstruction ?? 0), 99))).toBe(
      true,
    );
    expect(copies((image, { frame }) => image.set(FRAMES[0]! + frame.locals, 0x2222))).toBe(true);
  });

  it('are not the same where a caller is at another instruction, has another variable, or is another', () => {
    expect(copies((image, { frame }) => image.poke(FRAMES[1]! + (frame.lastInstruction ?? 0), 99))).toBe(
      false,
    );
    expect(copies((image, { frame }) => image.set(FRAMES[1]! + frame.locals, 0x2222))).toBe(false);
    expect(copies((image, { frame }) => image.set(FRAMES[3]! + frame.code, 0x55000))).toBe(false);
    expect(copies((image, { frame }) => image.set(FRAMES[1]! + frame.previous, FRAMES[3]!))).toBe(false);
  });

  it('may differ behind the last variable of a frame, which belongs to others', () => {
    expect(copies((image, { frame }) => image.set(FRAMES[1]! + frame.locals + 8 * SLOTS, 0x2222))).toBe(true);
  });
});
