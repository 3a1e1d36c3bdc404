import { describe, expect, it } from 'vitest';
import { readTables, tablePieces } from '../../src/simulator/index.js';
import { fixtureText } from './fixture.js';

const HOOKS = 'per-plugin hook timing (avg \u00B5s/call):\n  Lidar post_step 300.00 \u00B5s\n';
const NOISE = Array.from({ length: 30 }, (_, at) => `line ${at} \u00B5\n`).join('');
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

const told = (from: string): unknown =>
  readTables(from).map(({ lines: _lines, findings, ...table }) => ({
    ...table,
    findings: findings.map(({ id }) => id),
  }));

describe('pieces of a log', () => {
  it('are its tables with few lines around them, and where they stand in it', () => {
    const log = bytesOf(`${NOISE}${HOOKS}${NOISE}`);
    const [piece, ...more] = tablePieces(log, 1000);
    expect(more).toEqual([]);
    expect(piece?.text.split('\n')).toHaveLength(8 + 2 + 2 + 1);
    const { fromByte = 0, toByte = 0 } = piece ?? {};
    expect(new TextDecoder().decode(log.subarray(fromByte - 1000, toByte - 1000))).toBe(piece?.text);
  });

  it('hold tables that stand near each other together, and those that do not apart', () => {
    expect(tablePieces(bytesOf(`${HOOKS}${HOOKS}`))).toHaveLength(1);
    expect(tablePieces(bytesOf(`${HOOKS}${NOISE}${HOOKS}`))).toHaveLength(2);
    expect(tablePieces(bytesOf(NOISE))).toEqual([]);
  });

  it.each([
    'mujoco-3.12/testspeed.txt',
    'mujoco-4.0/timer-step.json',
    'mujoco-3.16/log-topics-euler.txt',
    'mujoco-warp-4.0/short.txt',
    'flygym-2.1/timing.txt',
    'flygym-2.1/perf-report.txt',
    'nsys/stats-2020.txt',
    'nsys/stats-2024.txt',
    'nsys/stats.csv',
    'raccoon-report.txt',
  ])('say the same as the whole of %s', (name) => {
    const text = `${NOISE}${fixtureText(name)}${name.endsWith('.json') ? '\n' : `\n${NOISE}`}`;
    expect(tablePieces(bytesOf(text)).flatMap((piece) => told(piece.text))).toEqual(told(text));
  });
});
