import { describe, expect, it } from 'vitest';
import type { CpythonReader } from '../../../../src/capture/backends/cpython/cpython-reader.js';
import { selfTest } from '../../../../src/capture/backends/cpython/self-test.js';

/** A reader of one thread whose stacks end in these functions, reading after reading, the last of them for ever. */
function readerOf(...outermost: readonly string[]): CpythonReader {
  let reading = -1;
  return {
    threads: () => [{ address: 1 }],
    beginFile: () => undefined,
    sample: () => {
      reading += 1;
      return 0;
    },
    drain: () =>
      `c 5 ${JSON.stringify([outermost[Math.min(reading, outermost.length - 1)], 'a.py'])}\nf 0 -1 5 1\n`,
  } as unknown as CpythonReader;
}

describe('the self-test of a reader', () => {
  it('is passed by a loop of which some stacks are torn', () => {
    expect(selfTest(readerOf('_write', '<module>'))).toBeUndefined();
    expect(
      selfTest(readerOf('<module>', '_write', 'step', '<module>', '\u0001', '<module>')),
    ).toBeUndefined();
  });

  it('is not passed where stacks end elsewhere again and again', () => {
    expect(selfTest(readerOf('<module>', '_write'))).toBe(
      'the stack of the main thread ends in _write, not in <module>',
    );
    expect(selfTest(readerOf('a\u0000'))).toBe('a function is called "a\\u0000"');
  });
});
