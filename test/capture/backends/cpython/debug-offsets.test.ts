import { describe, expect, it } from 'vitest';
import {
  NO_FRAMES,
  LOST,
  openReader,
  ReaderRefusal,
  type CpythonReader,
} from '../../../../src/capture/backends/cpython/cpython-reader.js';
import { selfTest } from '../../../../src/capture/backends/cpython/self-test.js';
import { memoryImage, type MemoryImage } from './memory-image.js';
import { parseStacks, stackText } from './stack-text.js';

/** Offsets of 3.14 in the order of its table; the numbers are ours, since the reader must take them from there. */
const TABLE_3_14: readonly (readonly number[])[] = [
  [4096, 8, 1000], // runtime: size, finalizing, interpreters head
  [8000, 0, 8, 16, 24, 32, 40, 48, 56, 64, 200, 0, 216, 208, 72, 80], // interpreter: next 8, threads 16, ceval.gil 64, _gil 200
  [700, 0, 8, 16, 72, 152, 160, 240, 24], // thread: next 8, interp 16, frame 72, pthread 152, native 160, chunk 240
  [96, 8, 0, 56, 80, 74, 64, 0], // frame: previous 8, executable 0, instr 56, owner 74
  [220, 112, 120, 128, 136, 68, 0, 0, 0, 208, 0], // code: file, name, qualname, lines, first line, instructions 208
  [16, 8],
  [400, 24, 0, 0],
  [0, 0, 0],
  [0, 0, 0],
  [0, 0, 0, 0],
  [0, 0, 0],
  [0, 0],
  [0, 0, 0],
  [33, 16, 32],
  [64, 32, 16, 40],
];
const RUNTIME = 0x10000;
const INTERPRETER = 0x20000;
const THREAD = 0x30000;
const CHUNK = 0x40000;
const GENERATOR_FRAME = 0x50000;
const BASE_FRAME = 0x51000;
const GIL = 0x60000;
const MAIN = 0x70000;
const WORK = 0x71000;
const SHIM = 0x72000;
const TYPES = { code: 0x80000, str: 0x81000, bytes: 0x82000 };
/** Lines of 8 instructions: four on the first line, four on the third after it. */
const LINES = Buffer.from([0x80 | (13 << 3) | 3, 0, 0x80 | (13 << 3) | 3, 6]);

function putText(image: MemoryImage, address: number, text: string): void {
  const ascii = /^[\0-\u007f]*$/.test(text);
  const points = [...text].map((point) => point.codePointAt(0)!);
  const kind = points.some((point) => point > 0xffff) ? 4 : points.some((point) => point > 0xff) ? 2 : 1;
  const data = Buffer.alloc(points.length * kind);
  for (const [index, point] of points.entries()) data.writeUIntLE(point, index * kind, kind);
  const head = ascii ? 40 : 56;
  image.put(address, head + data.length + 8, {
    8: TYPES.str,
    16: points.length,
    24: points.length * 7 + points[0]!,
    32: (kind << 2) | 32 | (ascii ? 64 : 0),
    [head]: data,
  });
}

function putCode(image: MemoryImage, address: number, name: string, file: string, firstLine: number): void {
  putText(image, address + 0x400, name);
  putText(image, address + 0x600, file);
  image.put(address + 0x800, 40 + LINES.length, { 8: TYPES.bytes, 16: LINES.length, 32: LINES });
  image.put(address, 220, {
    8: TYPES.code,
    16: 8,
    68: Buffer.from(Uint32Array.of(firstLine).buffer),
    112: address + 0x600,
    120: address + 0x400,
    128: address + 0x400,
    136: address + 0x800,
  });
}

/** A frame: tagged pointer to its code, caller, instruction, owner. */
function frame(code: number, previous: number, instruction: number, owner: number): Buffer {
  const bytes = Buffer.alloc(96);
  bytes.writeBigUInt64LE(BigInt(code), 0);
  bytes.writeBigUInt64LE(BigInt(previous), 8);
  bytes.writeBigUInt64LE(BigInt(code === 0 ? 0 : (code & ~3) + 208 + instruction * 2), 56);
  bytes[74] = owner;
  return bytes;
}

/** `<module>` calls `größe𝄞` on its fourth line, a generator, through a shim frame of the interpreter. */
function image314(version = 0x030e02f0, freeThreaded = 0): MemoryImage {
  const image = memoryImage();
  const table = Buffer.alloc(1024);
  table.write('xdebugpy', 'latin1');
  table.writeBigUInt64LE(BigInt(version), 8);
  table.writeBigUInt64LE(BigInt(freeThreaded), 16);
  for (const [index, value] of TABLE_3_14.flat().entries())
    table.writeBigUInt64LE(BigInt(value), 24 + index * 8);
  image.put(RUNTIME, 4096, { 0: table, 1000: INTERPRETER, 1008: INTERPRETER });
  image.put(INTERPRETER, 8000, { 8: 0, 16: THREAD, 64: GIL });
  image.put(GIL, 256, { 8: THREAD, 16: 1 });
  image.put(THREAD, 700, {
    8: 0,
    16: INTERPRETER,
    72: GENERATOR_FRAME,
    152: 0x7f00,
    160: 4711,
    240: CHUNK,
    248: CHUNK + 24 + 8 + 96,
  });
  image.put(BASE_FRAME, 96, { 0: frame(0, 0, 0, 4) });
  image.put(CHUNK, 16 * 1024, { 8: 16 * 1024, 32: frame(MAIN | 1, BASE_FRAME, 4, 0) });
  image.put(BASE_FRAME + 0x1000, 96, { 0: frame(SHIM | 1, CHUNK + 32, 0, 3) });
  image.put(GENERATOR_FRAME, 96, { 0: frame(WORK | 1, BASE_FRAME + 0x1000, 0, 1) });
  for (const [name, address] of Object.entries(TYPES)) {
    image.put(address, 400, { 24: address + 0x200 });
    image.put(address + 0x200, 16, { 0: Buffer.from(`${name}\0`) });
  }
  putCode(image, MAIN, '<module>', '/app/main.py', 1);
  putCode(image, WORK, 'Größe.größe𝄞', '/app/日本.py', 40);
  return image;
}

function open(image: MemoryImage, version = '3.14.2'): CpythonReader {
  return openReader({ pid: 1, runtime: RUNTIME, runtimeSize: 1000, version }, () => image);
}

function refusal(image: MemoryImage, version?: string): string {
  try {
    open(image, version);
  } catch (error) {
    if (error instanceof ReaderRefusal) return error.reason;
    throw error;
  }
  return 'none';
}

describe('the table of offsets that 3.14 carries', () => {
  it('leads to threads, the holder of the GIL and stacks, through tagged pointers and frames of the interpreter', () => {
    const reader = open(image314());
    expect(reader.threads()).toEqual([
      { address: THREAD, tid: 4711, pthread: 0x7f00, interpreter: INTERPRETER },
    ]);
    expect(reader.gil.start).toBe(GIL);
    expect(reader.holder()).toBe(THREAD);
    reader.beginFile();
    const id = reader.sample(THREAD, true, 0);
    const frames = parseStacks(reader.drain());
    expect(stackText(frames[id])).toBe('<module>:4;Größe.größe𝄞:40');
    expect(frames[id]?.file).toBe('/app/日本.py');
    expect(selfTest(reader)).toBeUndefined();
  });

  it('of a thread that runs no Python code shows no frames', () => {
    const image = image314();
    image.set(THREAD + 72, BASE_FRAME);
    expect(open(image).sample(THREAD, false, 0)).toBe(NO_FRAMES);
    image.set(THREAD + 72, 0);
    expect(open(image).sample(THREAD, false, 0)).toBe(NO_FRAMES);
  });

  it.each([
    ['a free-threaded build', image314(0x030e02f0, 1), undefined, 'the build is free-threaded'],
    [
      'another version',
      image314(0x030d02f0),
      undefined,
      'the table of offsets says version 0x30d02f0, not 3.14',
    ],
    [
      'a version that is not known',
      image314(0x030f00f0),
      '3.15.0',
      'the table of offsets of Python 3.15 is not known',
    ],
    ['no table', image314(), '3.7.16', 'Python 3.7.16 is too old'],
    [
      'a pre-release',
      image314(),
      '3.14.0b2',
      'Python 3.14.0b2 is a pre-release, whose layout was not settled',
    ],
    ['too small a runtime', image314(), '3.8.18', '_PyRuntime has 1000 bytes, less than Python 3.8 has'],
    ['no version', image314(), 'unknown', 'Python unknown is not known'],
  ])('is refused: %s', (_case, image, version, reason) => {
    expect(refusal(image, version)).toBe(reason);
  });

  it('is refused in a debug build', () => {
    const plan = { pid: 1, runtime: RUNTIME, runtimeSize: 1000, version: '3.14.2', debug: true };
    expect(() => openReader(plan, () => image314())).toThrow('the build is a debug build');
  });

  it('is refused without its cookie, and before the interpreter is ready', () => {
    const noCookie = image314();
    noCookie.set(RUNTIME, 0);
    expect(refusal(noCookie)).toBe('_PyRuntime does not begin with the table of offsets');
    const early = image314();
    early.set(RUNTIME + 1008, 0);
    expect(refusal(early)).toBe('the interpreter is not ready yet');
  });
});

describe('memory that cannot be read', () => {
  it('half-way up a stack loses that stack after three more tries, and says why', () => {
    const image = image314();
    const reader = open(image);
    reader.threads();
    image.unmap(CHUNK);
    expect(reader.sample(THREAD, true, 0)).toBe(LOST);
    expect(reader.counts).toEqual({ again: 3, lost: 1, errors: new Map([['EIO: i/o error, read', 4]]) });
  });

  it('of a code object loses the stack', () => {
    const image = image314();
    const reader = open(image);
    reader.threads();
    image.unmap(WORK);
    expect(reader.sample(THREAD, false, 0)).toBe(LOST);
  });

  it('after the end of the process is told by its code', () => {
    const image = image314();
    const reader = open(image);
    reader.threads();
    image.ended = true;
    expect(() => reader.threads()).toThrow(expect.objectContaining({ code: 'ESRCH' }));
    expect(reader.sample(THREAD, false, 0)).toBe(LOST);
    expect(reader.counts.again).toBe(0);
    expect(reader.holder()).toBe(-1);
    expect(selfTest(reader)).toBe('the threads of the interpreter cannot be read: ESRCH: ended');
  });
});

describe('a stack that is none', () => {
  it('is lost: an instruction outside its code', () => {
    const image = image314();
    const reader = open(image);
    reader.threads();
    image.set(GENERATOR_FRAME + 56, WORK + 208 + 16);
    expect(reader.sample(THREAD, false, 0)).toBe(LOST);
  });

  it('is lost: a generator that has just yielded has no caller', () => {
    const image = image314();
    const reader = open(image);
    reader.threads();
    expect(reader.sample(THREAD, false, 0)).toBe(1);
    image.set(GENERATOR_FRAME + 8, 0);
    expect(reader.sample(THREAD, false, 0)).toBe(LOST);
    expect(reader.counts).toMatchObject({ again: 3, lost: 1 });
  });

  it('counts where C code drives a generator in a thread that never began otherwise', () => {
    const image = image314();
    const reader = open(image);
    reader.threads();
    image.set(GENERATOR_FRAME + 8, 0);
    expect(reader.sample(THREAD, false, 0)).toBe(0);
    expect(reader.counts).toMatchObject({ again: 3, lost: 0 });
    expect(reader.sample(THREAD, false, 0)).toBe(0);
    expect(reader.counts).toMatchObject({ again: 3, lost: 0 });
  });

  it('of a thread state that is gone shows no frames', () => {
    const image = image314();
    const reader = open(image);
    reader.threads();
    image.set(THREAD + 16, 0);
    expect(reader.sample(THREAD, false, 0)).toBe(NO_FRAMES);
  });
});

describe('code objects that take turns in one place', () => {
  it('are told apart by a strict look, though every pointer is the same', () => {
    const image = image314();
    const reader = open(image);
    reader.threads();
    for (const nowMs of [0, 800]) expect(reader.sample(THREAD, true, nowMs)).toBe(1);
    image.unmap(WORK + 0x400);
    putText(image, WORK + 0x400, 'Größe.länge𝄞');
    expect(reader.sample(THREAD, false, 801)).toBe(1);
    expect(reader.sample(THREAD, true, 802)).toBe(2);
    expect(stackText(parseStacks(reader.drain())[2])).toBe('<module>:4;Größe.länge𝄞:40');
  });

  it('are looked at once a second when they have stayed for one', () => {
    const image = image314();
    const reader = open(image);
    reader.threads();
    for (const nowMs of [0, 1000, 1001]) expect(reader.sample(THREAD, true, nowMs)).toBe(1);
    image.unmap(WORK + 0x400);
    putText(image, WORK + 0x400, 'Größe.länge𝄞');
    expect(reader.sample(THREAD, true, 1999)).toBe(1);
    expect(reader.sample(THREAD, true, 2000)).toBe(2);
  });
});

describe('a verified sample', () => {
  it('is one whose frames were seen in two equal copies before', () => {
    const reader = open(image314());
    reader.threads();
    expect([reader.sample(THREAD, true, 0), reader.verified]).toEqual([1, false]);
    expect([reader.sample(THREAD, true, 1), reader.verified]).toEqual([1, true]);
    expect([reader.sample(THREAD, false, 2), reader.verified]).toEqual([1, false]);
    reader.beginFile();
    expect([reader.sample(THREAD, true, 3), reader.verified]).toEqual([1, true]);
  });

  it('is none where a new frame is on the stack', () => {
    const image = image314();
    const reader = open(image);
    reader.threads();
    for (const nowMs of [0, 1]) reader.sample(THREAD, true, nowMs);
    image.set(GENERATOR_FRAME + 56, WORK + 208 + 10);
    expect([reader.sample(THREAD, true, 2), reader.verified]).toEqual([2, false]);
    expect([reader.sample(THREAD, true, 3), reader.verified]).toEqual([2, true]);
  });
});

describe('a file of samples', () => {
  it('is whole in itself: ids begin anew, and what is used again is written again', () => {
    const reader = open(image314());
    reader.threads();
    expect(reader.sample(THREAD, false, 0)).toBe(1);
    const text = reader.drain();
    expect(text).toBe(
      'c 0 1 ["<module>","/app/main.py"]\nf 0 -1 0 4\nc 1 40 ["Größe.größe𝄞","/app/日本.py"]\nf 1 0 1 40\n',
    );
    expect(reader.sample(THREAD, false, 0)).toBe(1);
    expect(reader.drain()).toBe('');
    reader.beginFile();
    expect(reader.sample(THREAD, false, 0)).toBe(1);
    expect(reader.drain()).toBe(text);
  });
});
