import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect } from 'vitest';
import { ALL, describeWhere } from '../only-where.js';
import { BIN, ROOT } from './demo-simulation.js';

// What scripts/flygym-workflow shows, of the real FlyGym: see scripts/flygym/set-up.sh.

const VENV = join(ROOT, '.cache/flygym-venv/bin');
const PYTHON = join(VENV, 'python');
const HAS_FLYGYM = existsSync(join(VENV, '../.installed'));
const SCRIPTS = join(ROOT, 'scripts/flygym');

interface Speedscope {
  readonly shared: { readonly frames: readonly { readonly name: string; readonly file?: string }[] };
  readonly profiles: readonly { readonly samples: readonly (readonly number[])[] }[];
}

interface Tables {
  readonly tables: readonly {
    readonly kind: string;
    readonly steps?: number;
    readonly rows: readonly { readonly name: string; readonly perStepUs?: number }[];
  }[];
}

const profiler = (args: readonly string[], cwd: string, wanted = 0) =>
  execa(process.execPath, [BIN, ...args], {
    cwd,
    env: { PROFILER_PY_SPY: join(VENV, 'py-spy') },
    reject: false,
  }).then((run) => {
    expect({ code: run.exitCode, err: run.stderr }).toMatchObject({ code: wanted });
    return run.stdout;
  });

describeWhere(
  HAS_FLYGYM && ALL,
  HAS_FLYGYM ? 'only with --all' : 'no FlyGym: scripts/flygym-workflow installs it',
)('a fly that walks in FlyGym', (test) => {
  test('is sampled in its loop alone, with functions of MuJoCo, and its table of timers is read', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'profiler-flygym-'));
    // Enough steps for the loop to be found and to fill some slices on a machine that is busy.
    const fly = [PYTHON, join(SCRIPTS, 'replay.py'), '--steps', '60000', '--no-render', '--mujoco-timing'];
    const log = await profiler(['run', '--native', '--rate', '50', '-o', 'r', '--', ...fly], cwd);
    await profiler(['export', 'r', '--to', 'speedscope', '-o', 'fly.json'], cwd);

    const { shared, profiles } = JSON.parse(readFileSync(join(cwd, 'fly.json'), 'utf8')) as Speedscope;
    const stacks = profiles.flatMap(({ samples }) => samples);
    // Of some stacks the native part alone could be read.
    const inLoop = stacks.filter((stack) =>
      stack.some((frame) => /^loop(?: \[|$)/.test(shared.frames[frame]?.name ?? '')),
    );
    expect(inLoop.length / stacks.length).toBeGreaterThan(0.9);
    const ofMujoco = shared.frames.filter(({ file }) => /libmujoco\.so/.test(file ?? ''));
    expect(ofMujoco.map(({ name }) => name.replace(/(?:\.llvm\.\d+)?(?: \[.*\])?$/, ''))).toEqual(
      expect.arrayContaining(['mj_solPrimal', 'mj_kinematics1']),
    );
    const { stdout } = await execa(process.execPath, [join(SCRIPTS, 'speedscope-shows.mjs'), 'fly.json'], {
      cwd,
    });
    expect(stdout).toContain('in the loop: 100.0 %; in imports, model building, warm-up or printing: 0.0 %');

    const { tables } = JSON.parse(
      (await execa(process.execPath, [BIN, 'tables', '-', '--json'], { cwd, input: log })).stdout,
    ) as Tables;
    expect(tables.map(({ kind, steps }) => [kind, steps])).toEqual([
      ['flygym-throughput', 60_000],
      ['flygym-perf', undefined],
      ['mujoco-timers', 60_000],
    ]);
    const step = tables[2]?.rows.find(({ name }) => name === 'step (total)')?.perStepUs ?? 0;
    const report =
      tables[1]?.rows.find(({ name }) => name === 'Physics simulation advancement')?.perStepUs ?? 0;
    expect(step).toBeGreaterThan(0);
    // FlyGym's own clock is around MuJoCo's; the report has whole microseconds.
    expect(report).toBeGreaterThan(step - 1);
  });

  test('whose start-up is sampled instead is not taken for its loop', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'profiler-flygym-'));
    const fly = [PYTHON, join(SCRIPTS, 'replay.py'), '--steps', '20000', '--no-render'];
    await profiler(['run', '--load', '-o', 'r', '--', ...fly], cwd);
    await profiler(['export', 'r', '--to', 'speedscope', '-o', 'fly.json'], cwd);
    const shows = await execa(process.execPath, [join(SCRIPTS, 'speedscope-shows.mjs'), 'fly.json'], {
      cwd,
      reject: false,
    });
    expect(shows.exitCode).toBe(1);
    expect(shows.stdout).toMatch(/model building, warm-up or printing: (?!0\.0 )[\d.]+ %/);
  });
});
