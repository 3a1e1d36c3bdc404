import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { clockProbeReader, type ClockProbeSaid } from '../../../src/simulator/index.js';
import { SIM_PYTHON } from '../../e2e/demo-simulation.js';

const PROBE = readFileSync(new URL('../../../src/target/clock/clock_probe.py', import.meta.url), 'utf8');
/** A stand-in for rclpy: no release of it is on PyPI. */
const STAND_IN = fileURLToPath(new URL('../../fixtures/clock', import.meta.url));

interface Heard extends ClockProbeSaid {
  readonly err: string;
  readonly code: number | null;
}

interface Listen {
  readonly env?: Readonly<Record<string, string>>;
  /** Seconds of the window, seconds to wait, most messages, names of settings. */
  readonly args?: readonly string[];
  /** Signal once that many messages were told. */
  readonly stopAfter?: number;
  /** Then its input ends, which is held open until then, and no signal is sent. */
  readonly held?: true;
  readonly cwd?: string;
}

/** Runs the subscriber alone. */
function listen({
  env = {},
  args = ['0.4', '0.3', '1000', 'ROS_DOMAIN_ID,RMW_IMPLEMENTATION'],
  stopAfter,
  held,
  cwd,
}: Listen): Promise<Heard> {
  const child = spawn(SIM_PYTHON, ['-B', '-c', PROBE, ...args], {
    env: { PATH: process.env['PATH'], PYTHONPATH: STAND_IN, ...env },
    stdio: [held === true ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  });
  const reader = clockProbeReader();
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    reader.push(text);
    if (stopAfter !== undefined && reader.count() >= stopAfter) {
      if (held === true) child.stdin?.end();
      else child.kill('SIGINT');
    }
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (err += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ ...reader.said(), err, code }));
  });
}

/** So many messages, one each hundredth of a second. */
const script = (count: number): string =>
  Array.from({ length: count }, (_, index) => `${index / 100}:${100 + index / 50}`).join(' ');

describe('the subscriber to /clock, with rclpy', () => {
  it('is one best-effort reader that leaves no log file, and tells settings, messages and publishers', async () => {
    const { err, code, samples, ...said } = await listen({
      env: { CLOCK_SCRIPT: script(200), ROS_DOMAIN_ID: '7', HOME: '/nowhere' },
    });
    expect(code).toBe(0);
    expect(err).toBe(`init --ros-args --disable-external-lib-logs --disable-stdout-logs --disable-rosout-logs
node profiler_clock_ False False
subscribed /clock keep-last 1000 best-effort volatile
destroyed
shut down
`);
    expect(said).toEqual({
      via: 'rclpy',
      environment: { ROS_DOMAIN_ID: '7' },
      end: 'over',
      endNs: said.endNs,
      publishers: ['/bridge'],
    });
    // The window begins with the first message, and ends by the clock: not all of the script was played.
    const [first] = samples;
    expect(first?.simNs).toBe(0);
    expect(said.endNs! - first!.receiveNs).toBeGreaterThanOrEqual(0.4e9);
    expect(samples.length).toBeLessThan(200);
    expect(samples.map(({ simNs }) => simNs)).toEqual(samples.map((_, index) => index * 20_000_000));
    const times = samples.map(({ receiveNs }) => receiveNs);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it('says that nothing came', async () => {
    expect(await listen({})).toMatchObject({ samples: [], end: 'silent', publishers: ['/bridge'] });
  });

  it('takes off what it is told to', async () => {
    const env = { ROS_DOMAIN_ID: '7', RMW_IMPLEMENTATION: 'rmw_none' };
    const names = 'ROS_DOMAIN_ID,RMW_IMPLEMENTATION';
    const args = ['0.4', '0.3', '1000', names, 'RMW_IMPLEMENTATION,ROS_STATIC_PEERS', 'free', 'a-name'];
    expect((await listen({ env, args })).environment).toEqual({ ROS_DOMAIN_ID: '7' });
  });

  it('ends at the most messages', async () => {
    const heard = await listen({ env: { CLOCK_SCRIPT: script(200) }, args: ['60', '1', '25', ''] });
    expect(heard).toMatchObject({ end: 'full', environment: {} });
    expect(heard.samples).toHaveLength(25);
  });

  it('tells what it has when a signal ends it', async () => {
    const heard = await listen({
      env: { CLOCK_SCRIPT: script(6000) },
      args: ['60', '1', '10000', ''],
      stopAfter: 1,
    });
    expect(heard).toMatchObject({ end: 'stopped', code: 0 });
    expect(heard.samples.length).toBeGreaterThan(1);
  });

  it('and where its input ends that was held open for it', async () => {
    const heard = await listen({
      env: { CLOCK_SCRIPT: script(6000) },
      args: ['60', '1', '10000', '', '', 'held', 'a-name'],
      stopAfter: 1,
      held: true,
    });
    expect(heard).toMatchObject({ end: 'stopped', code: 0 });
    expect(heard.samples.length).toBeGreaterThan(1);
  });

  it('is not held up by a middleware that does not end', async () => {
    const heard = await listen({ env: { CLOCK_SCRIPT: script(200), CLOCK_STUCK: '1' } });
    expect(heard).toMatchObject({ end: 'over', code: null });
  });

  it('takes nothing of the folder that it is started in for a module of Python', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'workspace-'));
    writeFileSync(join(cwd, 'json.py'), 'raise SystemExit("the json of the workspace")');
    expect(await listen({ cwd, env: { CLOCK_SCRIPT: script(200) } })).toMatchObject({ end: 'over', code: 0 });
  });

  it('tells what the middleware refused', async () => {
    expect(await listen({ env: { CLOCK_REFUSED: 'domain 999 is none' } })).toMatchObject({
      end: 'failed',
      said: 'domain 999 is none',
    });
  });

  it('says where there is neither rclpy nor cyclonedds', async () => {
    const heard = await listen({ env: { PYTHONPATH: '' } });
    expect(heard).toMatchObject({ end: 'no-ros', samples: [] });
    expect(heard.said).toBe("No module named 'rclpy'; No module named 'cyclonedds'");
  });
});
