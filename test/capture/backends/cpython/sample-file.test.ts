import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SampleFile } from '../../../../src/capture/backends/cpython/sample-file.js';
import { emptyFolder } from '../../live.js';

it('writes numbers and text as they are read', () => {
  const path = join(emptyFolder(), 'x.samples');
  const file = new SampleFile(path, { pid: 7 });
  const numbers = [0, 7, 9, 10, 99, 100, 12_345_678_901_234, Number.MAX_SAFE_INTEGER, -1, -120];
  for (const number of numbers) {
    file.number(number);
    file.byte(32);
  }
  file.endLine();
  file.text('Größe "🦾"\n');
  file.close();
  expect(readFileSync(path, 'utf8')).toBe(
    `sim-profiler cpython samples 1\nh {"pid":7}\n${numbers.join(' ')} \nGröße "🦾"\n`,
  );
});

it('grows for what does not fit, and keeps what was written when it is full', () => {
  const path = join(emptyFolder(), 'x.samples');
  const file = new SampleFile(path, {});
  const long = 'ü'.repeat(200_000);
  file.text(long);
  file.endLine();
  // Before it is closed.
  expect(readFileSync(path, 'utf8').endsWith(`${long}\n`)).toBe(true);
  file.number(5);
  file.close();
  expect(readFileSync(path, 'utf8').endsWith('\n5')).toBe(true);
});

it('takes no file that is there already', () => {
  const path = join(emptyFolder(), 'x.samples');
  new SampleFile(path, {}).close();
  expect(() => new SampleFile(path, {})).toThrow('EEXIST');
});
