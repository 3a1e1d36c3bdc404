import * as fs from 'node:fs';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTables } from '../../../src/simulator/index.js';
import { appendTrace } from '../../../src/telemetry/steps/append-trace.js';
import type { TraceFiles } from '../../../src/telemetry/steps/append-trace.js';

const folder = mkdtempSync(join(tmpdir(), 'steps-'));

const step = (name: string, at: number): string =>
  JSON.stringify({
    name,
    cat: 'step',
    ph: 'X',
    pid: 1,
    tid: 0,
    ts: at,
    dur: 10,
    args: { path: '', execute_ms: 0.01 },
  });
const [FIRST, SECOND] = [`${step('a', 0)},\n${step('b', 20)}`, `${step('ü', 40)},\n${step('d', 60)}`];

/** How many bytes of an append there are when each of its events is whole. */
const ENDS = [SECOND.indexOf(',\n'), SECOND.length].map((end) =>
  Buffer.byteLength(`,\n${SECOND.slice(0, end)}`),
);

/** A disk that takes so many bytes, and then nothing: a program that is killed, or a disk that is full. */
function takes(bytes: number): TraceFiles {
  let left = bytes;
  return {
    ...fs,
    writeSync: (fd, data, offset, length, position) => {
      const some = Math.min(left, length);
      if (some === 0) throw new Error('ENOSPC: no space left on device, write');
      left -= some;
      return fs.writeSync(fd, data, offset, some, position);
    },
  };
}

/** The same, of a program that is gone: nothing is tidied up. */
function diesAfter(bytes: number): TraceFiles {
  const disk = takes(bytes);
  let isDead = false;
  return {
    ...disk,
    writeSync: (...args) => {
      try {
        if (!isDead) return disk.writeSync(...args);
      } catch {
        isDead = true;
      }
      throw new Error('killed');
    },
    ftruncateSync: (fd, length) => {
      if (isDead) throw new Error('killed');
      fs.ftruncateSync(fd, length);
    },
  };
}

const namesOf = (text: string): readonly string[] =>
  (JSON.parse(text) as { traceEvents: { name: string }[] }).traceEvents.map(({ name }) => name);

describe('a trace', () => {
  it('is valid JSON after every append, and its length is what is answered', () => {
    const path = join(folder, 'new folder', 'whole.json');
    const first = appendTrace(fs, { path, at: 0, text: FIRST });
    expect([fs.statSync(path).size, namesOf(readFileSync(path, 'utf8'))]).toEqual([first, ['a', 'b']]);
    const second = appendTrace(fs, { path, at: first, text: SECOND });
    expect([fs.statSync(path).size, namesOf(readFileSync(path, 'utf8'))]).toEqual([
      second,
      ['a', 'b', 'ü', 'd'],
    ]);
    expect(second - first).toBe(Buffer.byteLength(`,\n${SECOND}`));
  });

  it('is what it was where the disk is full in the middle of an append, and goes on when it is not', () => {
    const path = join(folder, 'full.json');
    const at = appendTrace(fs, { path, at: 0, text: FIRST });
    const before = readFileSync(path, 'utf8');
    const length = Buffer.byteLength(`,\n${SECOND}\n]}`);
    for (let bytes = 0; bytes < length; bytes += 1) {
      // What is freed again is there for the end of the list.
      const disk = takes(bytes);
      const files = { ...disk, writeSync: spared(disk.writeSync) };
      expect(() => appendTrace(files, { path, at, text: SECOND })).toThrow('ENOSPC');
      expect(readFileSync(path, 'utf8')).toBe(before);
    }
    appendTrace(fs, { path, at, text: SECOND });
    expect(namesOf(readFileSync(path, 'utf8'))).toEqual(['a', 'b', 'ü', 'd']);
  });

  it('that a program leaves anywhere in an append is read up to there, and the append can be made again', () => {
    const path = join(folder, 'killed.json');
    const at = appendTrace(fs, { path, at: 0, text: FIRST });
    const before = readFileSync(path);
    const length = Buffer.byteLength(`,\n${SECOND}\n]}`);
    for (let bytes = 0; bytes < length; bytes += 1) {
      writeFileSync(path, before);
      expect(() => appendTrace(diesAfter(bytes), { path, at, text: SECOND })).toThrow('killed');
      const [where, bySignature] = readTables(readFileSync(path, 'utf8'));
      const read = bySignature?.rows.filter((row) => row.path.length === 0).map(({ name }) => name) ?? [];
      const whole = ENDS.filter((end) => bytes >= end).length;
      expect(read).toEqual(['a', 'b', 'ü', 'd'].slice(0, 2 + whole));
      expect(where?.findings.filter(({ id }) => id !== 'trace-cut-off')).toEqual([]);
      appendTrace(fs, { path, at, text: SECOND });
      expect(namesOf(readFileSync(path, 'utf8'))).toEqual(['a', 'b', 'ü', 'd']);
    }
  });

  it('that is longer than it should be is cut to its length', () => {
    const path = join(folder, 'longer.json');
    const at = appendTrace(fs, { path, at: 0, text: FIRST });
    appendTrace(fs, { path, at, text: `${SECOND},\n${SECOND}` });
    appendTrace(fs, { path, at, text: SECOND });
    expect(namesOf(readFileSync(path, 'utf8'))).toEqual(['a', 'b', 'ü', 'd']);
  });

  it('is empty where its first append fails, and a device is no trace', () => {
    const path = join(folder, 'empty.json');
    expect(() => appendTrace(takes(10), { path, at: 0, text: FIRST })).toThrow('ENOSPC');
    expect(fs.statSync(path).size).toBe(0);
    expect(() => appendTrace(fs, { path: '/dev/full', at: 0, text: FIRST })).toThrow('ENOSPC');
    expect(() => appendTrace(fs, { path: join(path, 'x.json'), at: 0, text: FIRST })).toThrow(
      /ENOTDIR|EEXIST/,
    );
  });
});

/** Takes the three bytes of the end of a list, whatever else it takes. */
function spared(write: TraceFiles['writeSync']): TraceFiles['writeSync'] {
  return (fd, data, offset, length, position) =>
    data.length === 3
      ? fs.writeSync(fd, data, offset, length, position)
      : write(fd, data, offset, length, position);
}
