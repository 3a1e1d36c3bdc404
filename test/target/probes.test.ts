import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Finding } from '../../src/model/index.js';
import { findTarget, probeRealtime, probeTrace, type Target } from '../../src/target/index.js';
import { realtimeGate, type RealtimeFacts } from '../../src/target/probe-realtime.js';
import { explainTraceDenial, type TraceFacts } from '../../src/target/probe-trace.js';
import { parseStatus } from '../../src/target/proc/status.js';
import { procTree, statusText } from './proc-tree.js';
import { findPythons, program, start, type Started } from './pythons.js';
import { scratch } from './scratch.js';

const root = process.geteuid?.() === 0;
const NOBODY = 65_534;
const SYS_PTRACE = '0000000000080000';

const user = (uid: number, more: Readonly<Record<string, string>> = {}) =>
  parseStatus(
    statusText(1, { Uid: `${uid}\t${uid}\t${uid}\t${uid}`, Gid: `${uid}\t${uid}\t${uid}\t${uid}`, ...more }),
  );

const SAME: TraceFacts = {
  pid: 27,
  self: user(1000),
  target: user(1000),
  mapsReadable: true,
  folderUid: 1000,
  ownUserNamespace: false,
};

describe('which gate forbids tracing', () => {
  const cases: readonly [string, Partial<TraceFacts>, string, string][] = [
    [
      'another user',
      { target: user(0), mapsReadable: false },
      'trace-other-user',
      'sudo profiler attach --pid 27',
    ],
    [
      'root without the capability',
      { self: user(0), mapsReadable: false },
      'trace-capability',
      '--cap-add SYS_PTRACE',
    ],
    [
      'root without the capability, before a root that has more',
      { self: user(0), target: user(0, { CapPrm: '000001ffffffffff' }), mapsReadable: false },
      'trace-capability',
      '--cap-add SYS_PTRACE',
    ],
    [
      'a user namespace without capabilities',
      { target: user(1000, { CapPrm: '000001ffffffffff' }), mapsReadable: false, ownUserNamespace: true },
      'trace-user-namespace',
      'on the host',
    ],
    [
      'the same user in another group',
      { target: user(1000, { Gid: '0\t0\t0\t0' }), mapsReadable: false },
      'trace-other-group',
      'sudo profiler attach --pid 27',
    ],
    ['Yama 1', { yama: 1 }, 'trace-yama', 'sysctl kernel.yama.ptrace_scope=0'],
    ['Yama 2', { yama: 2 }, 'trace-yama', 'sudo profiler attach --pid 27'],
    ['Yama 3, even for root', { self: user(0, { CapEff: SYS_PTRACE }), yama: 3 }, 'trace-yama', 'reboot'],
    ['another user where Yama would allow', { target: user(5), yama: 0 }, 'trace-other-user', 'sudo'],
    [
      'a rootless container',
      { self: user(0, { CapEff: SYS_PTRACE }), ownUserNamespace: true },
      'trace-user-namespace',
      'on the host',
    ],
    ['a security module', { self: user(0, { CapEff: SYS_PTRACE }) }, 'trace-security-module', 'apparmor'],
    [
      'a target with capabilities',
      { target: user(1000, { CapPrm: '0000000000001000' }), mapsReadable: false },
      'trace-target-capabilities',
      'sudo',
    ],
    ['a target that is not dumpable', { mapsReadable: false, folderUid: 0 }, 'trace-not-dumpable', 'sudo'],
    ['nothing that we know of', { yama: 0 }, 'trace-security-module', 'sudo'],
  ];
  it.each(cases)('%s', (_, facts, id, fix) => {
    const finding = explainTraceDenial({ ...SAME, ...facts });
    expect(finding).toMatchObject({ level: 'blocker', id });
    expect(finding.fix).toContain(fix);
    expect(finding.what).toContain('27');
  });

  it.each([1, 2, 3])('reads the value %i of Yama where the memory is refused', async (scope) => {
    const status = statusText(27);
    const proc = procTree([{ pid: 27, ppid: 1, args: ['python3'], mapped: ['/usr/bin/python3'], status }], {
      'self/status': status,
      'self/uid_map': '         0          0 4294967295\n',
      'sys/kernel/yama/ptrace_scope': `${scope}\n`,
    });
    // A folder cannot be read as memory: refused, whoever runs the test.
    mkdirSync(`${proc}/27/mem`);
    const finding = await probeTrace(findTarget({ pid: 27, selfPid: 1, proc }), { proc });
    expect(finding).toMatchObject({ id: 'trace-yama', level: 'blocker' });
    expect(finding?.what).toContain(`ptrace_scope is ${scope}`);
  });
});

describe('a real process', () => {
  let started: Started;
  let target: Target;
  beforeAll(async () => {
    started = await start(findPythons()[0]?.path ?? '', [program('exits.py')]);
    target = findTarget({ pid: started.pid, selfPid: process.pid });
  });
  afterAll(() => started.stop());

  it('may be read by its own user', async () => {
    expect(await probeTrace(target)).toBeUndefined();
  });

  it.each([
    ['is refused', 'echo "Error: EPERM: Operation not permitted" >&2; exit 1', 'trace-sampler-denied'],
    [
      'fails otherwise',
      'echo "Error: Failed to find python version from target process" >&2; exit 1',
      undefined,
    ],
    [
      'reads a torn stack of a busy process',
      'printf "Error: Failed to get stack traces\\n\\nCaused by:\\n    1: Failed to copy PyCodeObject\\n    2: Bad address (os error 14)\\n" >&2; exit 1',
      undefined,
    ],
    [
      'reads a torn stack through /proc/PID/mem',
      'printf "Error: Failed to get stack traces\n\nCaused by:\n    1: Failed to copy PyFrameObject\n    2: I/O error (os error 5)\n" >&2; exit 1',
      undefined,
    ],
    [
      'may copy nothing',
      'printf "Error: Failed to get stack traces\n\nCaused by:\n    1: Failed to copy PyThreadState\n    2: Operation not permitted (os error 1)\n" >&2; exit 1',
      'trace-sampler-denied',
    ],
    ['works', 'exit 0', undefined],
  ])('is told apart from a sampler that %s', async (_, does, id) => {
    const pyspy = join(scratch(), 'py-spy');
    writeFileSync(
      pyspy,
      `#!/bin/sh\n[ "$*" = "dump --nonblocking --pid ${started.pid}" ] || exit 0\n${does}\n`,
      { mode: 0o755 },
    );
    expect((await probeTrace(target, { pyspy }))?.id).toBe(id);
  });

  it('is tried in blocking mode where that is planned', async () => {
    const pyspy = join(scratch(), 'py-spy');
    const does = 'echo "Error: Failed to get stack traces" >&2; exit 1';
    writeFileSync(pyspy, `#!/bin/sh\n[ "$*" = "dump --pid ${started.pid}" ] || exit 0\n${does}\n`, {
      mode: 0o755,
    });
    expect((await probeTrace(target, { pyspy, blocking: true }))?.why).toContain('the system call ptrace');
    expect(await probeTrace(target, { pyspy })).toBeUndefined();
  });

  it.runIf(root)('may not be read by nobody when it is root, and the probe says why', async () => {
    const finding = await asNobody(started.pid);
    expect(finding).toMatchObject({ level: 'blocker', id: 'trace-other-user' });
    expect(finding?.what).toContain('runs as user 0, we run as user 65534');
  });

  it.runIf(root)('may be read by nobody when it is nobody', async () => {
    const other = await startAs(NOBODY, NOBODY);
    try {
      expect(await asNobody(other.pid)).toBeUndefined();
    } finally {
      await other.stop();
    }
  });

  it.runIf(root)('may not be read by the same user in another group', async () => {
    const other = await startAs(NOBODY, 0);
    try {
      expect(await asNobody(other.pid)).toMatchObject({ id: 'trace-other-group' });
    } finally {
      await other.stop();
    }
  });

  it('is told when it has ended', async () => {
    expect(await probeTrace({ ...target, pid: 4_194_304 })).toMatchObject({
      id: 'no-such-pid',
      level: 'blocker',
    });
  });
});

/** A process of some user that needs no file of ours to run. */
const startAs = (uid: number, gid: number): Promise<Started> =>
  start('/bin/sh', ['-c', 'echo ready; read line'], { uid, gid });

/** Runs the probe with the rights of the user nobody: the kernel asks for the effective ids. */
async function asNobody(pid: number): Promise<Finding | undefined> {
  const target = findTarget({ pid, selfPid: process.pid });
  process.setegid?.(NOBODY);
  process.seteuid?.(NOBODY);
  try {
    return await probeTrace(target);
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}

describe('real-time priority', () => {
  const may: RealtimeFacts = {
    root: true,
    mayNice: true,
    limit: 0,
    kernelRuntimeUs: 950_000,
    inCgroup: false,
    ownUserNamespace: false,
    seccomp: false,
  };
  it.each<[string, Partial<RealtimeFacts>, string]>([
    ['kernel forbids it', { kernelRuntimeUs: 0 }, 'kernel'],
    ['root in a container', { mayNice: false }, 'capability'],
    ['ordinary user', { root: false, mayNice: false }, 'limit'],
    ['ordinary user with a small limit', { root: false, mayNice: false, limit: 49 }, 'limit'],
    [
      'ordinary user with a limit, in a group without runtime',
      { root: false, mayNice: false, limit: 99, cgroupRuntimeUs: 0 },
      'cgroup',
    ],
    ['group without runtime', { cgroupRuntimeUs: 0, inCgroup: true }, 'cgroup'],
    ['group of cgroup v2', { inCgroup: true }, 'cgroup'],
    [
      'group of cgroup v2 in a rootless container',
      { inCgroup: true, ownUserNamespace: true },
      'user-namespace',
    ],
    ['filter on system calls', { seccomp: true }, 'seccomp'],
    ['nothing that we know of', {}, 'unknown'],
  ])('%s', (_, facts, gate) => {
    expect(realtimeGate({ ...may, ...facts })).toBe(gate);
  });

  it('is tried, and the policy is read back', async () => {
    const found = await probeRealtime();
    const granted = (await execa('chrt', ['-f', '50', 'true'], { reject: false })).exitCode === 0;
    expect(found.allowed).toBe(granted);
    if (found.allowed) expect(found.argv).toEqual(['chrt', '-f', '50']);
  });

  it.runIf(root)('is refused to an ordinary user by the limit', async () => {
    process.seteuid?.(NOBODY);
    try {
      expect(await probeRealtime()).toMatchObject({ allowed: false, refusedBy: 'limit' });
    } finally {
      process.seteuid?.(0);
    }
  });

  it('says that chrt is missing', async () => {
    const found = await probeRealtime({ chrt: 'no-such-chrt' });
    expect(found).toMatchObject({
      allowed: false,
      refusedBy: 'no-chrt',
      finding: { id: 'realtime-no-chrt', level: 'warning' },
    });
  });

  it.each<[string, Record<string, string>, string, string]>([
    ['limit', { 'self/cgroup': '1:cpu:/\n' }, 'realtime-limit', 'the limit for real-time priority is 10'],
    [
      'control group of a container',
      {
        'self/cgroup': '5:cpu,cpuacct:/docker/abc\n',
        'self/status': statusText(1, { CapEff: '0000000000800000' }),
      },
      'realtime-cgroup',
      'cpu.rt_runtime_us is 0',
    ],
  ])('reads which gate refused: %s', async (_, files, id, what) => {
    const proc = procTree([], {
      'self/status': statusText(1),
      'self/limits':
        'Max nice priority         0                    0\nMax realtime priority     10                   99\n',
      'sys/kernel/sched_rt_runtime_us': '950000\n',
      'cgroups/cpu,cpuacct/docker/abc/cpu.rt_runtime_us': '0\n',
      ...files,
    });
    // A chrt that always refuses.
    const found = await probeRealtime({ proc, cgroups: `${proc}/cgroups`, chrt: 'false' });
    expect(found).toMatchObject({ allowed: false, finding: { id } });
    expect(found.allowed ? '' : found.finding.what).toContain(what);
  });
});
