import { describe, expect, it } from 'vitest';
import { cpythonFindings } from '../../src/capture/cpython-findings.js';
import { samplerOf } from '../../src/capture/cpython-slice.js';
import type { Slice, SliceSampler } from '../../src/recording/index.js';

const FACTS: SliceSampler = {
  rateHz: 500,
  agrees: true,
  ticks: 1000,
  dueTicks: 1000,
  cpuUs: 200_000,
  lateUs: { p50: 40, p99: 300, max: 1900 },
  reads: { again: 3, lost: 0, unverified: 7, reused: 400 },
  gcPauses: { count: 1, totalUs: 800, maxUs: 800 },
};

/** A slice of two seconds. */
function slice(facts: Partial<SliceSampler>): Slice {
  return {
    file: 'slices/000.samples',
    format: 'cpython',
    startNs: '1000000000',
    endNs: '3000000000',
    exit: 0,
    sampler: { ...FACTS, ...facts },
    accounting: [],
  };
}

describe('what our own sampler says of itself', () => {
  it('is nothing where all went well, and where another sampled', () => {
    expect(cpythonFindings([slice({}), slice({})], 500)).toEqual([]);
    const { sampler: _, ...other } = slice({});
    expect(cpythonFindings([other], 500)).toEqual([]);
  });

  it('is that it went slower', () => {
    const found = cpythonFindings([slice({}), slice({ rateHz: 250 })], 500);
    expect(found.map(({ id, what }) => [id, what])).toEqual([
      ['rate-lowered', 'The sampler went from 500 to 250 samples a second by itself.'],
    ]);
  });

  it('is that it takes much of a core', () => {
    expect(cpythonFindings([slice({ cpuUs: 1_000_000 })], 500)).toEqual([]);
    const found = cpythonFindings([slice({ cpuUs: 1_100_000 })], 500);
    expect(found).toMatchObject([{ level: 'note', id: 'sampler-load', fix: 'profiler attach … --rate 450' }]);
    expect(found[0]?.what).toBe('The sampler took 55 % of a core to read all threads 500 times a second.');
  });

  it('is that it came too late too often', () => {
    expect(cpythonFindings([slice({ ticks: 981 })], 500)).toEqual([]);
    const found = cpythonFindings([slice({ ticks: 880, lateUs: { p50: 90, p99: 4000, max: 31_000 } })], 500);
    expect(found).toMatchObject([
      { level: 'warning', id: 'sampler-behind', fix: 'profiler attach … --rate 220' },
    ]);
    expect(found[0]?.what).toBe(
      'The sampler came too late for 12 % of its 500 looks a second, by up to 31.0 ms.',
    );
  });

  it('is kept without the words of its errors', () => {
    const said = { ...FACTS, reads: { ...FACTS.reads, errors: { 'EIO: i/o error': 2 } } };
    expect(samplerOf(said)).toEqual(FACTS);
  });
});
