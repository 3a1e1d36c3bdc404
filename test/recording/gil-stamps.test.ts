import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eachGilStamp, gilLine } from '../../src/recording/index.js';
import { temporaryFolders } from './example.js';

const folders = temporaryFolders();

const STAMP = {
  startNs: 123_456_789_012_345_680,
  endNs: 123_456_789_012_645_680,
  tid: 11,
  blockedNs: 290_000,
  runnableNs: 10_000,
  caller: -1,
};

async function read(text: string): Promise<readonly unknown[]> {
  const folder = folders();
  writeFileSync(join(folder, 'gil.tsv'), text);
  const found: unknown[] = [];
  await eachGilStamp(folder, (stamp) => found.push(stamp));
  return found;
}

describe('the file of who took the GIL', () => {
  it('is read as it was written', async () => {
    expect(gilLine({ ...STAMP, startNs: 1000, endNs: 2000, caller: 3 })).toBe(
      '1000\t2000\t11\t290000\t10000\t3\n',
    );
    expect(await read(gilLine(STAMP).repeat(3))).toEqual([STAMP, STAMP, STAMP]);
    const many = gilLine(STAMP).repeat(5000);
    expect(await read(many)).toHaveLength(5000);
  });

  it('may have been cut off', async () => {
    expect(await read(`${gilLine(STAMP)}1000\t2000\t11\t2900`)).toEqual([STAMP]);
    expect(await read('')).toEqual([]);
  });

  it('tells which lines cannot be', async () => {
    const lines = ['x', '1\t2\t3\t4\t5', '1\t2\t3\t0\t0\t-2', '-1\t2\t3\t0\t0\t0', '', '9\t2\t3\t0\t0\t0'];
    expect(await read(`${lines.join('\n')}\n`)).toEqual(lines.map(() => undefined));
    expect(await read('1000\t2000\t3\t9000\t0\t-1\n'.repeat(2))).toEqual([undefined, undefined]);
  });

  it('rejects what is no file, or gone', async () => {
    await expect(eachGilStamp(folders(), () => undefined)).rejects.toThrow('ENOENT');
    const folder = folders();
    mkdirSync(join(folder, 'gil.tsv'));
    await expect(eachGilStamp(folder, () => undefined)).rejects.toThrow('no regular file');
  });
});
