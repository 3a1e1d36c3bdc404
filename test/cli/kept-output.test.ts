import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KeptOutput, endsOfFile } from '../../src/cli/kept-output.js';
import { emptyFolder } from './recording-folder.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const shown = (output: KeptOutput): readonly (readonly [number, string])[] =>
  output.parts().map((part) => [part.startByte, new TextDecoder().decode(part.bytes)]);

describe('an output of which the ends are kept', () => {
  it('is whole where it is short', () => {
    const output = new KeptOutput(4, 4);
    expect(shown(output)).toEqual([]);
    output.add(bytes('ab'));
    output.add(bytes('cde'));
    output.add(bytes('fg'));
    expect(shown(output)).toEqual([[0, 'abcdefg']]);
  });

  it('has its beginning and its end where it is long, and knows where they stand', () => {
    const output = new KeptOutput(4, 4);
    for (const chunk of ['abc', 'def', 'ghi', 'jkl', 'mno']) output.add(bytes(chunk));
    expect(shown(output)).toEqual([
      [0, 'abcd'],
      [9, 'jklmno'],
    ]);
  });

  it('holds no more than its ends, however much comes', () => {
    const output = new KeptOutput(10, 1000);
    for (let at = 0; at < 10_000; at += 1) output.add(bytes('0123456789'));
    const [head, tail] = output.parts();
    expect([head?.bytes.length, tail?.bytes.length, tail?.startByte]).toEqual([10, 1000, 99_000]);
  });

  it('keeps what it saw where the buffer is used again', () => {
    const output = new KeptOutput(1, 9);
    const buffer = bytes('abc');
    output.add(buffer);
    buffer.fill(0);
    expect(shown(output)).toEqual([[0, 'abc']]);
  });
});

it('a log is read from where it ended before, and from its beginning where it was begun anew', async () => {
  const log = join(emptyFolder(), 'sim.log');
  writeFileSync(log, 'old\n');
  appendFileSync(log, 'new\n');
  const read = async (from: number): Promise<unknown> =>
    (await endsOfFile(log, from)).map((part) => [part.startByte, new TextDecoder().decode(part.bytes)]);
  expect(await read(4)).toEqual([[4, 'new\n']]);
  expect(await read(8)).toEqual([]);
  writeFileSync(log, 'again\n');
  expect(await read(8)).toEqual([[0, 'again\n']]);
});
