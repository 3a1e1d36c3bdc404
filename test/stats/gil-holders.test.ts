import { describe, expect, it } from 'vitest';
import { readProfile } from '../../src/formats/index.js';
import { NO_STATES, ProfileBuilder } from '../../src/model/index.js';
import { estimateByStates, gilWaits, stateShares } from '../../src/stats/index.js';
import { SamplesFile } from '../samples-file.js';
import { percents } from './fixtures.js';

async function profileOf(file: SamplesFile) {
  return readProfile([new TextEncoder().encode(file.text())], {});
}

describe('who held the GIL', () => {
  it('is the thread that has it at the very look, with its stack and what it did', async () => {
    const file = new SamplesFile();
    const [main, other, third] = [1, 2, 3].map((tid) => file.thread({ tid }));
    const [step, spin, rest] = ['step /a.py:1', 'spin /b.py:2', 'rest /b.py:3'].map((text) =>
      file.stack(text),
    );
    const waiting = `${main}G${step}`;
    file.tick(1, other, waiting, `${other}R${spin}`, `${third}S${rest}`);
    file.tick(1, other, waiting, `${other}R${spin}`);
    file.tick(1, other, waiting, `${other}W${spin}`);
    file.tick(1, third, `${main}G-`, `${third}R${rest}`);
    file.tick(1, undefined, waiting);
    // It ran no Python at that moment.
    file.tick(1, third, waiting, `${third}Rn`);
    // Another thread's wait, and one that has it itself.
    file.tick(1, main, `${main}R${step}`, `${other}G${spin}`);
    const profile = await profileOf(file);
    expect(gilWaits(profile, 0)).toEqual([
      { stack: 0, weight: 2, holder: 1, holderStack: 1, holderState: 'running' },
      { stack: 0, weight: 1, holder: 1, holderStack: 1, holderState: 'cpu-wait' },
      { stack: -1, weight: 1, holder: 2, holderStack: 2, holderState: 'running' },
      { stack: 0, weight: 1, holder: -1 },
      { stack: 0, weight: 1, holder: 2 },
    ]);
    expect(gilWaits(profile, 1)).toEqual([
      { stack: 1, weight: 1, holder: 0, holderStack: 0, holderState: 'running' },
    ]);
  });

  it('is nobody where samples have no states', () => {
    const builder = new ProfileBuilder('samples', { format: 'x' });
    builder.sample(-1, builder.thread({}), 1, 0);
    expect(gilWaits(builder.build(), 0)).toEqual([]);
  });

  it('takes no longer where many samples have one time', async () => {
    const file = new SamplesFile();
    const [main, other] = [1, 2].map((tid) => file.thread({ tid }));
    for (let look = 0; look < 50_000; look += 1) file.tick(0, other, `${main}G-`, `${other}R-`);
    expect(gilWaits(await profileOf(file), 0)).toEqual([
      { stack: -1, weight: 50_000, holder: 1, holderStack: -1, holderState: 'running' },
    ]);
  });
});

describe('shares by state', () => {
  const counts = [
    { bucket: 'physics', states: { ...NO_STATES, running: 200, 'gil-wait': 100, 'cpu-wait': 60 } },
    { bucket: 'pacer', states: { ...NO_STATES, running: 100, sleep: 400, blocked: 100, 'cpu-wait': 40 } },
  ] as const;

  it('split what the kernel counted, each with its interval', () => {
    const estimate = estimateByStates({
      counts,
      lost: NO_STATES,
      totals: percents({ on: 30, rq: 10 }),
      priority: 'fifo',
    });
    const found = stateShares(estimate, counts[0].states);
    expect(found.running.share).toBeCloseTo(0.2, 12);
    expect(found['gil-wait'].share).toBeCloseTo(0.1, 12);
    expect(found['cpu-wait'].share).toBeCloseTo(0.06, 12);
    const half = Math.hypot(1.96 * 0.6 * Math.sqrt(((1 / 6) * (5 / 6) + 1 / 604) / 600), 0.01);
    expect(found['gil-wait'].high - found['gil-wait'].share).toBeCloseTo(half, 12);
    // None seen is not none at all.
    expect([found.sleep.share, found.sleep.low]).toEqual([0, 0]);
    expect(found.sleep.high).toBeCloseTo(Math.hypot(1.96 * 0.6 * Math.sqrt(1 / 604 / 600), 0.01), 12);
  });

  it('of a bare file are of its samples', () => {
    const estimate = estimateByStates({ counts, lost: NO_STATES, priority: 'unknown' });
    expect(stateShares(estimate, counts[0].states)['gil-wait'].share).toBe(0.1);
  });
});
