import { expect, it } from 'vitest';
import { inspectorRemedy } from '../../../src/target/cleanup/inspector-remedy.js';
import { isTrace } from '../../../src/target/journal/trace-shape.js';
import { readStat } from '../../../src/target/proc/stat.js';

const startTicks = readStat(process.pid)?.startTicks ?? 0;
const life = { kind: 'inspector', pid: process.pid, startTicks, port: 65_000 } as const;

it('an inspector that is closed, or whose process is another one by now, is gone', async () => {
  expect(await inspectorRemedy(life).look()).toBe('gone');
  expect(await inspectorRemedy({ ...life, startTicks: startTicks + 1, port: 0 }).look()).toBe('gone');
});

it('an inspector that was asked to open, and has not yet, is left written down', async () => {
  expect(await inspectorRemedy({ ...life, port: 0 }).look()).toMatchObject({
    because: expect.stringContaining('has not yet'),
  });
});

it('a journal has to say which process and which port', () => {
  expect(isTrace(life)).toBe(true);
  expect(isTrace({ ...life, port: 'x' })).toBe(false);
  expect(isTrace({ kind: 'inspector', pid: 1, startTicks: 1 })).toBe(false);
});
