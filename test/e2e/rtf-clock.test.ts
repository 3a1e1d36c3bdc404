import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { describeWhere, onlyWithAll } from '../only-where.js';
import { BIN, profiler, ROOT, SIM_PYTHON } from './demo-simulation.js';

/** With the Python of DDS, which scripts/test installs. */
const DDS_PYTHON = join(ROOT, '.cache/dds-venv/bin/python');
const PUBLISHER = join(ROOT, 'test/e2e/programs/clock_publisher.py');

/** Nothing of it leaves this machine, and a domain of its own keeps others out. */
const LOOPBACK =
  '<CycloneDDS><Domain><General><Interfaces><NetworkInterface name="lo" multicast="true"/></Interfaces></General></Domain></CycloneDDS>';
const DOMAIN = String(20 + (process.pid % 80));

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

/** Starts a program, and waits until it says that it is ready. */
async function started(command: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  const [file = '', ...args] = command;
  const child = spawn(file, args, { cwd: ROOT, env: { PATH: process.env['PATH'], ...env } });
  running.push(child);
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    child.once('close', () => reject(new Error(`it ended: ${err}`)));
  });
  return child.pid ?? -1;
}

const publisher = (...args: readonly number[]): Promise<number> =>
  started([DDS_PYTHON, PUBLISHER, ...args.map(String)], { ROS_DOMAIN_ID: DOMAIN, CYCLONEDDS_URI: LOOPBACK });

/** Waits until the last program that was started has told so many seconds more. */
async function seconds(count: number): Promise<void> {
  for (let told = 0; told < count; told += 1)
    await new Promise((resolve) =>
      running.findLast(({ spawnfile }) => spawnfile === DDS_PYTHON)?.stdout?.once('data', resolve),
    );
}

const clock = (pid: number, ...args: readonly string[]): ReturnType<typeof profiler> =>
  profiler(['rtf', '--clock', '--pid', String(pid), ...args], { cwd: ROOT });

describeWhere(existsSync(DDS_PYTHON), 'no Python with cyclonedds')('rtf --clock, on the wire', (test) => {
  test("is within half a percent of the publisher's own factor, in its domain and on its interface", async () => {
    const { code, out, err } = await clock(await publisher(500, 0.82), '-d', '10', '--json');
    expect({ code, err }).toEqual({
      code: 0,
      err: 'Listening to /clock for 10 s …\nThe first message came.',
    });
    const found = JSON.parse(out);
    expect(found).toMatchObject({ kind: 'rtf', way: 'clock', via: 'cyclonedds', pace: 1 });
    expect(Math.abs(found.factor / 0.82 - 1)).toBeLessThan(0.005);
    expect(found.low).toBeLessThanOrEqual(0.82);
    expect(found.high).toBeGreaterThanOrEqual(0.82);
    expect(found.windowS).toBeGreaterThan(7.9);
    expect(found.perSecond.length).toBeGreaterThanOrEqual(7);
  });

  onlyWithAll(test)('tells of a simulation that stood still, and has that in the factor', async () => {
    const { code, out } = await clock(await publisher(200, 1, 1, 4), '-d', '8', '--json');
    expect(code).toBe(0);
    const found = JSON.parse(out);
    expect(found.findings.map(({ id }: { id: string }) => id)).toContain('clock-paused');
    // A second of every four, and the window may begin and end anywhere in those.
    expect(found.factor).toBeGreaterThan(0.55);
    expect(found.factor).toBeLessThan(0.9);
  });

  onlyWithAll(test)('tells of several publishers, and takes one of them', async () => {
    await publisher(100, 1);
    const { out } = await clock(await publisher(500, 0.82), '-d', '5', '--json');
    const found = JSON.parse(out);
    expect(found.findings[0]).toMatchObject({
      id: 'clock-several-publishers',
      what: expect.stringMatching(/^2 publishers/),
    });
    expect(Math.abs(found.factor / 0.82 - 1)).toBeLessThan(0.01);
  });

  onlyWithAll(test)('hears nothing of another domain, and says what decides that', async () => {
    await publisher(500, 1);
    const other = await started(
      [DDS_PYTHON, '-c', 'import time; print("ready", flush=True); time.sleep(600)'],
      { ROS_DOMAIN_ID: '101', CYCLONEDDS_URI: LOOPBACK, ROS_LOCALHOST_ONLY: '1' },
    );
    const { code, out, err } = await clock(other);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toBe(`Listening to /clock for 20 s …
profiler: Nothing came on /clock within 15 s (heard with cyclonedds, beside process ${other}).
    Domain: 101; the publisher may be in another.
    Middleware: the default (RMW_IMPLEMENTATION is unset); another one may not be heard.
    Discovery: ROS_LOCALHOST_ONLY keeps it to this machine and container.
    The simulation may publish no /clock at all, or be paused.
  The subscriber was given the settings that the process was started with.
  -> ros2 topic info /clock --verbose`);
  });

  test('ends on Ctrl-C with what it has heard: 130, and no subscriber is left', async () => {
    const pid = await publisher(500, 0.82);
    const child = spawn(process.execPath, [BIN, 'rtf', '--clock', '--pid', String(pid), '-d', '600'], {
      cwd: ROOT,
    });
    running.push(child);
    let err = '';
    let out = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    await vi.waitUntil(() => err.includes('The first message came.'), 60_000);
    // It tells each of its seconds.
    await seconds(3);
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(out).toMatch(/Real-time factor 0\.8[12]\d* ± /);
    expect(out).toContain('Listening was interrupted.');
  });
});

describe('rtf --clock', () => {
  it('says where the target has no ROS, with the line that needs none', async () => {
    const pid = await started(
      [SIM_PYTHON, '-c', 'import time; print("ready", flush=True); time.sleep(600)'],
      {},
    );
    const { code, err } = await clock(pid, '-d', '1');
    expect(code).toBe(1);
    expect(err).toContain(
      `profiler: The Python of process ${pid} has no ROS: No module named 'rclpy'; No module named 'cyclonedds'.`,
    );
    expect(err).toContain(
      '  -> ros2 topic echo /clock rosgraph_msgs/msg/Clock -i --csv > clock.csv; profiler rtf --clock-log clock.csv',
    );
  });

  onlyWithAll(it)('hears with the rclpy of the target', async () => {
    const script = Array.from({ length: 600 }, (_, index) => `${index / 100}:${index / 50}`).join(' ');
    const pid = await started(
      [SIM_PYTHON, '-c', 'import time; print("ready", flush=True); time.sleep(600)'],
      {
        PYTHONPATH: join(ROOT, 'test/fixtures/clock'),
        // Not among what is handed over.
        CLOCK_SCRIPT: script,
      },
    );
    const { err } = await clock(pid, '-d', '1');
    expect(err).toContain('Nothing came on /clock within 15 s (heard with rclpy, beside process');
    expect(err).toContain('    Known publishers: /bridge: they are silent, as a paused simulation is.\n');
  });

  it('needs a target, and nothing else', async () => {
    expect((await profiler(['rtf', '--clock'], { cwd: ROOT })).code).toBe(2);
    const both = await profiler(['rtf', '--clock', '--pid', '1', '--log', 'x'], { cwd: ROOT });
    expect(both.code).toBe(2);
    expect(both.err).toContain('Both --clock and --log were given.');
    const pid = await started(
      [SIM_PYTHON, '-c', 'import time; print("ready", flush=True); time.sleep(600)'],
      {},
    );
    // Alone, a target is asked for its steps.
    const probed = await profiler(['rtf', '--pid', `${pid}`], { cwd: ROOT });
    expect(probed.code).toBe(1);
    expect(probed.err).toContain(`profiler: The steps of process ${pid} cannot be seen: `);
    expect(probed.err).toContain('or --clock');
  });
});
