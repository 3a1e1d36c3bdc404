import { describe, expect, it } from 'vitest';
import { reachOf, readMost, timeOffset, timestepAt } from '../../../src/target/steps/mujoco-memory.js';

const PAGE = 4096;

/** Memory of one piece that begins at this address; what is beyond it cannot be read. */
const memory =
  (start: bigint, bytes: Buffer) =>
  (address: bigint, length: number): Buffer | undefined => {
    const at = Number(address - start);
    return at >= 0 && at + length <= bytes.length ? bytes.subarray(at, at + length) : undefined;
  };

describe('the time step of a model', () => {
  it('is the first real number behind its sizes', () => {
    const bytes = Buffer.alloc(PAGE);
    for (let at = 0; at < 400; at += 4) bytes.writeInt32LE(at * 7, at);
    for (let at = 400; at < 800; at += 8) bytes.writeBigInt64LE(2n ** 40n, at);
    bytes.writeDoubleLE(0.0015, 800);
    bytes.writeDoubleLE(1e-6, 808);
    expect(timestepAt(memory(0x1000n, bytes), 0x1000n)).toBe(0.0015);
  });

  it('is not known where there is none, or no memory', () => {
    expect(timestepAt(memory(0x1000n, Buffer.alloc(PAGE)), 0x1000n)).toBeUndefined();
    expect(timestepAt(() => undefined, 0x1000n)).toBeUndefined();
    // Sizes of minus one, as some are.
    expect(timestepAt(memory(0n, Buffer.alloc(PAGE, 0xff)), 0n)).toBeUndefined();
  });
});

const exactly = (count: number) => ({ least: count, most: count });

describe('the simulated time among the data', () => {
  const before = Buffer.alloc(1024);
  const after = Buffer.alloc(1024);
  before.writeDoubleLE(12.5, 512);

  it('is the one number that grew by the steps', () => {
    after.writeDoubleLE(12.5 + 41 * 0.002, 512);
    // A counter, a number that grew by half steps, one that stood still.
    after.writeBigInt64LE(41n, 8);
    after.writeDoubleLE(40.5 * 0.002, 16);
    expect(timeOffset(before, after, 0.002, exactly(40))).toBe(512);
    expect(timeOffset(before, after, 0.002, exactly(45))).toBeUndefined();
    expect(timeOffset(before, after, 0.001, exactly(40))).toBeUndefined();
  });

  it('is found though steps were made while it was looked at', () => {
    expect(timeOffset(before, after, 0.002, { least: 20, most: 60 })).toBe(512);
    expect(timeOffset(before, after, 0.002, { least: 46, most: 60 })).toBeUndefined();
    expect(timeOffset(before, after, 0.002, { least: 20, most: 36 })).toBeUndefined();
  });

  it('is not known where two grew alike, or none', () => {
    const two = Buffer.from(after);
    two.writeDoubleLE(40 * 0.002, 24);
    expect(timeOffset(before, two, 0.002, exactly(40))).toBeUndefined();
    expect(timeOffset(before, before, 0.002, exactly(40))).toBeUndefined();
    expect(timeOffset(before, Buffer.alloc(0), 0.002, exactly(40))).toBeUndefined();
  });

  it('is found with the rounding of a million steps', () => {
    let time = 0;
    for (let step = 0; step < 1_000_000; step += 1) time += 0.002;
    const from = Buffer.alloc(64);
    const to = Buffer.alloc(64);
    from.writeDoubleLE(time, 32);
    for (let step = 0; step < 40; step += 1) time += 0.002;
    to.writeDoubleLE(time, 32);
    expect(timeOffset(from, to, 0.002, exactly(40))).toBe(32);
  });
});

it('as much is read as is mapped', () => {
  const bytes = Buffer.from(Array.from({ length: 3 * PAGE }, (_, at) => at % 251));
  const read = memory(0x1000n, bytes);
  expect(readMost(read, 0x1000n, 2 * PAGE)).toEqual(bytes.subarray(0, 2 * PAGE));
  expect(readMost(read, 0x1100n, 8 * PAGE)).toEqual(bytes.subarray(0x100));
  expect(readMost(read, 0x9000n, PAGE)).toEqual(Buffer.alloc(0));
});

it('the data of a world end where those of another begin', () => {
  const far = 1n << 40n;
  const whole = reachOf(0x7f00_0000_0000n, []).length;
  expect(whole).toBeGreaterThan(200_000);
  const worlds = [0x7f00_0000_0000n, 0x7f00_0002_8000n, 0x7f00_0005_0000n, far].map((data) => ({ data }));
  expect(worlds.map(({ data }) => reachOf(data, worlds).length)).toEqual([0x2_8000, 0x2_8000, whole, whole]);
});
