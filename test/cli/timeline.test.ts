import { describe, expect, it } from 'vitest';
import { timelineOf } from '../../src/cli/timeline.js';
import type { Recording } from '../../src/recording/index.js';
import { PACED_COUNTS, PACED_TOTALS, threadAnswer } from '../report/answers.js';

const MS = 1e6;

const account = (tid: number, onCpuMs: number, cpuWaitMs: number, wallMs = 1000) => ({
  tid,
  wallNs: wallMs * MS,
  onCpuNs: onCpuMs * MS,
  cpuWaitNs: cpuWaitMs * MS,
  voluntarySwitches: 0,
  involuntarySwitches: 0,
});

function slicesOf(accounts: readonly (readonly ReturnType<typeof account>[])[]): Recording {
  const slices = accounts.map((accounting, at) => ({
    startNs: String(5_000_000_000_000_000_000n + BigInt(at) * 1_500_000_000n),
    endNs: String(5_000_000_000_000_000_000n + BigInt(at) * 1_500_000_000n + 1_000_000_000n),
    accounting,
  }));
  return { slices } as unknown as Recording;
}

const thread = (tid: number, role: string, onCpu: number) =>
  threadAnswer({ thread: { tid }, role }, PACED_COUNTS, { totals: { ...PACED_TOTALS, onCpu } });

describe('timelineOf', () => {
  it('gives each thread a cell for each slice: physics first, then by time on a CPU', () => {
    const recording = slicesOf([
      [account(1, 400, 100), account(2, 0, 0), account(3, 900, 50)],
      [account(1, 990, 30), account(3, 800, 0)],
    ]);
    const timeline = timelineOf(recording, [
      thread(1, 'physics', 0.5),
      thread(2, 'idle', 0),
      thread(3, 'driver', 0.85),
    ]);
    expect(timeline?.spans).toEqual([
      { startS: 0, endS: 1 },
      { startS: 1.5, endS: 2.5 },
    ]);
    expect(timeline?.threads.map((row) => [row.thread.tid, row.role])).toEqual([
      [1, 'physics'],
      [3, 'driver'],
      [2, 'idle'],
    ]);
    const rounded = timeline?.threads.map(({ cells }) =>
      cells.map((cell) => cell && [cell.onCpu, cell.cpuWait, cell.blocked].map((part) => part.toFixed(3))),
    );
    expect(rounded).toEqual([
      [
        ['0.400', '0.100', '0.500'],
        // What the kernel rounds beyond the window is no time.
        ['0.990', '0.010', '0.000'],
      ],
      [
        ['0.900', '0.050', '0.050'],
        ['0.800', '0.000', '0.200'],
      ],
      [['0.000', '0.000', '1.000'], undefined],
    ]);
  });

  it('puts neighbours together where there are more slices than columns', () => {
    const recording = slicesOf(
      Array.from({ length: 500 }, (_, at) => [account(1, at % 3 === 0 ? 900 : 0, 0)]),
    );
    const timeline = timelineOf(recording, [thread(1, 'physics', 0.3)]);
    expect(timeline?.spans).toHaveLength(167);
    expect(timeline?.spans.at(-1)).toEqual({ startS: 498 * 1.5, endS: 499 * 1.5 + 1 });
    expect(timeline?.threads[0]?.cells[0]?.onCpu).toBeCloseTo(0.3, 12);
  });

  it('is absent without accounts', () => {
    expect(timelineOf(slicesOf([[]]), [thread(1, 'physics', 0.5)])).toBeUndefined();
    expect(timelineOf(slicesOf([]), [thread(1, 'physics', 0.5)])).toBeUndefined();
  });
});
