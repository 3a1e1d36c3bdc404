import { existsSync } from 'node:fs';
import { release } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readTables } from '../../src/simulator/index.js';
import { describeWhere } from '../only-where.js';
import { emptyFolder, hasMujoco, NO_MUJOCO, readDump, simulate } from './simulation.js';

/** Exit code and last line of a run that must not show a traceback. */
const wrong = async (...flags: readonly string[]) => {
  const run = await simulate(...flags);
  expect(run.stderr).not.toContain('Traceback');
  return [run.exitCode, run.stderr.split('\n').at(-1)];
};

const HOOK_ROW = /^ {2}(\S.{23,}?) (\S+ *) ( *\d+\.\d\d) \u00b5s$/;

describeWhere(hasMujoco, NO_MUJOCO)('the command line of the demo simulation', (test) => {
  test('takes the spellings of the simulator it is modelled on', async () => {
    const folder = emptyFolder();
    const json = join(folder, 'truth.json');
    const spelled = 'sim rover --headless --pacing asap --seconds 40 --steps 1 --profile --ros'.split(' ');
    const settings = ['--set', 'plugins.front_lidar.rays=90', '--set', 'sim.timestep=0.004'];
    const run = await simulate(...spelled, ...settings, '--truth-json', json);
    expect(run.exitCode).toBe(0);
    expect(readDump(json).row).toMatchObject({ step: 1, sim_time_s: 0.004 });
  });

  test('the smaller of --seconds and --steps ends the run', async () => {
    const json = join(emptyFolder(), 'truth.json');
    await simulate('--pacing', 'asap', '--seconds', '0.1', '--steps', '1000', '--truth-json', json);
    expect(readDump(json).row['step']).toBe(50);
  });

  test('--profile prints the load and the hook tables in the text of the original', async () => {
    const { stderr } = await simulate('--pacing', 'asap', '--steps', '100', '--no-truth', '--profile');
    const lines = stderr.split('\n');
    const [loads, plugins, hooks] = [
      lines.indexOf('load-phase timing (totals, ms):'),
      lines.indexOf('per-plugin build/configure (count / total ms / max ms):'),
      lines.indexOf('per-plugin hook timing (avg \u00b5s/call):'),
    ];
    expect(loads).toBe(0);
    expect(lines.slice(1, plugins).map((line) => line.slice(2, 26).trim())).toEqual([
      'resolve_plugins',
      'world_load',
      'dedup_assets',
      'compile',
      'make_data',
      'setup_total',
    ]);
    for (const line of lines.slice(1, plugins)) expect(line).toMatch(/^ {2}[a-z_]+ +\d+\.\d$/);
    for (const line of lines.slice(1, plugins)) expect(line).toHaveLength(2 + 24 + 1 + 10);
    const built = lines.slice(plugins + 1, hooks);
    for (const line of built) expect(line).toMatch(/^ {2}\S.{23} \S.{9} {5}1 ( *\d+\.\d) ( *\d+\.\d)$/);
    const totals = built.map((line) => Number(line.slice(43, 54)));
    expect(totals).toEqual(totals.toSorted((a, b) => b - a));
    const rows = lines.slice(hooks + 1);
    for (const line of rows) expect(line).toMatch(HOOK_ROW);
    for (const line of rows) expect(line).toHaveLength(2 + 24 + 1 + 10 + 1 + 10 + 3);
    const keys = rows.map((line) => `${line.slice(2, 26).trim()} ${line.slice(27, 37).trim()}`);
    expect(keys).toEqual(keys.toSorted());
    expect(keys).toContain('diff_drive pre_step');
    expect(keys).toContain('rear_scanner post_step');
    expect(keys).toContain('ros2_bridge post_step');
    expect(keys.filter((key) => key.endsWith('shutdown'))).toEqual([]);
  });

  test('--timers says at the end what the loop and MuJoCo counted, in the texts of others', async () => {
    const run = await simulate('--pacing', 'asap', '--steps', '100', '--no-truth', '--timers');
    const [loop, timers, ...others] = readTables(run.stderr);
    expect(others).toEqual([]);
    expect(loop).toMatchObject({ kind: 'flygym-throughput', steps: 100 });
    expect(loop?.wholeUs).toBeGreaterThan(0);
    expect(timers).toMatchObject({ kind: 'mujoco-timers', steps: 100 });
    expect(timers?.run).toMatchObject({ kernel: release(), timestepS: 0.002 });
    expect(run.stderr.split('\n')).toHaveLength(2);
  });

  test('--lie sleeps in a hook, and takes that out of what --profile says of it', async () => {
    const flags = ['--pacing', 'asap', '--steps', '50', '--no-truth', '--profile', '--timers'];
    const run = await simulate(...flags, '--lie', '20000');
    const tables = readTables(run.stderr);
    const hooks = tables.find(({ kind }) => kind === 'roqsim-hooks');
    const imu = hooks?.rows.find(({ name, of }) => name === 'imu' && of === 'post_step');
    const loop = tables.find(({ kind }) => kind === 'flygym-throughput');
    // 50 steps of 20 ms at least, of which the table of hooks knows nothing.
    expect(loop?.wholeUs).toBeGreaterThan(1e6);
    expect(imu?.perStepUs).toBeLessThan(10_000);
  });

  test('without --profile and with --no-truth nothing is timed or printed', async () => {
    expect(await simulate('--pacing', 'asap', '--steps', '20', '--no-truth')).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: '',
    });
  });

  test('--busy says what it sized, in flags that repeat it', async () => {
    const run = await simulate('--hz', '1000', '--busy', '0.4', '--steps', '10', '--no-truth');
    expect(run.stderr).toMatch(
      /^calibration: wanted 40\.0 % of 1000 us: 400 us; got \d+ us: physics \d+, raycast \d+, /,
    );
    const load = /^calibration: --load (.*)$/m.exec(run.stderr)?.[1] ?? '';
    expect(await simulate('--load', load, '--steps', '10', '--no-truth')).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
  });

  test('--spin watches the clock: it asks for no sleep', async () => {
    const json = join(emptyFolder(), 'truth.json');
    await simulate('--hz', '500', '--spin', '--steps', '100', '--truth-json', json);
    const { row } = readDump(json);
    expect(row).toMatchObject({ step: 100, sleeps: 0, requested_sleep_ns: 0, entries_pacer: 100 });
    expect(row['cpu_ns_pacer']).toBeGreaterThan(0);
  });

  test('--render needs an OpenGL that works, and says so in one line', async () => {
    const before = process.env['MUJOCO_GL'];
    process.env['MUJOCO_GL'] = 'none-such';
    try {
      const run = await simulate('--render', '--steps', '1');
      expect(run.exitCode).toBe(1);
      expect(run.stderr).toMatch(
        /^rover_sim: --render: no OpenGL with MUJOCO_GL=none-such .*leave --render out$/,
      );
    } finally {
      if (before === undefined) delete process.env['MUJOCO_GL'];
      else process.env['MUJOCO_GL'] = before;
    }
  });

  test('wrong input ends with one line, not with a traceback', async () => {
    expect(await wrong('world.yaml')).toEqual([
      2,
      'rover_sim: error: TARGET world.yaml: "rover" or a MJCF file whose name ends in .xml',
    ]);
    expect(await wrong('none.xml')).toEqual([
      1,
      "rover_sim: [Errno 2] No such file or directory: 'none.xml'",
    ]);
    expect((await wrong('--set', 'sim.gravity=0'))[0]).toBe(1);
    expect(await wrong('--busy', '0.4', '--pacing', 'asap')).toEqual([
      2,
      'rover_sim: error: --busy needs a paced loop: leave out --pacing asap',
    ]);
    expect(existsSync('none.xml.json')).toBe(false);
  });
});
