import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  lineStepLines,
  lineTableOf,
  lnotabLines,
  locationLines,
} from '../../../../src/capture/backends/cpython/line-tables.js';
import { findPythons } from '../../../target/pythons.js';
import { path } from '../../live.js';

describe('line tables', () => {
  it('of 3.8 and 3.9 step by pairs, in parts of 255 bytes where a step is long', () => {
    const table = Uint8Array.from([4, 1, 2, 0xff, 255, 0, 3, 127, 0, 10, 2, 0]);
    const lines = [...lnotabLines(table, 10, 136)];
    expect(lines.slice(0, 4)).toEqual([10, 10, 11, 10]);
    expect(lines.slice(130, 133)).toEqual([10, 10, 147]);
    expect(lines.length).toBe(136);
  });

  it('of 3.10 give a line for a length, or none', () => {
    const table = Uint8Array.from([2, 0, 4, 3, 2, 128, 2, 0xfe]);
    expect([...lineStepLines(table, 7, 6)]).toEqual([7, 10, 10, 0, 8, 0]);
  });

  it('of 3.11 give lines by entries of five kinds', () => {
    // One line (+2) for 2 instructions; none for 1; short (+0) for 1; no columns (-1) for 1; long (+70) for 1.
    const table = Uint8Array.from([
      0x80 | (12 << 3) | 1,
      0,
      4,
      0x80 | (15 << 3),
      0x80 | (0 << 3),
      0x24,
      0x80 | (13 << 3),
      3,
      0x80 | (14 << 3),
      0x40 | (140 & 63),
      140 >> 6,
      0,
      1,
      2,
    ]);
    expect([...locationLines(table, 20, 7)]).toEqual([22, 22, 0, 22, 21, 91, 0]);
  });

  it('that end in the middle of an entry give what they have', () => {
    expect([...locationLines(Uint8Array.from([0x80 | (13 << 3) | 1]), 5, 3)]).toEqual([5, 5, 0]);
    expect([...lineStepLines(Uint8Array.from([2, 1, 2]), 5, 2)]).toEqual([6, 0]);
    expect([...lnotabLines(Uint8Array.from([2]), 5, 2)]).toEqual([5, 5]);
  });
});

/** Code objects of a file as the interpreter itself reads them: `[table, first line, instructions, line of each]`. */
type OwnLines = readonly [table: string, firstLine: number, instructions: number, lines: readonly number[]];

describe('the lines of the standard library', () => {
  for (const { version, path: python } of findPythons()) {
    it(`are those that ${version} says`, () => {
      const text = execFileSync(python, [path('line-tables.py')], { encoding: 'utf8', maxBuffer: 1 << 28 });
      const codes = JSON.parse(text) as OwnLines[];
      const linesOf = lineTableOf(Number(version.split('.')[1]));
      const wrong = codes.filter(([table, firstLine, instructions, lines]) => {
        const read = linesOf(Buffer.from(table, 'base64'), firstLine, instructions);
        return read.length !== lines.length || lines.some((line, index) => read[index] !== line);
      });
      expect(codes.length).toBeGreaterThan(300);
      expect(wrong).toEqual([]);
    });
  }
});
