import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { describeWhere, onlyWithAll } from '../only-where.js';
import { probesNow, whyNoSteps } from '../step-probes.js';
import { BIN, ROOT, SIM_PYTHON, profiler } from './demo-simulation.js';

const why = whyNoSteps;
const WORLDS = fileURLToPath(new URL('../capture/targets/worlds.py', import.meta.url));

interface Told {
  readonly factor: number;
  readonly steps: number;
  readonly simS: number;
  readonly windowS: number;
  readonly timedBy: string;
  readonly findings: readonly { readonly id: string }[];
}

/** A loop that goes on until the test ends. */
async function looping(way: string): Promise<number> {
  const child = spawn(SIM_PYTHON, [WORLDS, way], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child.pid ?? -1;
}

async function rtf(pid: number): Promise<Told> {
  const run = await profiler(['rtf', '--pid', `${pid}`, '-d', '3', '--json'], { cwd: ROOT });
  expect({ code: run.code, err: run.err }).toEqual({ code: 0, err: '' });
  return JSON.parse(run.out) as Told;
}

const idsOf = ({ findings }: Told): readonly string[] => findings.map(({ id }) => id);

describeWhere(why === undefined, why ?? '')('the real-time factor', (test) => {
  test('of a simulation that is reset is told by its steps', async () => {
    const told = await rtf(await looping('reset'));
    expect(told.timedBy).toBe('steps');
    expect(told.simS).toBeCloseTo(told.steps * 0.002, 9);
    expect(told.factor).toBeCloseTo(told.simS / told.windowS, 5);
    expect(idsOf(told)).toContain('time-set-back');
    expect(idsOf(told)).not.toContain('steps-disagree');
  });

  onlyWithAll(test)('is not told where what is stepped comes and goes', async () => {
    const pid = await looping('threads');
    const run = await profiler(['rtf', '--pid', `${pid}`, '-d', '3'], { cwd: ROOT });
    expect(run.code).toBe(1);
    expect(run.err).toContain(
      `What process ${pid} steps comes and goes: no one simulation of it was stepped all along.`,
    );
  });

  test('has none of the steps of a child', async () => {
    const told = await rtf(await looping('fork'));
    // By the time of the parent alone, to a step at either end.
    expect(Math.abs(told.steps - told.simS / 0.002)).toBeLessThanOrEqual(2);
    expect(idsOf(told)).not.toContain('steps-disagree');
  });

  onlyWithAll(test)('is that of simulated time where the time step changes', async () => {
    const told = await rtf(await looping('step'));
    expect(told).toMatchObject({ timedBy: 'memory' });
    expect(told).not.toHaveProperty('timestepS');
    expect(idsOf(told)).toEqual(['timestep-changed']);
    expect(told.simS / told.steps).toBeGreaterThan(0.001);
    expect(told.simS / told.steps).toBeLessThan(0.002);
  });

  test('of a measurement that is interrupted is of the time up to there: 130', async () => {
    const pid = await looping('reset');
    const child = spawn(process.execPath, [BIN, 'rtf', '--pid', `${pid}`, '-d', '600', '--json'], {
      cwd: ROOT,
    });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    const ended = once(child, 'close');
    const isProbed = (): boolean => probesNow().includes(`sim_profiler_${child.pid}_`);
    await expect.poll(isProbed, { timeout: 20_000 }).toBe(true);
    child.kill('SIGINT');
    expect((await ended)[0]).toBe(130);
    expect(isProbed()).toBe(false);
    // It may not have measured anything yet.
    const { findings, kind } = JSON.parse(out) as Told & { readonly kind: string };
    expect(findings.map(({ id }) => id)).toContain('interrupted');
    expect(['rtf', 'error']).toContain(kind);
  });
});
