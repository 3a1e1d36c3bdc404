import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { describeWhere, onlyWithAll } from '../only-where.js';
import { PYSPY, ROOT, SIM_PYTHON, profiler, rover } from './demo-simulation.js';

interface Line {
  readonly name: string;
  readonly verdict: string;
  readonly reason?: string;
  readonly table?: { readonly value: number };
  readonly samples?: { readonly value?: number; readonly low: number; readonly high: number };
}

/** 100 steps a second leave each of them room enough on a busy machine. */
const SIMULATION = [
  '--profile',
  '--timers',
  '--hz',
  '100',
  '--load',
  'bodies=40,rays=360,transforms=6,effort=40,tracked=40',
];

/** One run of the demo simulation, sampled for a while; then its log is held against the samples. */
async function corroborated(
  flags: readonly string[],
  more: readonly string[] = [],
): Promise<readonly Line[]> {
  const sim = await rover([...SIMULATION, ...flags]);
  const attach = ['attach', '--pid', `${sim.pid}`, '-d', '12', '--no-baseline', '-o', 'rec', ...more];
  const attached = await profiler(attach, { cwd: sim.folder });
  writeFileSync(join(sim.folder, 'sim.log'), await sim.stop());
  expect({ code: attached.code, err: attached.err }).toMatchObject({ code: 0 });
  const run = await profiler(['tables', 'sim.log', '--corroborate', 'rec', '--json'], { cwd: sim.folder });
  expect({ code: run.code, err: run.err }).toEqual({ code: 0, err: '' });
  return (JSON.parse(run.out) as { readonly lines: readonly Line[] }).lines;
}

const ALL = [
  'steps counted',
  'real-time factor',
  'mj_step',
  'phases of the step',
  'diff_drive pre_step',
  'front_lidar post_step',
  'imu post_step',
  'odometry post_step',
  'rear_scanner post_step',
  'ros2_bridge post_step',
];

const disagreeing = (lines: readonly Line[]): readonly Line[] =>
  lines.filter(({ verdict }) => verdict === 'disagrees');

/**
 * A run of which no other lines disagree than these. All lines of one hold together in 95 of 100 runs, so where one does not, another run is made: what
 * disagreed by chance does not do so twice.
 */
async function honestBut(expected: readonly string[], flags: readonly string[]): Promise<readonly Line[]> {
  const lines = await corroborated(flags);
  const others = (of: readonly Line[]): readonly string[] =>
    disagreeing(of).flatMap(({ name }) => (expected.includes(name) ? [] : [name]));
  const first = others(lines);
  if (first.length === 0) return lines;
  const again = await corroborated(flags);
  expect({ first, again: others(again) }).toEqual({ first: [expect.any(String)], again: [] });
  return again;
}

describeWhere(existsSync(SIM_PYTHON), 'no .cache/sim-venv: run scripts/test')(
  'tables of the demo simulation against samples of the same run',
  (test) => {
    onlyWithAll(test)('hooks, timers, step counts and samples of an honest run agree', async () => {
      const lines = await honestBut([], []);
      expect(lines.map(({ name }) => name)).toEqual(ALL);
      expect(disagreeing(lines)).toEqual([]);
      expect(lines.filter(({ verdict }) => verdict !== 'agrees').map(({ name }) => name)).toEqual([
        'phases of the step',
      ]);
    });

    test('a hook that sleeps outside its timer is found, and no other', async () => {
      const lines = await honestBut(['imu post_step'], ['--lie', '2000']);
      expect(disagreeing(lines).map(({ name }) => name)).toEqual(['imu post_step']);
      const [lie] = disagreeing(lines);
      expect(lie?.reason).toContain('ImuPlugin._settle (rover_sim/plugins/imu.py)');
      // It sleeps for 2 ms in each step, and says nothing of that.
      expect(lie?.samples?.low).toBeGreaterThan((lie?.table?.value ?? 0) + 1000);
    });
  },
);

describeWhere(existsSync(SIM_PYTHON) && existsSync(PYSPY), 'no .cache/sim-venv: run scripts/test')(
  'phases of a step against native functions of the same run',
  (test) => {
    onlyWithAll(test)(
      'of a PGS run agree, its projection too, most of which is in functions of other phases',
      async () => {
        const world = readFileSync(join(ROOT, 'compose/sim/rover_sim/models/rover.xml'), 'utf8');
        const file = join(mkdtempSync(join(tmpdir(), 'profiler-pgs-')), 'pgs.xml');
        writeFileSync(file, world.replace('<option ', '<option solver="PGS" '));
        const lines = await corroborated([file], ['--native']);
        const phases = lines.filter(({ name }) => name.startsWith('mjTIMER_'));
        expect(disagreeing(phases)).toEqual([]);
        const project = phases.find(({ name }) => name === 'mjTIMER_POS_PROJECT');
        expect(project?.verdict).toBe('agrees');
        expect(project?.table?.value).toBeGreaterThan(0.01);
      },
    );
  },
);
