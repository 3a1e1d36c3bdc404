import { describe, expect, it } from 'vitest';
import { bareLine } from '../../src/simulator/log-lines.js';
import { readTables } from '../../src/simulator/index.js';

describe('a line with more blanks than a table has', () => {
  const blanks = ' '.repeat(200);

  it('is no line of a table', () => {
    expect(bareLine(`  a${blanks}1.0`)).toBe('');
    expect(bareLine(`  a${' '.repeat(199)}1.0`)).toBe(`  a${' '.repeat(199)}1.0`);
  });

  it('keeps what stands before them where they only fill it up', () => {
    expect(bareLine(`  1.0  name${blanks}`)).toBe('  1.0  name');
  });

  // It was looked at from each of its blanks to its end, which took half a minute.
  it('does not hold up the reading of a log', () => {
    const [hooks] = readTables(
      `per-plugin hook timing (avg \u00B5s/call):\n  x${' '.repeat(1e6)}y\n  Lidar post_step 1.00 \u00B5s`,
    );
    expect(hooks?.rows.map(({ name }) => name)).toEqual(['Lidar']);
  });
});
