import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  findContainer,
  findInContainer,
  openEngine,
  readCommand,
  readStatus,
  startExec,
  type Container,
  type Engine,
} from '../../../src/target/index.js';
import { onlyProcessOf } from '../../../src/target/routes/container-pid.js';
import { startDocker, whyNoDocker, type TestDocker } from '../../docker/daemon.js';
import {
  simulationCommand,
  startSimulation,
  whyNoSimulation,
  type SimulationContainer,
  type SimulationOptions,
} from '../../docker/simulation-container.js';
import { describeWhere } from '../../only-where.js';
import { procTree, statusText, type FakeProcess } from '../proc-tree.js';
import { failureOf } from './failure.js';

const SELF = { selfPid: process.pid };
/** The engine knows the pid a moment before its own program there becomes that of the container. */
async function runs(pid: number, command: readonly string[]): Promise<number> {
  while (readCommand(pid).join(' ') !== command.join(' ')) await delay(10);
  return pid;
}

const whyNot = whyNoDocker ?? whyNoSimulation;

describeWhere(whyNot === undefined, whyNot ?? '')('the process in a real container', (test) => {
  let daemon: TestDocker;
  let engine: Engine;
  const made: SimulationContainer[] = [];
  const make = async (options: SimulationOptions): Promise<SimulationContainer> => {
    const simulation = await startSimulation(daemon.docker, options);
    made.push(simulation);
    return simulation;
  };
  const described = ({ id }: { readonly id: string }): Promise<Container> => findContainer(engine, id);
  /** Starts a program inside that ends with the container; gives its pid here. */
  const also = async ({ id }: SimulationContainer, command: readonly string[]): Promise<number> => {
    const exec = await startExec(engine, id, { command });
    exec.stdout.resume();
    exec.stderr.resume();
    return runs((await exec.pid) ?? 0, command);
  };
  beforeAll(async () => {
    if (whyNot !== undefined) return;
    daemon = await startDocker();
    engine = await openEngine(daemon.env);
  });
  afterAll(async () => {
    for (const simulation of made) await simulation.remove();
    await daemon?.stop();
  });

  test('is the one with the simulator, behind an init and a shell, beside another Python', async () => {
    const script = ['/bin/sh', '-c', '"$@" & wait', 'sh'];
    const robot = await make({ name: 'a-in-robot', init: true, entrypoint: script, user: '1000:1000' });
    const helper = await also(robot, simulationCommand('plain', ['--no-truth']));
    const target = findInContainer(await described(robot), SELF);
    expect(target).toMatchObject({
      nsPid: robot.nsPid,
      uid: 1000,
      gid: 1000,
      runtime: 'python',
      container: robot.id.slice(0, 12),
      chosenBecause: 'a Python process with mujoco loaded',
    });
    expect(readStatus(target.pid)?.nsPids.at(-1)).toBe(robot.nsPid);
    const reasons = new Map(target.passedOver.map(({ pid, because }) => [pid, because]));
    expect(reasons.get(robot.hostPid)).toBe('docker-init only starts or watches other processes');
    expect([...reasons.values()]).toContain('sh is a shell');
    expect(reasons.get(helper)).toBe('no simulator found in it');
    expect(reasons.size).toBe(3);
  });

  test('is not chosen among equals, but by --match', async () => {
    const robot = await make({ name: 'a-in-pair', program: 'plain' });
    const second = await also(robot, simulationCommand('plain', ['--no-truth', '--hz', '123']));
    const container = await described(robot);
    const { list, ...rest } = await failureOf(() => findInContainer(container, SELF));
    expect(rest).toEqual({
      level: 'blocker',
      id: 'match-ambiguous',
      what: '2 processes of container a-in-pair could be the simulation (Python).',
      why: 'Which of them is meant cannot be told.',
      fix: 'profiler attach --container a-in-pair --match REGEX',
    });
    const inner = readStatus(second)?.nsPids.at(-1);
    expect([...(list ?? [])].sort((a, b) => a.length - b.length)[0]).toMatch(
      new RegExp(
        `^${second} \\(${inner} inside\\): running for \\d+ s, \\d+ % of a CPU, .*plain_loop.py --no-truth --hz 123$`,
      ),
    );
    expect(findInContainer(container, { ...SELF, match: '--hz 123' })).toMatchObject({
      pid: second,
      nsPid: inner,
      chosenBecause: 'the only process of container a-in-pair whose command line matches /--hz 123/',
    });
    // The same command line runs elsewhere on this machine, but not in this container.
    expect(await failureOf(() => findInContainer(container, { ...SELF, match: 'vitest' }))).toMatchObject({
      id: 'no-match',
      what: 'No running process of container a-in-pair has a command line that matches /vitest/.',
      fix: 'docker top a-in-pair',
    });
    const twin = await also(robot, simulationCommand('plain', ['--no-truth', '--hz', '123']));
    expect(await failureOf(() => findInContainer(container, SELF))).toMatchObject({
      what: '3 processes of container a-in-pair could be the simulation (Python).',
      fix: 'profiler attach --pid PID',
    });
    process.kill(twin, 'SIGKILL');
  });

  test('is told by its control group where the namespace is the host’s', async () => {
    const robot = await make({ name: 'a-in-host', program: 'plain', pidMode: 'host' });
    const target = findInContainer(await described(robot), SELF);
    expect(target).toMatchObject({
      pid: robot.hostPid,
      chosenBecause:
        'a Python process; no simulator was found in its tree (found by its control group: the container shares the pid namespace of the host)',
    });
    expect(target.nsPid).toBeUndefined();
    expect(target.passedOver).toEqual([]);
  });

  test('is told apart from that of a container which shares the namespace', async () => {
    const robot = await make({ name: 'a-in-first', program: 'plain' });
    const viz = await make({ name: 'a-in-second', program: 'plain', pidMode: `container:${robot.id}` });
    const first = findInContainer(await described(robot), SELF);
    expect([first.pid, first.nsPid, first.passedOver]).toEqual([robot.hostPid, 1, []]);
    const second = findInContainer(await described(viz), SELF);
    expect([second.pid, second.nsPid, second.passedOver]).toEqual([viz.hostPid, viz.nsPid, []]);
    expect(second.chosenBecause).toContain('the container shares the pid namespace of another container');
  });

  test('is found without the right to look into it', async () => {
    const robot = await make({ name: 'a-in-foreign', program: 'plain' });
    const container = await described(robot);
    const uid = process.geteuid?.() ?? 0;
    process.seteuid?.(65_534);
    try {
      expect(findInContainer(container, SELF)).toMatchObject({
        pid: robot.hostPid,
        nsPid: 1,
        chosenBecause: expect.stringContaining(
          '(found by its control group: its pid namespace may not be read)',
        ),
      });
    } finally {
      process.seteuid?.(uid);
    }
  });

  test('may be no Python', async () => {
    const command = ['/usr/bin/sleep', 'infinity'];
    const idle = await make({ name: 'a-in-idle', command });
    await runs(idle.hostPid, command);
    expect(onlyProcessOf(idle.id)).toBe(idle.hostPid);
    expect(await failureOf(async () => findInContainer(await described(idle), SELF))).toEqual({
      level: 'blocker',
      id: 'container-no-python',
      what: 'No Python runs in container a-in-idle.',
      list: [`${idle.hostPid} (1 inside): /usr/bin/sleep infinity`],
      why: 'The simulation has not started yet, has ended, or runs in another container.',
      fix: 'docker ps  (shows what else runs)',
    });
  });

  test('is looked for again after a restart', async () => {
    const robot = await make({ name: 'a-in-again', program: 'plain', restart: 'always' });
    const before = await described(robot);
    await robot.container.restart({ t: 0 });
    const again = (await robot.container.inspect()).State.Pid;
    await vi.waitFor(() =>
      expect(findInContainer(before, SELF)).toMatchObject({
        pid: again,
        chosenBecause: expect.stringContaining('or it was started anew'),
      }),
    );
    await robot.remove();
    expect(await failureOf(() => findInContainer(before, SELF))).toMatchObject({ id: 'container-not-local' });
  });
});

const ID = 'a'.repeat(64);
const OTHER = 'b'.repeat(64);
const PYTHON = '/usr/bin/python3.11';

function fakeContainer(more: Partial<Container> = {}): Container {
  return {
    id: ID,
    name: 'robot',
    state: 'running',
    pid: 50,
    startedAt: '2026-11-29T19:53:16.345Z',
    restarts: 0,
    restartPolicy: 'no',
    image: 'robot:1',
    imageId: 'sha256:1',
    labels: {},
    pidMode: '',
    user: '',
    privileged: false,
    readOnlyRoot: false,
    capAdd: [],
    capDrop: [],
    securityOpt: [],
    ulimits: [],
    ...more,
  };
}

interface Member extends Partial<FakeProcess> {
  readonly pid: number;
  readonly inner?: number;
  readonly namespace?: number;
}

/** A process file system with pid namespaces. */
function machine(members: readonly Member[]): string {
  const proc = procTree(
    members.map(({ pid, inner, ...more }) => ({
      ppid: 0,
      args: ['python3', 'run.py'],
      exe: PYTHON,
      ...(inner === undefined ? {} : { status: statusText(pid, { NSpid: `${pid}\t${inner}` }) }),
      ...more,
      pid,
    })),
  );
  for (const { pid, namespace } of members) {
    if (namespace === undefined) continue;
    mkdirSync(join(proc, String(pid), 'ns'));
    symlinkSync(`pid:[${namespace}]`, join(proc, String(pid), 'ns/pid'));
  }
  return proc;
}

function find(proc: string, more: Partial<Container> = {}) {
  return findInContainer(fakeContainer(more), { selfPid: 9, proc });
}

describe('the process of a container in /proc', () => {
  it.each([
    ['cgroup v1', `4:memory:/docker/${ID}\n`],
    ['cgroup v2 with systemd', `0::/system.slice/docker-${ID}.scope\n`],
    ['cgroup v2 seen from another container', `0::/../${ID}\n`],
    ['Podman', `0::/machine.slice/libpod-${ID}.scope/container\n`],
    ['an engine inside a container', `4:memory:/docker/${OTHER}/docker/${ID}\n`],
  ])('is told by %s', (_, cgroup) => {
    const proc = machine([
      { pid: 50, inner: 1, namespace: 7, cgroup },
      { pid: 60, inner: 1, namespace: 8, cgroup: `4:memory:/docker/${OTHER}\n` },
    ]);
    expect(find(proc)).toMatchObject({ pid: 50, nsPid: 1, container: 'aaaaaaaaaaaa', passedOver: [] });
  });

  it('is told by the files that are mounted, without control groups', () => {
    const mountinfo = `36 35 98:0 /var/lib/docker/containers/${ID}/hostname /etc/hostname rw - ext4 /dev/vda rw\n`;
    const proc = machine([{ pid: 50, inner: 1, namespace: 7, cgroup: '0::/\n', mountinfo }]);
    expect(find(proc)).toMatchObject({ pid: 50 });
  });

  it('is none of those that merely see its mounts, as every process of the machine does', async () => {
    const shm = `59 35 0:45 / /var/lib/docker/containers/${ID}/mounts/shm rw - tmpfs shm rw\n`;
    const proc = machine([
      { pid: 60, cgroup: '0::/user.slice\n', mountinfo: shm },
      { pid: 61, inner: 1, namespace: 9, cgroup: '0::/\n', mountinfo: shm },
    ]);
    expect(await failureOf(() => find(proc))).toMatchObject({ id: 'container-not-local' });
    const beside = machine([
      { pid: 50, inner: 1, namespace: 7, cgroup: `0::/docker/${ID}\n`, mountinfo: shm },
      { pid: 60, cgroup: '0::/user.slice\n', mountinfo: shm },
    ]);
    expect(find(beside)).toMatchObject({ pid: 50, passedOver: [] });
  });

  it('is told by its namespace alone, where nothing else is to be seen', async () => {
    expect(find(machine([{ pid: 50, inner: 1, namespace: 7, cgroup: '0::/\n' }]))).toMatchObject({ pid: 50 });
    const shared = machine([{ pid: 50, inner: 1, namespace: 7, cgroup: '0::/\n' }]);
    expect(await failureOf(() => find(shared, { pidMode: 'host' }))).toMatchObject({
      id: 'container-not-local',
    });
  });

  it.each([
    ['a process of this machine', { pid: 50, cgroup: '0::/user.slice\n' }],
    ['the second process of some namespace', { pid: 50, inner: 2, namespace: 7, cgroup: '0::/\n' }],
    [
      'the first process of another container',
      { pid: 50, inner: 1, namespace: 7, cgroup: `0::/docker/${OTHER}\n` },
    ],
    ['nobody', { pid: 51 }],
  ])('is not here when its number is that of %s', async (_, member) => {
    expect(await failureOf(() => find(machine([member])))).toEqual({
      level: 'blocker',
      id: 'container-not-local',
      what: "Container robot runs as process 50 of its engine's machine, which is not a process of this one.",
      why: 'The engine runs on another machine or in a virtual one (Docker Desktop), whose /proc is needed to measure anything exactly, or the container ended this moment.',
      fix: 'profiler attach --container robot  (on the machine of the engine, or in a container there started with --pid host)',
    });
  });

  it('has another number after a restart, and where its engine counts in a namespace of its own', () => {
    const proc = machine([{ pid: 77, inner: 1, namespace: 7, cgroup: `0::/docker/${ID}\n` }]);
    expect(find(proc)).toMatchObject({ pid: 77, nsPid: 1 });
    const reused = machine([
      { pid: 77, inner: 1, namespace: 7, cgroup: `0::/docker/${ID}\n` },
      { pid: 50, cgroup: '0::/user.slice\n' },
    ]);
    expect(find(reused)).toMatchObject({ pid: 77, nsPid: 1 });
  });

  it('keeps a hostile command line as it is, and cuts it only for the list', async () => {
    const cgroup = `0::/docker/${ID}\n`;
    const args = ['python3', `\u001B[31m\u202E${'x'.repeat(500)}end`];
    const proc = machine([
      { pid: 50, inner: 1, namespace: 7, cgroup, args },
      { pid: 51, inner: 2, namespace: 7, cgroup },
    ]);
    const { list } = await failureOf(() => find(proc));
    expect(list?.[0]).toBe(
      `50 (1 inside): running for 950 s, 0 % of a CPU, ${args.join(' ').slice(0, 40)}…${'x'.repeat(37)}end`,
    );
    expect(find(machine([{ pid: 50, inner: 1, namespace: 7, cgroup, args }])).command).toEqual(args);
  });

  it('may be one of several that only wait', async () => {
    const cgroup = `0::/docker/${ID}\n`;
    const native = { namespace: 7, cgroup, exe: '/usr/bin/redis', args: ['redis'] };
    const proc = machine([
      { pid: 50, inner: 1, ...native, args: ['/usr/bin/tini', '--', 'redis'], exe: '/usr/bin/tini' },
      ...Array.from({ length: 12 }, (_, index) => ({ pid: 60 + index, inner: 2 + index, ...native })),
    ]);
    const { list, id } = await failureOf(() => find(proc));
    expect(id).toBe('container-no-python');
    expect(list).toHaveLength(11);
    expect(list?.slice(0, 2)).toEqual(['50 (1 inside): /usr/bin/tini -- redis', '60 (2 inside): redis']);
    expect(list?.at(-1)).toBe('and 3 more');
  });
});
