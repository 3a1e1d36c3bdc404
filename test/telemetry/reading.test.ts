import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { Category, SEQUENCE, bytesOf } from '../../src/telemetry/category.js';
import { figuresOf } from '../../src/telemetry/figures.js';
import { COVER, GIVEN, OWN_PART, TIMES, TOOK, stamp } from '../../src/telemetry/stamp.js';
import { isSource, readCategory } from '../../src/telemetry/reading.js';

const category = (capacity: number): Category =>
  new Category('x', capacity, new SharedArrayBuffer(bytesOf(capacity)));

const built = (file: string): string =>
  JSON.stringify(new URL(`../../dist/telemetry/${file}`, import.meta.url).href);

function write(into: Category, ms: number): void {
  const times = new Float64Array(TIMES);
  for (const slot of [TOOK, OWN_PART, COVER]) times[slot] = ms;
  stamp(into, times, () => 0, GIVEN, times, 0);
}

describe('reading a category', () => {
  it('gives the last durations in their order', () => {
    const written = category(4);
    for (let ms = 1; ms <= 3; ms++) write(written, ms);
    expect([...readCategory(written).samples]).toEqual([1, 2, 3]);
    for (let ms = 4; ms <= 10; ms++) write(written, ms);
    expect([...readCategory(written).samples]).toEqual([7, 8, 9, 10]);
  });

  it('of a thread that was killed in the middle of a write says so, and leaves that one out', () => {
    const written = category(4);
    for (let ms = 1; ms <= 6; ms++) write(written, ms);
    written.words[SEQUENCE]!++;
    const reading = readCategory(written);
    expect(reading.isTorn).toBe(true);
    // The oldest is the one that it may have been overwriting.
    expect([...reading.samples]).toEqual([4, 5, 6]);
    expect(figuresOf('x', [reading])).toMatchObject({ calls: 6, sumMs: 21, torn: 1 });
  });

  it('leaves out what is overwritten meanwhile', async () => {
    const written = category(64);
    const program = `
      const { workerData } = require('node:worker_threads');
      Promise.all([import(${built('category.js')}), import(${built('stamp.js')})]).then(([{ Category }, { GIVEN, TOOK, stamp }]) => {
        const category = new Category('x', 64, workerData);
        const times = new Float64Array(5);
        const write = (ms) => { times[TOOK] = ms; stamp(category, times, () => 0, GIVEN, times, 0); };
        for (let ms = 1; ; ms++) write(ms);
      });`;
    const worker = new Worker(program, { eval: true, workerData: written.buffer });
    let readings = 0;
    const lengths = new Set<number>();
    while (readings < 5000) {
      const { samples, header } = readCategory(written);
      if (samples.length === 0) {
        await new Promise((resolve) => setImmediate(resolve));
        continue;
      }
      readings++;
      lengths.add(samples.length);
      // One after the other, and none that came after what was read first.
      const last = header[1]!;
      expect(samples.every((ms, at) => ms === last - samples.length + 1 + at)).toBe(true);
    }
    await worker.terminate();
    expect(Math.max(...lengths)).toBeLessThanOrEqual(64);
  });

  it('believes no announcement that has not the size that it says', () => {
    const buffer = new SharedArrayBuffer(bytesOf(10));
    expect(isSource({ name: 'x', capacity: 10, buffer })).toBe(true);
    for (const wrong of [
      undefined,
      null,
      'x',
      {},
      { name: 1, capacity: 10, buffer },
      { name: 'x', capacity: 11, buffer },
      { name: 'x', capacity: Number.NaN, buffer },
      { name: 'x', capacity: 10, buffer: new ArrayBuffer(bytesOf(10)) },
    ])
      expect(isSource(wrong)).toBe(false);
  });
});
