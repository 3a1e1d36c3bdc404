import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { describeWhere } from '../only-where.js';
import {
  childrenOf,
  emptyFolder,
  env,
  FOLDER,
  hasMujoco,
  NO_MUJOCO,
  readDump,
  runs,
  startLoop,
  truthOver,
  until,
  VENV,
} from './simulation.js';

describeWhere(hasMujoco, NO_MUJOCO)('the life of the demo simulation', (test) => {
  test('SIGUSR1 dumps the truth while it runs, SIGTERM ends it cleanly', async () => {
    const folder = emptyFolder();
    const ring = join(folder, 'ring');
    const sim = await startLoop(VENV, ['-m', 'rover_sim', '--truth', ring], join(folder, 'ready'));
    expect(sim.pid).toBe(sim.child.pid);
    expect(existsSync(`${ring}.json`)).toBe(false);
    sim.child.kill('SIGUSR1');
    await until(() => existsSync(`${ring}.json`));
    const first = readDump(`${ring}.json`);
    expect(first.meta.pid).toBe(sim.pid);
    expect(first.rows).toBe(first.row['step']);
    const running = await truthOver(ring);
    expect(running.steps).toBeGreaterThanOrEqual(first.rows);
    sim.child.kill('SIGTERM');
    expect(await sim.end).toMatchObject({ exitCode: 0, stderr: '' });
    expect(readDump(`${ring}.json`).rows).toBeGreaterThan(first.rows);
  });

  test('its CPU hogs end with it', async () => {
    const folder = emptyFolder();
    const flags = ['-m', 'rover_sim', '--no-truth', '--cpu-hogs', '2'];
    const sim = await startLoop(VENV, flags, join(folder, 'ready'));
    const hogs = childrenOf(sim.pid);
    expect(hogs).toHaveLength(2);
    sim.child.kill('SIGINT');
    expect(await sim.end).toMatchObject({ exitCode: 0 });
    expect(hogs.filter(runs)).toEqual([]);
  });

  test('its CPU hogs end even when it is killed', async () => {
    const folder = emptyFolder();
    const flags = ['-m', 'rover_sim', '--no-truth', '--cpu-hogs', '1'];
    const sim = await startLoop(VENV, flags, join(folder, 'ready'));
    const hogs = childrenOf(sim.pid);
    expect(hogs).toHaveLength(1);
    sim.child.kill('SIGKILL');
    await sim.end;
    await until(() => !hogs.some(runs));
  });

  test('--die-with-parent ends it when the program that started it is killed', async () => {
    const ready = join(emptyFolder(), 'ready');
    const script = `"$0" -m rover_sim --no-truth --die-with-parent --ready-file "$1" & wait`;
    const shell = execa('sh', ['-c', script, VENV, ready], { env, reject: false, stdio: 'ignore' });
    await until(() => existsSync(ready));
    const sims = childrenOf(shell.pid ?? 0);
    expect(sims).toHaveLength(1);
    shell.kill('SIGKILL');
    await shell;
    await until(() => !sims.some(runs));
  });

  test('a GIL hog takes CPU time, which the truth sees', async () => {
    const folder = emptyFolder();
    const ring = join(folder, 'ring');
    const flags = ['-m', 'rover_sim', '--gil-hog', '0.5', '--steps', '200', '--truth', ring];
    const sim = await startLoop(VENV, flags, join(folder, 'ready'));
    expect(await sim.end).toMatchObject({ exitCode: 0 });
    expect(readDump(`${ring}.json`).row['hog_cpu_ns']).toBeGreaterThan(0);
  });
});

describe('the plain loop', () => {
  it('keeps the same truth without MuJoCo', async () => {
    const ring = join(emptyFolder(), 'ring');
    const loop = join(FOLDER, 'plain_loop.py');
    const run = await execa('python3', [loop, '--hz', '500', '--steps', '200', '--truth', ring], { env });
    expect(run.stderr).toBe('');
    const truth = await truthOver(ring);
    expect(truth.steps).toBe(200);
    expect(truth.mjStep.calls).toBe(200);
    expect(truth.buckets['plugin']?.cpu).toBeGreaterThan(0);
    expect(Object.values(truth.buckets).reduce((sum, bucket) => sum + bucket.wall, 0)).toBeCloseTo(1, 9);
  });

  it('steps, dumps on SIGUSR1 and ends on SIGINT', async () => {
    const folder = emptyFolder();
    const ring = join(folder, 'ring');
    const flags = [join(FOLDER, 'plain_loop.py'), '--gil-hog', '0.2', '--truth', ring];
    const loop = await startLoop('python3', flags, join(folder, 'ready'));
    loop.child.kill('SIGUSR1');
    await until(() => existsSync(`${ring}.json`));
    expect(readDump(`${ring}.json`).row['step']).toBeGreaterThan(0);
    loop.child.kill('SIGINT');
    expect(await loop.end).toMatchObject({ exitCode: 0, stderr: '' });
  });
});
