import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import { type ClockContainer, makeClockImage, startClock, whyNoClock } from '../docker/clock-container.js';
import { startDocker, type TestDocker } from '../docker/daemon.js';
import { describeWhere, onlyWithAll } from '../only-where.js';
import { BIN, ROOT } from './demo-simulation.js';

const LOOPBACK =
  '<CycloneDDS><Domain><General><Interfaces><NetworkInterface name="lo" multicast="true"/></Interfaces></General></Domain></CycloneDDS>';

/** Neither the environment of another user's process may be read so, nor may that be signalled: what is left is the Docker socket. */
const SOCKET_ALONE = ['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--'];
/** A machine of its own, as far as processes go. */
const ELSEWHERE = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child', '--'];

const idsOf = ({ findings }: { readonly findings: readonly { readonly id: string }[] }): readonly string[] =>
  findings.map(({ id }) => id);

const commandLine = (name: string, args: readonly string[]): readonly string[] => [
  process.execPath,
  BIN,
  'rtf',
  '--clock',
  '--container',
  name,
  ...args,
];

/** Command lines in the container. */
const inside = async ({ container }: ClockContainer): Promise<readonly string[]> =>
  (await container.top()).Processes.map((row: readonly string[]) => row.at(-1) ?? '');

describeWhere(whyNoClock === undefined, whyNoClock ?? '')('rtf --clock of a container', (test) => {
  let engine: TestDocker;
  let bridge: ClockContainer;
  let folder: string;
  const others: ClockContainer[] = [];
  const running: ChildProcess[] = [];
  beforeAll(async () => {
    engine = await startDocker();
    folder = mkdtempSync(join(tmpdir(), 'profiler-e2e-'));
    await makeClockImage(engine);
    bridge = await startClock(engine.docker, {
      name: 'e2e-clock',
      // What a subscriber with the settings of the container would hear by.
      env: ['ROS_DOMAIN_ID=99', 'RMW_IMPLEMENTATION=rmw_none'],
      becomes: [
        'env["ROS_DOMAIN_ID"] = "7"',
        `env["CYCLONEDDS_URI"] = ${JSON.stringify(LOOPBACK)}`,
        'del env["RMW_IMPLEMENTATION"]',
      ],
      command: ['-B', 'publisher.py', '500', '0.82'],
    });
  });
  afterEach(async () => {
    for (const child of running.splice(0)) child.kill('SIGKILL');
    for (const other of others.splice(0)) await other.remove();
  });
  afterAll(async () => {
    await bridge?.remove();
    await engine?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const env = (): Readonly<Record<string, string>> => ({
    ...engine.env,
    XDG_STATE_HOME: join(folder, 'state'),
    PROFILER_PY_SPY: join(ROOT, '.cache/sim-venv/bin/py-spy'),
  });
  const clock = async (
    through: readonly string[],
    name: string,
    ...args: readonly string[]
  ): Promise<{ readonly code: number | undefined; readonly out: string; readonly err: string }> => {
    const [file = '', ...rest] = [...through, ...commandLine(name, args)];
    const run = await execa(file, rest, { cwd: folder, env: env(), reject: false, stdin: 'ignore' });
    return { code: run.exitCode, out: run.stdout, err: run.stderr };
  };
  const hears = async (through: readonly string[], seconds: string): Promise<void> => {
    const before = await bridge.container.changes();
    const { code, out } = await clock(through, 'e2e-clock', '-d', seconds, '--json');
    expect(code).toBe(0);
    const found = JSON.parse(out);
    expect(found).toMatchObject({ kind: 'rtf', way: 'clock', via: 'cyclonedds' });
    // On a busy machine some messages are held up.
    expect(idsOf(found).filter((id) => id !== 'clock-bursts')).toEqual([]);
    expect(Math.abs(found.factor / 0.82 - 1)).toBeLessThan(0.005);
    expect(found.low).toBeLessThanOrEqual(0.82);
    expect(found.high).toBeGreaterThanOrEqual(0.82);
    expect(await inside(bridge)).toEqual(['python3 -B publisher.py 500 0.82']);
    expect(await bridge.container.changes()).toEqual(before);
  };

  onlyWithAll(test)(
    'has the settings of the program there, not those of the container, and leaves nothing',
    () => hears([], '5'),
  );

  test('the same with the Docker socket alone', () => hears(SOCKET_ALONE, '3'));

  onlyWithAll(test)('the same of an engine whose processes are not seen here', () => hears(ELSEWHERE, '3'));

  /** Listens until it has heard three seconds, then sends the signal. */
  const signalled = async (
    signal: 'SIGINT' | 'SIGKILL',
  ): Promise<{ readonly code: number | null; readonly out: string }> => {
    const [file = '', ...rest] = [...SOCKET_ALONE, ...commandLine('e2e-clock', ['-d', '600'])];
    const child = spawn(file, rest, { cwd: folder, env: { ...process.env, ...env() } });
    running.push(child);
    let err = '';
    let out = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    await vi.waitUntil(() => err.includes('The first message came.'), 60_000);
    const told = (await bridge.lines()).length;
    await vi.waitUntil(async () => (await bridge.lines()).length >= told + 3, 60_000);
    child.kill(signal);
    const code = await ended;
    await vi.waitUntil(async () => (await inside(bridge)).length === 1, 20_000);
    return { code, out };
  };

  onlyWithAll(test)(
    'ends on Ctrl-C with what it has heard, also where no signal reaches the subscriber',
    async () => {
      const { code, out } = await signalled('SIGINT');
      expect(code).toBe(130);
      expect(out).toMatch(/Real-time factor 0\.8[12]\d* ± /);
      expect(out).toContain('Listening was interrupted.');
    },
  );

  test('leaves no subscriber where it is killed', async () => {
    expect(await signalled('SIGKILL')).toEqual({ code: null, out: '' });
  });

  const other = async (options: Parameters<typeof startClock>[1]): Promise<ClockContainer> => {
    const made = await startClock(engine.docker, options);
    others.push(made);
    return made;
  };
  const waits = ['-c', 'import time; print("ready", flush=True); time.sleep(600)'];

  onlyWithAll(test)(
    'hears with the rclpy that an entrypoint put on the path of the program, and says goodbye',
    async () => {
      const script = Array.from({ length: 2000 }, (_, index) => `${index / 100}:${index / 50}`).join(' ');
      await other({
        name: 'e2e-clock-rclpy',
        env: [`CLOCK_SCRIPT=${script}`],
        becomes: ['env["PYTHONPATH"] = "/opt/clock/ros"'],
        command: waits,
      });
      const { code, out } = await clock([], 'e2e-clock-rclpy', '-d', '3', '--json');
      expect(code).toBe(0);
      const found = JSON.parse(out);
      expect(found).toMatchObject({ way: 'clock', via: 'rclpy' });
      expect(Math.abs(found.factor / 2 - 1)).toBeLessThan(0.005);
    },
  );

  test('says that there is no such Python where the program runs', async () => {
    const { pid } = await other({
      name: 'e2e-clock-path',
      env: [],
      becomes: ['env["PATH"] = "/nowhere"', 'env["PYTHONHOME"] = "/usr/local"'],
      command: waits,
    });
    const { code, out, err } = await clock([], 'e2e-clock-path', '-d', '1');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    const [, what, ...rest] = err.split('\n');
    expect(what).toMatch(
      new RegExp(
        `^profiler: The subscriber could not be started, in the container of process ${pid}: .*"python3": executable file not found in \\$PATH`,
      ),
    );
    expect(rest).toEqual([
      '  It is a small Python program, for python3 as it is found there.',
      '  -> ros2 topic echo /clock rosgraph_msgs/msg/Clock -i --csv > clock.csv; profiler rtf --clock-log clock.csv',
    ]);
  });

  onlyWithAll(test)('tells that the program ended meanwhile', async () => {
    const { container, lines } = await other({
      name: 'e2e-clock-ends',
      env: ['ROS_DOMAIN_ID=8', `CYCLONEDDS_URI=${LOOPBACK}`],
      becomes: [],
      command: ['-B', 'publisher.py', '500', '0.82'],
    });
    const answer = clock([], 'e2e-clock-ends', '-d', '60', '--json');
    await vi.waitUntil(async () => (await container.top()).Processes.length === 2, 60_000);
    const told = (await lines()).length;
    await vi.waitUntil(async () => (await lines()).length >= told + 5, 60_000);
    await container.kill();
    const { code, out } = await answer;
    expect(code).toBe(0);
    const found = JSON.parse(out);
    expect(idsOf(found)).toContain('target-ended');
    expect(Math.abs(found.factor / 0.82 - 1)).toBeLessThan(0.005);
  });
});
