import { describe, expect, it } from 'vitest';
import { readTables } from '../../src/simulator/index.js';
import { rounded } from '../../src/telemetry/pyrite-report.js';
import { byHand } from './hand-clock.js';

describe("Pyrite's file", () => {
  it('of two samples, 0.10012345 s and 0.30034567 s, byte for byte', () => {
    const { t } = byHand();
    t.record('Chunk_BuildMesh', 100.12345);
    t.record('Chunk_BuildMesh', 300.34567);
    expect(t.pyriteReport()).toBe(`{
    "Chunk_BuildMesh": {
        "Calls": 2,
        "Avg_ms": 200.235,
        "Min_ms": 100.123,
        "Max_ms": 300.346,
        "P99_ms": 298.343,
        "Total_Time_ms": 400.469
    }
}`);
  });

  it('leaves out categories without a call, and is an empty object of none', () => {
    const { t } = byHand();
    expect(t.pyriteReport()).toBe('{}');
    const open = t.span('open');
    expect(t.pyriteReport()).toBe('{}');
    open.end();
    expect(JSON.parse(t.pyriteReport())).toEqual({
      open: { Calls: 1, Avg_ms: 0, Min_ms: 0, Max_ms: 0, P99_ms: 0, Total_Time_ms: 0 },
    });
  });

  it('has any name as Python writes it', () => {
    const { t } = byHand();
    for (const name of ['Größe', 'a"b\\c\n', '__proto__', '🤖', '\u007f']) t.record(name, 1);
    const text = t.pyriteReport();
    expect(Object.keys(JSON.parse(text) as object)).toEqual([
      'Größe',
      'a"b\\c\n',
      '__proto__',
      '🤖',
      '\u007f',
    ]);
    expect(text.match(/^ {4}".*": \{$/gm)).toEqual([
      '    "Gr\\u00f6\\u00dfe": {',
      '    "a\\"b\\\\c\\n": {',
      '    "__proto__": {',
      '    "\\ud83e\\udd16": {',
      '    "\\u007f": {',
    ]);
  });

  it('holds true counts where Pyrite would have forgotten', () => {
    const { t } = byHand({ capacity: 10 });
    t.record('step', 500);
    for (let i = 0; i < 100; i++) t.record('step', 2);
    expect(JSON.parse(t.pyriteReport())).toEqual({
      step: { Calls: 101, Avg_ms: 6.931, Min_ms: 2, Max_ms: 500, P99_ms: 2, Total_Time_ms: 700 },
    });
  });

  it('is read by `profiler tables`', () => {
    const { t, pass } = byHand();
    for (let i = 0; i < 3; i++) {
      t.startFrame();
      t.measure('Pyrite_Update', () => pass(4));
      pass(1);
      t.endFrame();
    }
    const [table] = readTables(t.pyriteReport());
    expect(table?.kind).toBe('pyrite');
    expect(
      table?.rows.map(({ name, calls, totalUs, perStepUs }) => [name, calls, totalUs, perStepUs]),
    ).toEqual([
      ['Frame_Total', 3, 15_000, 5000],
      ['Pyrite_Update', 3, 12_000, 4000],
    ]);
  });
});

describe('numbers', () => {
  // repr(round(x, 3)) of Python.
  it.each([
    [0, '0.0'],
    [1e-5, '0.0'],
    [2.5e-4, '0.0'],
    [0.0005, '0.001'],
    [0.0625, '0.062'],
    [0.1875, '0.188'],
    [0.3125, '0.312'],
    [1.0005, '1.0'],
    [200.23456, '200.235'],
    [1000, '1000.0'],
    [123_456.0625, '123456.062'],
  ])('%d is %s', (value, text) => {
    expect(rounded(value)).toBe(text);
  });
});
