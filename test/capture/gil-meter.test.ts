import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startGilMeter } from '../../src/capture/gil-meter.js';
import type { CaptureRequest } from '../../src/capture/index.js';
import { parseGilLine } from '../../src/recording/index.js';
import type { GilProbe, GilTaken } from '../../src/target/index.js';
import { temporaryFolders } from '../recording/example.js';

const folders = temporaryFolders();
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const TAKEN: GilTaken = {
  tid: 7,
  startNs: 1000,
  endNs: 2000,
  blockedNs: 900,
  runnableNs: 0,
  caller: undefined,
};

/** A probe that finds so much every 50 ms; and what was done with it. */
function probeOf({ each = 0, lost = 0 }): { probe: GilProbe; turns: boolean[]; reads: () => number } {
  const turns: boolean[] = [];
  let reads = 0;
  const probe: GilProbe = {
    symbol: 'take_gil',
    isWhole: true,
    read: () => {
      reads += 1;
      return Array.from({ length: each }, () => TAKEN);
    },
    rest: () => [{ ...TAKEN, startNs: 3000, endNs: 4000 }],
    lost: () => lost,
    turn: (on) => turns.push(on),
    close: () => undefined,
  };
  return { probe, turns, reads: () => reads };
}

function started(probe: GilProbe) {
  const folder = folders();
  const target = { pid: process.pid } as CaptureRequest['target'];
  const meter = startGilMeter({ gil: probe, target, folder }, () => BigInt(Date.now()) * 1_000_000n);
  if (meter === undefined) throw new Error('no meter');
  const stamps = () =>
    readFileSync(join(folder, 'gil.tsv'), 'utf8').split('\n').slice(0, -1).map(parseGilLine);
  return { meter, stamps };
}

describe('following who takes the GIL', () => {
  it('writes down each time at once, and what is left at the end', () => {
    const { probe, turns } = probeOf({ each: 2 });
    const { meter, stamps } = started(probe);
    expect([turns, stamps()]).toEqual([[true], []]);
    vi.advanceTimersByTime(150);
    expect(stamps()).toHaveLength(6);
    meter.close();
    meter.close();
    expect(turns).toEqual([true, false]);
    expect(stamps().at(-1)).toEqual({
      tid: 7,
      startNs: 3000,
      endNs: 4000,
      blockedNs: 900,
      runnableNs: 0,
      caller: -1,
    });
    expect(meter.recorded()).toEqual({ symbol: 'take_gil', isWhole: true, callers: [], file: 'gil.tsv' });
  });

  it.each([
    ['what it sees', { each: 1001 }, 20_020],
    // Three events for each time.
    ['what it cannot even read', { lost: 60_000 }, 40_000],
  ])('leaves a program alone that takes it all the time, by %s', (_, found, perS) => {
    const { probe, turns, reads } = probeOf(found);
    const { meter } = started(probe);
    vi.advanceTimersByTime(450);
    expect(turns).toEqual([true]);
    vi.advanceTimersByTime(50);
    expect(turns).toEqual([true, false]);
    vi.advanceTimersByTime(1000);
    expect(reads()).toBe(10);
    meter.close();
    expect(meter.recorded().tooOftenPerS).toBe(perS);
  });

  it('goes on at 20,000 times a second', () => {
    const { probe, turns } = probeOf({ each: 1000 });
    const { meter } = started(probe);
    vi.advanceTimersByTime(2000);
    expect(turns).toEqual([true]);
    meter.close();
    expect(meter.recorded()).not.toHaveProperty('tooOftenPerS');
  });
});
