import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { cpuFollowerArgv } from '../../src/capture/cpu-follower.js';
import { ProfilerError } from '../../src/model/index.js';
import { findTarget, type TargetQuery } from '../../src/target/index.js';
import { procTree, statusText, type FakeProcess } from './proc-tree.js';
import { findPythons, program, start, type OwnFacts } from './pythons.js';

const PYTHON = '/usr/bin/python3.10';

/** A launched simulation as it runs in a container: init, shell, launcher, bridge and two nodes beside it. */
const LAUNCHED: readonly FakeProcess[] = [
  { pid: 1, ppid: 0, args: ['/usr/bin/tini', '--', '/entrypoint.sh'], exe: '/usr/bin/tini' },
  { pid: 7, ppid: 1, args: ['bash', '/entrypoint.sh'], exe: '/usr/bin/bash' },
  {
    pid: 21,
    ppid: 7,
    args: ['/usr/bin/python3', '/opt/ros/humble/bin/ros2', 'launch', 'sim', 'bridge.launch.py'],
    exe: PYTHON,
    cpuTicks: 900,
    threads: 2,
  },
  {
    pid: 27,
    ppid: 21,
    args: ['/usr/bin/python3', '/ws/install/sim/lib/sim/mujoco_bridge', '--ros-args', '-r', '__node:=bridge'],
    exe: PYTHON,
    state: 'R',
    cpuTicks: 700,
    startTicks: 6000,
    threads: 12,
    status: statusText(27, { Uid: '1001\t1001\t1001\t1001', Gid: '1002\t1002\t1002\t1002', NSpid: '27\t9' }),
  },
  {
    pid: 28,
    ppid: 21,
    args: ['/usr/bin/python3', '/opt/ros/humble/lib/robot_state_publisher_py/rsp', '--ros-args'],
    exe: PYTHON,
    cpuTicks: 800,
  },
  {
    pid: 29,
    ppid: 21,
    args: ['/ws/install/sim/lib/sim/lidar_cpp', '--ros-args'],
    exe: '/ws/install/sim/lib/sim/lidar_cpp',
  },
  { pid: 44, ppid: 0, args: ['sh', '-c', 'ps'], exe: '/usr/bin/dash' },
];

function failure(query: Partial<TargetQuery>): ProfilerError {
  try {
    findTarget({ selfPid: 999_999, ...query });
  } catch (error) {
    if (error instanceof ProfilerError) return error;
    throw error;
  }
  throw new Error('a target was found');
}

const python = (pid: number, more: Partial<FakeProcess>): FakeProcess => ({
  pid,
  ppid: 1,
  args: ['/usr/bin/python3', 'run.py'],
  exe: PYTHON,
  ...more,
});

const pick = (tree: readonly FakeProcess[], pid = 1): string => {
  const target = findTarget({ pid, selfPid: 999_999, proc: procTree(tree) });
  return `${target.pid}: ${target.chosenBecause}`;
};

describe('--pid', () => {
  it.each([1, 7, 21, 27])('picks the bridge in the tree below %i', (pid) => {
    const target = findTarget({ pid, selfPid: 44, proc: procTree(LAUNCHED) });
    expect(target).toMatchObject({
      pid: 27,
      nsPid: 9,
      uid: 1001,
      gid: 1002,
      runtime: 'python',
      startTicks: 6000,
      exe: PYTHON,
    });
    expect(target.chosenBecause).toBe('a Python process with mujoco in its command line');
  });

  it('says why each of the others was passed over', () => {
    const target = findTarget({ pid: 1, selfPid: 44, proc: procTree(LAUNCHED) });
    expect(target.passedOver.map(({ pid, because }) => [pid, because])).toEqual([
      [1, 'tini only starts or watches other processes'],
      [7, 'bash is a shell'],
      [21, 'ros2 launch only starts other processes'],
      [28, 'no simulator found in it'],
      [29, 'not a Python process'],
    ]);
    expect(target.passedOver[3]?.command[1]).toBe('/opt/ros/humble/lib/robot_state_publisher_py/rsp');
  });

  const shell: FakeProcess = { pid: 1, ppid: 0, args: ['bash'], exe: '/usr/bin/bash' };
  const mujoco = ['/venv/lib/python3.10/site-packages/mujoco/libmujoco.so.3.2.0'];

  it('prefers a simulator that is loaded to one that is only named', () => {
    const tree = [
      shell,
      python(2, { args: ['python3', 'mujoco_viewer.py'], cpuTicks: 900 }),
      python(3, { mapped: mujoco, cpuTicks: 5 }),
    ];
    expect(pick(tree)).toBe('3: a Python process with mujoco loaded');
  });

  it('is not misled by a workspace folder called like a simulator', () => {
    const mapped = ['/ws/mujoco_ws/venv/lib/python3.10/site-packages/numpy/core/_multiarray.so'];
    const tree = [shell, python(2, { mapped, cpuTicks: 900 }), python(3, { mapped: mujoco, cpuTicks: 5 })];
    expect(pick(tree)).toBe('3: a Python process with mujoco loaded');
  });

  it('takes the busiest of equals, unless one of them was named', () => {
    const tree = [
      shell,
      python(2, { mapped: mujoco, cpuTicks: 10 }),
      python(3, { ppid: 2, mapped: mujoco, cpuTicks: 90 }),
    ];
    expect(pick(tree)).toBe(
      '3: a Python process with mujoco loaded, and of 2 such the one that used most CPU',
    );
    expect(pick(tree, 2)).toBe('2: a Python process with mujoco loaded, and the one that was named');
  });

  it('takes a Python without a simulator rather than nothing', () => {
    expect(pick([shell, python(2, {})])).toBe('2: a Python process; no simulator was found in its tree');
  });

  it('recognises a program that embeds Python by its library', () => {
    const kit: FakeProcess = {
      pid: 2,
      ppid: 1,
      args: ['./kit'],
      exe: '/opt/kit',
      mapped: ['/opt/lib/libpython3.10.so.1.0'],
    };
    expect(pick([shell, kit])).toBe('2: a Python process; no simulator was found in its tree');
  });

  it('passes over a helper of multiprocessing and a process that has ended', () => {
    const helper = ['python3', '-c', 'from multiprocessing.resource_tracker import main;main(5)'];
    const tree = [
      shell,
      python(2, { args: helper, cpuTicks: 50 }),
      python(3, { cpuTicks: 1 }),
      python(4, { args: [], state: 'Z' }),
    ];
    const target = findTarget({ pid: 1, selfPid: 999_999, proc: procTree(tree) });
    expect(target.pid).toBe(3);
    expect(target.passedOver.map(({ because }) => because)).toEqual([
      'bash is a shell',
      'a helper of Python multiprocessing',
      'has ended (zombie)',
    ]);
  });

  it('gives a native process when there is nothing else, so that the caller can say so', () => {
    const target = findTarget({ pid: 29, selfPid: 44, proc: procTree(LAUNCHED) });
    expect([target.pid, target.runtime, target.chosenBecause]).toEqual([
      29,
      'native',
      'no Python runs in its tree',
    ]);
  });

  it('says that the main thread has ended where others go on: nobody sees then what they run', () => {
    const proc = procTree([
      { pid: 5, ppid: 3, args: [], comm: 'python3', state: 'Z', threads: 2, mapped: [] },
    ]);
    const target = findTarget({ pid: 5, selfPid: 44, proc });
    expect([target.pid, target.runtime, target.chosenBecause]).toEqual([
      5,
      'native',
      'its main thread has ended, so what runs in it cannot be told',
    ]);
  });

  it('says that there is no such process', () => {
    const error = failure({ pid: 4711, proc: procTree(LAUNCHED) });
    expect([error.finding.id, error.exitCode, error.finding.what]).toEqual([
      'no-such-pid',
      1,
      'There is no process 4711.',
    ]);
  });

  it('says that the process has ended, and who has not noticed', () => {
    const proc = procTree([{ pid: 5, ppid: 3, args: [], comm: 'python3', state: 'Z' }]);
    const error = failure({ pid: 5, proc });
    expect(error.finding).toMatchObject({
      id: 'pid-ended',
      what: 'Process 5 (python3) has ended and is a zombie.',
    });
    expect(error.finding.why).toContain('process 3');
  });

  it('says that it is a thread of the kernel', () => {
    const error = failure({
      pid: 5,
      proc: procTree([{ pid: 5, ppid: 2, args: [], comm: 'kworker/0:1', flags: 0x0420_8060 }]),
    });
    expect(error.finding).toMatchObject({
      id: 'kernel-thread',
      what: 'Process 5 (kworker/0:1) is a thread of the kernel.',
    });
  });

  it('says that it is a thread, and of which process', async () => {
    const [python3] = findPythons();
    const started = await start(python3?.path ?? '', [program('contended.py'), '--no-spin']);
    try {
      const own = JSON.parse(started.lines[0] ?? '{}') as OwnFacts;
      const tid = own.threads.find(({ name }) => name === 'executor')?.tid ?? 0;
      const { finding } = failure({ pid: tid });
      expect(finding).toMatchObject({
        id: 'pid-is-thread',
        fix: `profiler attach --pid ${started.pid} --thread ${tid}`,
      });
    } finally {
      await started.stop();
    }
  });

  it.each([0, -5, 1.5, Number.NaN])('refuses %d as a pid', (pid) => {
    expect(failure({ pid })).toMatchObject({ exitCode: 2, finding: { id: 'target-pid' } });
  });

  it('wants exactly one of --pid and --match', () => {
    expect(failure({})).toMatchObject({ exitCode: 2, finding: { id: 'target-missing' } });
    expect(failure({ pid: 1, match: 'x' })).toMatchObject({ exitCode: 2, finding: { id: 'target-missing' } });
  });

  it('picks a real Python below a real shell', async () => {
    const [python3] = findPythons();
    // The second command keeps the shell from replacing itself by the first.
    const started = await start('sh', ['-c', `"$0" "$@"; true`, python3?.path ?? '', program('exits.py')]);
    try {
      const target = findTarget({ pid: started.pid, selfPid: process.pid });
      expect(target).toMatchObject({ runtime: 'python', runtimeVersion: python3?.version });
      expect(target.pid).not.toBe(started.pid);
      expect(target.passedOver.map(({ pid }) => pid)).toEqual([started.pid]);
    } finally {
      await started.stop();
    }
  });
});

describe('--match', () => {
  it('finds the one process', () => {
    const target = findTarget({ match: 'mujoco_bri[d]ge', selfPid: 44, proc: procTree(LAUNCHED) });
    expect([target.pid, target.chosenBecause]).toEqual([
      27,
      'the only process whose command line matches /mujoco_bri[d]ge/',
    ]);
  });

  const wrappers: readonly (readonly string[])[] = [
    ['sh', '-c', 'python3 run_bridge.py'],
    ['-bash', '-c', 'python3 run_bridge.py'],
    ['/usr/bin/docker', 'exec', 'sim', 'python3', 'run_bridge.py'],
    ['timeout', '60', 'python3', 'run_bridge.py'],
    ['sudo', 'python3', 'run_bridge.py'],
    ['tini', '--', 'python3', 'run_bridge.py'],
    ['py-spy', 'record', '--', 'python3', 'run_bridge.py'],
    ['grep', 'run_bridge.py'],
    ['/usr/bin/python3', '/usr/bin/ros2', 'run', 'sim', 'run_bridge.py'],
  ];

  it.each(wrappers.map((args) => ({ args, line: args.join(' ') })))(
    'never takes the wrapper: $line',
    ({ args }) => {
      const real: FakeProcess = { pid: 60, ppid: 50, args: ['python3', 'run_bridge.py'], exe: PYTHON };
      const proc = procTree([{ pid: 50, ppid: 1, args }, real]);
      const target = findTarget({ match: 'run_bridge', selfPid: 999_999, proc });
      expect(target.pid).toBe(60);
      expect(target.passedOver.map(({ pid }) => pid)).toEqual([50]);
    },
  );

  it('never takes ourselves or what started us', () => {
    const tree: readonly FakeProcess[] = [
      { pid: 1, ppid: 0, args: ['init'] },
      { pid: 10, ppid: 1, args: ['python3', 'ci.py', 'run_bridge'], exe: PYTHON },
      { pid: 11, ppid: 10, args: ['/opt/tool', 'run_bridge'] },
    ];
    expect(failure({ match: 'run_bridge', selfPid: 11, proc: procTree(tree) }).finding.id).toBe('no-match');
  });

  it('lists ambiguous matches with pid, age, CPU share and the flag that chooses', () => {
    const tree: readonly FakeProcess[] = [
      {
        pid: 50,
        ppid: 1,
        args: ['python3', 'run.py', '--robot', 'a'],
        exe: PYTHON,
        startTicks: 90_000,
        cpuTicks: 500,
      },
      {
        pid: 60,
        ppid: 1,
        args: ['python3', 'run.py', '--robot', 'b'],
        exe: PYTHON,
        startTicks: 50_000,
        cpuTicks: 40_500,
      },
    ];
    const { finding, exitCode } = failure({ match: 'run\\.py', proc: procTree(tree) });
    expect(exitCode).toBe(1);
    expect(finding).toMatchObject({
      id: 'match-ambiguous',
      what: '2 processes match /run\\.py/.',
      list: [
        '60: running for 500 s, 81 % of a CPU, python3 run.py --robot b',
        '50: running for 100 s, 5 % of a CPU, python3 run.py --robot a',
      ],
      fix: 'profiler attach --pid PID',
    });
  });

  it('lists ten ambiguous matches at most, and cuts what is long', () => {
    const tree = Array.from({ length: 12 }, (_, index) =>
      python(60 + index, { args: ['python3', 'run.py', '\u{1F916}'.repeat(400), '--robot', 'a'] }),
    );
    const { list = [] } = failure({ match: 'run\\.py', proc: procTree(tree) }).finding;
    expect([list.length, list.at(-1)]).toEqual([11, 'and 2 more']);
    expect(list[0]).toMatch(/^60: .*, python3 run\.py \u{1F916}{25}…\u{1F916}{30} --robot a$/u);
  });

  const profilers: readonly (readonly string[])[] = [
    ['node', '/usr/local/bin/profiler', 'attach', '--match', 'run_bridge'],
    ['/usr/bin/node', '--no-warnings', '/src/dist/cli/bin.js', 'attach', '--match', 'run_bridge'],
    ['node', '/opt/run_bridge/dist/capture/state-sampler/main.js', '60'],
    [...cpuFollowerArgv([], 60), 'run_bridge'],
    ['/opt/py-spy', 'record', '--pid', '60', '-o', 'recordings/run_bridge/slices/000.raw'],
  ];

  it.each(profilers.map((args) => ({ args, line: args.slice(0, 3).join(' ') })))(
    'never lists another profiler or what it started: $line',
    ({ args }) => {
      const real: FakeProcess = { pid: 60, ppid: 1, args: ['python3', 'run_bridge.py'], exe: PYTHON };
      const other = { pid: 50, ppid: 1, args };
      const alone = procTree([other]);
      expect(failure({ match: 'run_bridge', proc: alone }).finding.what).toMatch(/^No running process/);
      const target = findTarget({
        match: 'run_bridge',
        selfPid: 999_999,
        proc: procTree([other, real]),
      });
      expect([target.pid, target.passedOver]).toEqual([60, []]);
    },
  );

  it('never lists a sampler of another profiler, whatever it is called where it runs', () => {
    const sampler: FakeProcess = {
      pid: 50,
      ppid: 1,
      args: ['/py-spy-1f', 'record', 'run_bridge'],
      exe: PYTHON,
    };
    const marked = procTree([sampler], { '50/environ': 'A=1\0SIM_PROFILER_OWNER=7:8:9-a\0' });
    expect(failure({ match: 'run_bridge', proc: marked }).finding.id).toBe('no-match');
    const unmarked = procTree([sampler], { '50/environ': 'A=SIM_PROFILER_OWNER=1\0' });
    expect(findTarget({ match: 'run_bridge', selfPid: 999_999, proc: unmarked }).pid).toBe(50);
  });

  it('lists nothing that another profiler started, but what a py-spy of the user did', () => {
    const run = ['python3', 'run_bridge.py', '-p', '3'];
    const below = (args: readonly string[]): string =>
      procTree([
        { pid: 50, ppid: 1, args },
        { pid: 51, ppid: 50, args: run, exe: PYTHON },
      ]);
    const profiler = below(['node', '/usr/bin/profiler', 'attach', '--pid', '7']);
    expect(failure({ match: 'run_bridge', proc: profiler }).finding.id).toBe('no-match');
    const user = below(['py-spy', 'record', '-o', 'x', '--', ...run]);
    const target = findTarget({ match: 'run_bridge', selfPid: 999_999, proc: user });
    expect([target.pid, target.passedOver.map(({ pid }) => pid)]).toEqual([51, [50]]);
  });

  it('says that nothing matches', () => {
    const { finding } = failure({ match: 'gazebo', proc: procTree(LAUNCHED) });
    expect(finding).toMatchObject({
      id: 'no-match',
      what: 'No running process has a command line that matches /gazebo/.',
    });
  });

  it('offers the tree of a wrapper when only wrappers match', () => {
    const { finding } = failure({ match: 'bridge\\.launch', proc: procTree(LAUNCHED) });
    expect(finding.id).toBe('no-match');
    expect(finding.what).toContain('21 (ros2 launch only starts other processes)');
    expect(finding.fix).toContain('--pid 21');
  });

  it('explains a pattern that is no regular expression', () => {
    expect(failure({ match: 'run(.py' })).toMatchObject({
      exitCode: 2,
      finding: { id: 'match-invalid', fix: String.raw`profiler attach --match 'run\(\.py'` },
    });
  });

  it('finds a real process by a word of its command line', async () => {
    const [python3] = findPythons();
    const word = `word-${process.pid}-alone`;
    const started = await start(python3?.path ?? '', [program('contended.py'), '--no-spin', '--name', word]);
    try {
      expect(findTarget({ match: word, selfPid: process.pid }).pid).toBe(started.pid);
    } finally {
      await started.stop();
    }
  });
});

it('tells a process that ended and was collected', async () => {
  const child = execa('true');
  const pid = child.pid ?? 0;
  await child;
  expect(failure({ pid }).finding.id).toBe('no-such-pid');
});

describe('a tree in which a profiler runs', () => {
  const SHELL: FakeProcess = { pid: 10, ppid: 1, args: ['bash'], exe: '/usr/bin/bash' };
  const OURS: readonly FakeProcess[] = [
    { pid: 20, ppid: 10, args: ['node', '/opt/odd-name.js', 'attach', '--pid', '10'], exe: '/usr/bin/node' },
    python(21, { ppid: 20, args: ['python3', 'helper.py'], cpuTicks: 9000 }),
  ];

  it('never gives ourselves or what we started', () => {
    const simulation = python(30, { ppid: 10, args: ['python3', 'sim.py'], cpuTicks: 5 });
    const tree = procTree([SHELL, ...OURS, simulation]);
    const found = findTarget({ pid: 10, selfPid: 20, proc: tree });
    expect([found.pid, found.passedOver.map(({ pid }) => pid)]).toEqual([30, [10]]);
    expect(findTarget({ pid: 10, selfPid: 20, proc: procTree([SHELL, ...OURS]) }).pid).toBe(10);
  });

  it('never gives another profiler or what that started', () => {
    const [node, helper] = OURS;
    const other = { ...node, args: ['node', '/usr/bin/profiler', 'attach'] } as FakeProcess;
    const tree = procTree([SHELL, other, helper as FakeProcess]);
    expect(findTarget({ pid: 10, selfPid: 999, proc: tree }).pid).toBe(10);
  });

  it('gives nothing that we started where we are named ourselves', () => {
    expect(findTarget({ pid: 20, selfPid: 20, proc: procTree([SHELL, ...OURS]) }).pid).toBe(20);
  });
});
