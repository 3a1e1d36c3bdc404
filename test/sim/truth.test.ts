import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { describeWhere } from '../only-where.js';
import {
  emptyFolder,
  env,
  hasMujoco,
  NO_MUJOCO,
  readDump,
  simulate,
  type Truth,
  truthOver,
} from './simulation.js';

const wallSum = (truth: Truth) => Object.values(truth.buckets).reduce((sum, bucket) => sum + bucket.wall, 0);

describeWhere(hasMujoco, NO_MUJOCO)('the truth of a run', (test) => {
  test('charges every nanosecond of a window to exactly one bucket', async () => {
    const ring = join(emptyFolder(), 'ring');
    await simulate('--hz', '500', '--steps', '600', '--truth', ring);
    const whole = await truthOver(ring);
    expect(wallSum(whole)).toBeCloseTo(1, 9);
    const { startNs, newestNs } = whole.ring;
    const span = newestNs - startNs;
    const parts = [0.1, 0.35, 0.5, 0.9].map((part) => startNs + part * span);
    const union = await truthOver(ring, ...parts);
    expect(wallSum(union)).toBeCloseTo(1, 9);
    expect(union.wallS).toBeCloseTo((0.65 * span) / 1e9, 6);
  });

  test('adds up: two halves make the whole, in steps, sleep and time per bucket', async () => {
    const ring = join(emptyFolder(), 'ring');
    await simulate('--hz', '500', '--steps', '400', '--truth', ring);
    const whole = await truthOver(ring);
    const { startNs, newestNs } = whole.ring;
    const middle = Math.round((startNs + newestNs) / 2);
    const halves = [await truthOver(ring, startNs, middle), await truthOver(ring, middle, newestNs)];
    const sum = (of: (truth: Truth) => number) => halves.reduce((total, half) => total + of(half), 0);
    expect(sum((truth) => truth.steps)).toBeCloseTo(400, 6);
    expect(sum((truth) => truth.requestedSleep * truth.wallS)).toBeCloseTo(
      whole.requestedSleep * whole.wallS,
      6,
    );
    for (const bucket of Object.keys(whole.buckets)) {
      const seconds = (truth: Truth) => (truth.buckets[bucket]?.rawWall ?? 0) * truth.wallS;
      expect(sum(seconds), bucket).toBeCloseTo(seconds(whole), 6);
    }
  });

  test('counts steps, simulated time, calls and ray casts exactly', async () => {
    const ring = join(emptyFolder(), 'ring');
    await simulate('--hz', '500', '--steps', '250', '--truth', ring);
    const truth = await truthOver(ring);
    expect(truth.steps).toBe(250);
    expect(truth.simS).toBeCloseTo(0.5, 9);
    expect(truth.mjStep.calls).toBe(250);
    // Every 12 steps one scan of each lidar, the rear one six steps later.
    expect(truth.casts.front.calls).toBe(21);
    expect(truth.casts.rear.calls).toBe(21);
    expect(truth.casts.front.maxUs).toBeGreaterThan(0);
    expect(truth.sleeps).toBeGreaterThan(0);
    expect(readDump(`${ring}.json`).row).toMatchObject({
      step: 250,
      entries_physics: 250,
      entries_publishing: 250,
    });
  });

  test("books what MuJoCo's own timer saw, and a little more, as physics", async () => {
    const ring = join(emptyFolder(), 'ring');
    await simulate('--pacing', 'asap', '--steps', '500', '--truth', ring);
    const truth = await truthOver(ring);
    expect(truth.mjTimer['step']).toBeGreaterThan(0);
    expect(truth.mjTimer['step']).toBeLessThanOrEqual(truth.buckets['physics']?.rawWall ?? 0);
    expect(truth.buckets['pacer']?.rawWall).toBe(0);
  });

  test('keeps the newest rows when the ring is full', async () => {
    const ring = join(emptyFolder(), 'ring');
    await simulate('--pacing', 'asap', '--steps', '1500', '--truth-rows', '1000', '--truth', ring);
    const truth = await truthOver(ring);
    expect(truth.ring.rows).toBe(1500);
    // 1000 rows, less the 64 that a writer might be filling; between n rows lie n - 1 steps.
    expect(truth.steps).toBe(935);
    const early = await execa(
      'python3',
      ['-m', 'rover_sim.truth_window', ring, `${truth.ring.startNs}`, `${truth.ring.newestNs}`],
      { env, reject: false },
    );
    expect(early.exitCode).toBe(1);
    expect(early.stderr).toMatch(
      /^truth_window: .*: the ring holds \d+ to \d+ ns, which leaves out \d+ \([\d.]+ s too early\)$/,
    );
  });
});

/** Three rows, 100 ns apart from 1000 on: physics takes 10, 30 and 60 ns of them, the pacer the rest. */
const WRITE_RING = `
import sys
from rover_sim.truth_layout import *
rows = [(1100, 1, 10, 90), (1200, 2, 40, 160), (1300, 3, 100, 200)]
costs = {'inner_wall_ns': 0, 'inner_cpu_ns': 0, 'total_ns': 0, 'outside': [], 'inside': []}
data = bytearray(pack_header(10, 1000, {'costs': costs}) + bytes(10 * ROW.size))
data[COUNT_OFFSET:COUNT_OFFSET + 8] = len(rows).to_bytes(8, 'little')
for number, (t, step, physics, pacer) in enumerate(rows):
    values = dict.fromkeys(NAMES, 0)
    values.update(t_ns=t, step=step, wall_ns_physics=physics, wall_ns_pacer=pacer, requested_sleep_ns=pacer)
    ROW.pack_into(data, HEADER_SIZE + number * ROW.size, *[values[name] for name in NAMES])
open(sys.argv[1], 'wb').write(data)
`;

const read = (...args: readonly string[]) =>
  execa('python3', ['-m', 'rover_sim.truth_window', ...args], { env, reject: false });

async function smallRing(): Promise<string> {
  const ring = join(emptyFolder(), 'ring');
  await execa('python3', ['-c', WRITE_RING, ring], { env });
  return ring;
}

describe('truth_window', () => {
  it('interpolates between the rows around an edge', async () => {
    const truth = await truthOver(await smallRing(), 1150, 1275);
    // Physics stood at 25 at the first edge and at 85 at the second.
    expect(truth.buckets['physics']?.wall).toBeCloseTo(60 / 125, 12);
    expect(truth.buckets['pacer']?.wall).toBeCloseTo(65 / 125, 12);
    expect(truth.steps).toBeCloseTo(1.25, 12);
  });

  it('begins at zero, at the start of the ring', async () => {
    const truth = await truthOver(await smallRing(), 1000, 1100);
    expect(truth.buckets['physics']?.wall).toBeCloseTo(0.1, 12);
    expect(truth.steps).toBe(1);
  });

  it('joins windows that overlap', async () => {
    const truth = await truthOver(await smallRing(), 1100, 1200, 1150, 1300);
    expect(truth.wallS).toBeCloseTo(200e-9, 15);
    expect(truth.buckets['physics']?.wall).toBeCloseTo(90 / 200, 12);
  });

  it('refuses a window that the ring does not hold, and says what it holds', async () => {
    const ring = await smallRing();
    expect(await read(ring, '1250', '1301')).toMatchObject({
      exitCode: 1,
      stderr: `truth_window: ${ring}: the ring holds 1000 to 1300 ns, which leaves out 1301 (0.000 s too late)`,
    });
    expect(await read(ring, '1200', '1200')).toMatchObject({
      exitCode: 1,
      stderr: `truth_window: ${ring}: the window 1200 to 1200 ns is empty`,
    });
  });

  it('refuses what is no ring', async () => {
    const ring = join(emptyFolder(), 'ring');
    await execa('truncate', ['-s', '100000', ring]);
    expect(await read(ring, '1', '2')).toMatchObject({
      exitCode: 1,
      stderr: `truth_window: ${ring}: it does not start with RVRTRUTH`,
    });
    expect(await read(`${ring}.none`, '1', '2')).toMatchObject({ exitCode: 1 });
    expect(await read(ring, '1')).toMatchObject({ exitCode: 2 });
  });
});
