import { describe, expect, it } from 'vitest';
import { BUCKETS, type Bucket } from '../../src/model/index.js';
import { BUCKET_FILL, fillOf } from '../../src/report/html/bucket-color.js';

type Triple = readonly [number, number, number];

/** What a full dichromat sees, in linear light (Machado, Oliveira, Fernandes 2009). */
const VISION: Readonly<Record<string, readonly [Triple, Triple, Triple]>> = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const times = (rows: readonly [Triple, Triple, Triple], [x, y, z]: Triple): Triple =>
  rows.map(([a, b, c]) => a * x + b * y + c * z) as unknown as Triple;

function linear(hex: string): Triple {
  return [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as unknown as Triple;
}

const luminance = ([r, g, b]: Triple): number => 0.2126 * r + 0.7152 * g + 0.0722 * b;

const labCurve = (value: number): number => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116);

/** CIE Lab of linear light, under D65. */
function lab(light: Triple): Triple {
  const [x, y, z] = times(
    [
      [0.4124564, 0.3575761, 0.1804375],
      [0.2126729, 0.7151522, 0.072175],
      [0.0193339, 0.119192, 0.9503041],
    ],
    light.map((value) => Math.min(1, Math.max(0, value))) as unknown as Triple,
  );
  const [fx, fy, fz] = [labCurve(x / 0.95047), labCurve(y), labCurve(z / 1.08883)];
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)];
}

const plain = BUCKETS.filter((bucket) => BUCKET_FILL[bucket].stripe === undefined);

describe('fills of buckets', () => {
  it.each(Object.keys(VISION))('are told apart without stripes: %s', (kind) => {
    const seen = plain.map((bucket) => lab(times(VISION[kind]!, linear(BUCKET_FILL[bucket].color))));
    const close = plain.flatMap((one, i) =>
      plain.slice(i + 1).flatMap((other, k) => {
        const distance = Math.hypot(...seen[i]!.map((value, axis) => value - seen[i + k + 1]![axis]!));
        return distance < 15 ? [`${one} and ${other}: ${distance.toFixed(1)}`] : [];
      }),
    );
    expect(close).toEqual([]);
  });

  it('have stripes of their own where colour does not tell', () => {
    const striped = BUCKETS.filter((bucket) => BUCKET_FILL[bucket].stripe !== undefined);
    expect(striped).toEqual([
      'lock-wait',
      'io-wait',
      'gil-wait',
      'cpu-wait',
      'pacer',
      'idle',
    ] satisfies Bucket[]);
    expect(new Set(striped.map((bucket) => JSON.stringify(BUCKET_FILL[bucket].stripe))).size).toBe(6);
    expect(fillOf('pacer')).toBe('url(#stripes-pacer)');
    expect(fillOf('physics')).toBe('#58b4e9');
  });

  it('carry text in #111 that has a contrast of 4.5 or more', () => {
    const ink = luminance(linear('#111111')) + 0.05;
    const poor = BUCKETS.filter(
      (bucket) => (luminance(linear(BUCKET_FILL[bucket].color)) + 0.05) / ink < 4.5,
    );
    expect(poor).toEqual([]);
  });
});
