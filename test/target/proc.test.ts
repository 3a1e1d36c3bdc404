import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { readCommand, readExe } from '../../src/target/proc/command.js';
import { readContainer } from '../../src/target/proc/container.js';
import { innerId, innerUser } from '../../src/target/proc/id-map.js';
import { parseMaps } from '../../src/target/proc/maps.js';
import {
  hasEnded,
  isKernelThread,
  parseStat,
  policyName,
  readStat,
  schedulingPolicy,
} from '../../src/target/proc/stat.js';
import { parseStatus } from '../../src/target/proc/status.js';
import { listThreads, parseSchedStat, readSchedStat } from '../../src/target/proc/tasks.js';
import { procTree, statusText } from './proc-tree.js';

const AFTER = '0 0 20 0 3 0 987654 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 50 1 0';

describe('stat', () => {
  it.each(['plain', 'two words', 'a) S 1 (b', ') R 9 9', 'line\nbreak', ''])(
    'reads a process named %j',
    (comm) => {
      const stat = parseStat(`27 (${comm}) R 21 27 7 0 -1 4194304 1 2 3 4 120 30 ${AFTER}`);
      expect(stat).toEqual({
        pid: 27,
        comm,
        state: 'R',
        ppid: 21,
        flags: 4194304,
        cpuTicks: 150,
        threads: 3,
        startTicks: 987654,
        rtPriority: 50,
        policy: 1,
      });
    },
  );

  it.each(['', '27 python S', '27 (python)', '27 (python) S 1 2', 'x (y) Z'])('refuses %j', (text) => {
    expect(parseStat(text)).toBeUndefined();
  });

  it('names the scheduling policies', () => {
    const stat = parseStat(`27 (x) R 21 27 7 0 -1 0 1 2 3 4 120 30 ${AFTER}`);
    const names = [0, 1, 2, 3, 5, 6, 7, 9].map((policy) => stat && policyName({ ...stat, policy }));
    expect(names).toEqual(['other', 'fifo:50', 'rr:50', 'batch', 'idle', 'deadline', 'ext', 'policy-9']);
    expect(schedulingPolicy(process.pid)).toMatch(/^(other|fifo:\d+|rr:\d+|batch|idle)$/);
    expect(schedulingPolicy(process.pid, '/nonexistent')).toBeUndefined();
  });

  it('tells a zombie from a process whose first thread has ended', () => {
    const proc = procTree([
      { pid: 1, ppid: 0, args: [], state: 'Z' },
      { pid: 2, ppid: 0, args: [], state: 'Z', threads: 3 },
      { pid: 3, ppid: 0, args: [], flags: 0x0020_8040 },
    ]);
    const stats = [1, 2, 3].map((pid) => readStat(pid, proc));
    expect(stats.map((stat) => stat && hasEnded(stat))).toEqual([true, false, false]);
    expect(stats.map((stat) => stat && isKernelThread(stat))).toEqual([false, false, true]);
  });

  it('reads its own start time the same twice', () => {
    expect(readStat(process.pid)?.startTicks).toBe(readStat(process.pid)?.startTicks);
    expect(readStat(process.pid)?.ppid).toBe(process.ppid);
  });
});

describe('status', () => {
  it('reads ids, switches, capabilities and filter', () => {
    const text = statusText(27, {
      Tgid: '27',
      Uid: '1000\t0\t1001\t1002',
      NSpid: '4711\t27\t3',
      Threads: '5',
      CapPrm: '00000000a80425fb',
      CapEff: '0000000000080000',
      Seccomp: '2',
    });
    expect(parseStatus(text)).toEqual({
      tgid: 27,
      uids: [1000, 0, 1001, 1002],
      gids: [1000, 1000, 1000, 1000],
      nsPids: [4711, 27, 3],
      threads: 5,
      voluntarySwitches: 12,
      involuntarySwitches: 3,
      capPermitted: 0xa80425fbn,
      capEffective: 0x80000n,
      seccomp: 2,
    });
  });

  it('takes the first field of a name, so that a process cannot add its own', () => {
    expect(parseStatus('Name:\tx\nUid:\t5\t5\t5\t5\nUid:\t0\t0\t0\t0\n').uids).toEqual([5, 5, 5, 5]);
  });
});

describe('command line and executable', () => {
  it('keeps blanks, empty arguments and a newline inside arguments', () => {
    const proc = procTree([{ pid: 5, ppid: 1, args: ['python3', '', 'a b', 'c\nd'] }]);
    expect(readCommand(5, proc)).toEqual(['python3', '', 'a b', 'c\nd']);
  });

  it('drops the padding of a rewritten title', () => {
    const proc = procTree([{ pid: 5, ppid: 1, args: ['worker: idle', '', '', ''] }]);
    expect(readCommand(5, proc)).toEqual(['worker: idle']);
    expect(readCommand(6, proc)).toEqual([]);
  });

  it('tells a replaced executable', () => {
    const proc = procTree([
      { pid: 5, ppid: 1, args: [], exe: '/usr/bin/python3.11 (deleted)' },
      { pid: 6, ppid: 1, args: [], exe: '/usr/bin/python3.11' },
      { pid: 7, ppid: 1, args: [] },
    ]);
    expect(readExe(5, proc)).toEqual({ path: '/usr/bin/python3.11', deleted: true });
    expect(readExe(6, proc)).toEqual({ path: '/usr/bin/python3.11', deleted: false });
    expect(readExe(7, proc)).toBeUndefined();
  });
});

it('reads maps with blanks, escaped newlines, deleted files and anonymous memory', () => {
  const text = [
    '00400000-0041f000 r-xp 00001000 08:01 77                         /usr/bin/my python',
    '7f00aa000000-7f00aa001000 rw-p 00000000 00:00 0 ',
    '7f00bb000000-7f00bb001000 r--p 00000000 00:2f 91 /lib/a\\012b.so (deleted)',
    '7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0                          [stack]',
    'not a line',
    '',
  ].join('\n');
  expect(parseMaps(text)).toEqual([
    {
      start: 0x40_0000n,
      end: 0x41_f000n,
      readable: true,
      executable: true,
      offset: 0x1000n,
      inode: 77,
      path: '/usr/bin/my python',
      deleted: false,
    },
    {
      start: 0x7f00_aa00_0000n,
      end: 0x7f00_aa00_1000n,
      readable: true,
      executable: false,
      offset: 0n,
      inode: 0,
      deleted: false,
    },
    {
      start: 0x7f00_bb00_0000n,
      end: 0x7f00_bb00_1000n,
      readable: true,
      executable: false,
      offset: 0n,
      inode: 91,
      path: '/lib/a\nb.so',
      deleted: true,
    },
    {
      start: 0x7ffc_0000_0000n,
      end: 0x7ffc_0002_1000n,
      readable: true,
      executable: false,
      offset: 0n,
      inode: 0,
      deleted: false,
    },
  ]);
});

describe('threads', () => {
  it('lists them with raw names and the ids inside the container', () => {
    const proc = procTree([{ pid: 4711, ppid: 1, args: [] }], {
      '4711/task/4711/comm': 'python3\n',
      '4711/task/4711/status': statusText(4711, { NSpid: '4711\t27' }),
      '4711/task/4720/comm': 'x\u001b[31m y)\n',
      '4711/task/4720/status': statusText(4720, { NSpid: '4720\t28' }),
      '4711/task/4720/schedstat': '1500000000 20000000 321\n',
    });
    expect(listThreads(4711, proc)).toEqual([
      { tid: 4711, nsTid: 27, comm: 'python3' },
      { tid: 4720, nsTid: 28, comm: 'x\u001b[31m y)' },
    ]);
    expect(readSchedStat(4711, 4720, proc)).toEqual({
      onCpuNs: 1_500_000_000,
      cpuWaitNs: 20_000_000,
      timeslices: 321,
    });
    expect(readSchedStat(4711, 4711, proc)).toBeUndefined();
  });

  it('leaves the inner id out where it is the same', () => {
    const proc = procTree([{ pid: 5, ppid: 1, args: [] }], {
      '5/task/5/comm': 'a\n',
      '5/task/5/status': statusText(5),
    });
    expect(listThreads(5, proc)).toEqual([{ tid: 5, comm: 'a' }]);
    expect(listThreads(6, proc)).toEqual([]);
  });

  it.each(['', '1 2', 'a b c'])('refuses the account %j', (text) => {
    expect(parseSchedStat(text)).toBeUndefined();
  });
});

describe('container', () => {
  const id = '3f9c2b7d1a0e'.padEnd(64, 'ab');
  it.each([
    ['docker, cgroup v1', `12:cpu,cpuacct:/docker/${id}\n1:name=systemd:/docker/${id}\n`],
    ['docker, cgroup v2', `0::/system.slice/docker-${id}.scope\n`],
    ['podman', `0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-${id}.scope/container\n`],
    ['kubernetes', `11:cpu:/kubepods/burstable/pod12-34/${id}\n`],
    ['containerd', `0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-${id}.scope\n`],
  ])('%s', (_, cgroup) => {
    expect(readContainer(5, procTree([{ pid: 5, ppid: 1, args: [], cgroup }]))).toBe('3f9c2b7d1a0e');
  });

  it.each([
    ['docker', '/var/lib/docker/containers'],
    ['podman', '/var/lib/containers/storage/overlay-containers'],
    ['rootless podman', '/home/sim/.local/share/containers/storage/vfs-containers'],
  ])('reads the mounts where the control group is private: %s', (_, folder) => {
    const mountinfo = `612 590 8:1 ${folder}/${id}/hostname /etc/hostname rw - ext4 /dev/sda1 rw\n`;
    expect(readContainer(5, procTree([{ pid: 5, ppid: 1, args: [], cgroup: '0::/\n', mountinfo }]))).toBe(
      '3f9c2b7d1a0e',
    );
  });

  it('finds none where the mounts of all containers are seen, as on the machine itself', () => {
    const mountinfo = [
      `59 35 0:45 / /var/lib/docker/containers/${id}/mounts/shm rw - tmpfs shm rw`,
      `60 35 0:46 / /var/lib/containers/storage/overlay-containers/${id}/userdata/shm rw - tmpfs shm rw`,
      `61 35 8:1 /var/lib/docker/containers/${id}/hostname /mnt/hostname rw - ext4 /dev/sda1 rw`,
    ].join('\n');
    expect(
      readContainer(5, procTree([{ pid: 5, ppid: 1, args: [], cgroup: '0::/\n', mountinfo }])),
    ).toBeUndefined();
  });

  it('finds none in an ordinary session or in a shorter id', () => {
    const cgroup = '4:memory:/jobs/3c6ae14a7f1df170c4030327f20ffdb2\n0::/user.slice/session-2.scope\n';
    expect(readContainer(5, procTree([{ pid: 5, ppid: 1, args: [], cgroup }]))).toBeUndefined();
  });
});

describe('users of a container', () => {
  // subuid and subgid of a rootless engine: root inside is its user, all others are its subordinate ids.
  const map = '         0       1501          1\n         1     100000      65536\n';
  it.each([
    [1501, 0],
    [100_000, 1],
    [100_999, 1000],
    [165_535, 65_536],
    [165_536, undefined],
    [0, undefined],
  ])('%i outside is %s inside', (outside, inside) => {
    expect(innerId(map, outside)).toBe(inside);
  });

  it('are the same where nothing is mapped, or it cannot be told', () => {
    expect(innerId('         0          0 4294967295\n', 1000)).toBe(1000);
    expect(innerId('', 1000)).toBeUndefined();
    expect(innerUser({ pid: 5, uid: 1000, gid: 100 }, procTree([]))).toEqual({ uid: 1000, gid: 100 });
  });

  it('are those of a real user namespace', async () => {
    const ids = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
    const child = spawn('unshare', ['--user', '--map-user=77', '--map-group=88', 'cat'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    child.stdin.write('in\n');
    await once(child.stdout, 'data');
    expect(innerUser({ pid: child.pid ?? 0, ...ids })).toEqual({ uid: 77, gid: 88 });
    child.stdin.end();
    await once(child, 'exit');
  });
});
