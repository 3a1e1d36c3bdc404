import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import { lineReader, moment } from '../../src/cli/moment.js';

const holds = (text: string, line: string): boolean | undefined => {
  const parsed = moment(text);
  return parsed.kind === 'output' ? parsed.holds(line) : undefined;
};

describe('a moment', () => {
  it('is a number of seconds', () => {
    expect(moment('2.5')).toEqual({ kind: 'seconds', seconds: 2.5, text: '2.5' });
    expect(moment('0')).toMatchObject({ seconds: 0 });
    expect(() => moment('-1')).toThrow(InvalidArgumentError);
    expect(() => moment('86401')).toThrow(InvalidArgumentError);
  });

  it.each(['0x10', '1e1', '+1', '-1', ' 1', '1e-3'])(
    'is not %j: a number that no flag takes, and no text',
    (text) => {
      expect(() => moment(text)).toThrow(InvalidArgumentError);
      expect(holds(`/${text.replace('+', '.')}/`, `x${text}`)).toBe(true);
    },
  );

  it('is text as it stands, or a regular expression between slashes', () => {
    expect(holds('a.c', 'x a.c y')).toBe(true);
    expect(holds('a.c', 'abc')).toBe(false);
    expect(holds('/^a.c$/', 'abc')).toBe(true);
    expect(holds('/tmp', 'wrote /tmp/x')).toBe(true);
    expect(() => moment('/(/')).toThrow(InvalidArgumentError);
    expect(() => moment('')).toThrow(InvalidArgumentError);
  });
});

const read = (...chunks: Uint8Array[]): string[] => {
  const lines: string[] = [];
  const take = lineReader((line) => lines.push(line));
  for (const chunk of chunks) take(chunk);
  return lines;
};

describe('lines of output', () => {
  it('are put together from their pieces, and are looked at before they end', () => {
    expect(read(Buffer.from('on'), Buffer.from('e\r\ntwo\r'), Buffer.from('thr'))).toEqual([
      'on',
      'one',
      'two',
      'thr',
    ]);
  });

  it('may be cut in the middle of a letter', () => {
    const bytes = Buffer.from('né\n');
    expect(read(bytes.subarray(0, 2), bytes.subarray(2))).toEqual(['n', 'né']);
  });

  it('are cut where they are endless', () => {
    const piece = Buffer.from('x'.repeat(1000));
    const lines = read(...Array.from({ length: 100 }, () => piece));
    expect(Math.max(...lines.map((line) => line.length))).toBe(4096);
  });
});
