import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Check } from '../../../src/target/doctor/check.js';
import * as checks from '../../../src/target/doctor/kernel-checks.js';
import {
  cgroupVersion,
  hidepidOf,
  readKernelFacts,
  type KernelFacts,
} from '../../../src/target/doctor/kernel-facts.js';
import type { Realtime, RealtimeFacts } from '../../../src/target/probe-realtime.js';
import { procTree, statusText } from '../proc-tree.js';
import { scratch } from '../scratch.js';

/** Root of a machine that forbids nothing. */
const ROOT: KernelFacts = {
  uid: 0,
  mayTrace: true,
  mayMeasure: true,
  ownUserNamespace: false,
  perfParanoid: 2,
  seccomp: 0,
  cgroups: 'v1',
  hidepid: '0',
  container: false,
};
const USER: KernelFacts = { ...ROOT, uid: 1000, mayTrace: false, mayMeasure: false };
const JAILED: KernelFacts = { ...ROOT, mayTrace: false, mayMeasure: false, container: true, seccomp: 2 };

type Case = readonly [string, (facts: KernelFacts) => Check, KernelFacts, Check['state'], string, string?];

const CASES: readonly Case[] = [
  ['root', checks.rightsCheck, ROOT, 'works', 'user 0 with CAP_SYS_PTRACE'],
  ['a user', checks.rightsCheck, USER, 'limited', 'user 1000: only', 'sudo profiler attach …'],
  [
    'root in a container',
    checks.rightsCheck,
    JAILED,
    'limited',
    'root without CAP_SYS_PTRACE',
    'profiler attach …  (on the host as root, or in a container with --cap-add SYS_PTRACE)',
  ],
  [
    'root that dropped it',
    checks.rightsCheck,
    { ...JAILED, container: false },
    'limited',
    'root without',
    'profiler attach …  (from a shell of root that dropped no capability)',
  ],
  [
    'root of a user namespace',
    checks.rightsCheck,
    { ...ROOT, ownUserNamespace: true },
    'limited',
    'of a user namespace',
    'sudo profiler attach …  (on the host, outside the container)',
  ],
  ['no Yama', checks.yamaCheck, USER, 'works', 'no Yama'],
  ['Yama 0', checks.yamaCheck, { ...USER, ptraceScope: 0 }, 'works', '0: no limit'],
  [
    'Yama 1 for a user',
    checks.yamaCheck,
    { ...USER, ptraceScope: 1 },
    'limited',
    '1: only processes that we started',
    'sudo profiler attach …  (or once: sudo sysctl kernel.yama.ptrace_scope=0)',
  ],
  ['Yama 1 for root', checks.yamaCheck, { ...ROOT, ptraceScope: 1 }, 'works', '1: does not bind'],
  [
    'Yama 2 for a user',
    checks.yamaCheck,
    { ...USER, ptraceScope: 2 },
    'fails',
    '2: only root',
    'sudo profiler attach …',
  ],
  [
    'Yama 3 for root',
    checks.yamaCheck,
    { ...ROOT, ptraceScope: 3 },
    'fails',
    '3: nobody',
    'grep -rs ptrace_scope /etc/sysctl.conf /etc/sysctl.d /usr/lib/sysctl.d  (set it to 1 there, then reboot)',
  ],
  ['no seccomp', checks.seccompCheck, ROOT, 'works', 'no filter'],
  [
    'seccomp',
    checks.seccompCheck,
    JAILED,
    'limited',
    'a filter',
    'profiler attach …  (on the host, or in a container with --security-opt seccomp=unconfined)',
  ],
  ['no hidepid', checks.hidepidCheck, USER, 'works', 'shows all'],
  [
    'hidepid for a user',
    checks.hidepidCheck,
    { ...USER, hidepid: 'invisible' },
    'limited',
    'invisible: /proc hides',
    'sudo profiler attach …',
  ],
  ['hidepid for root', checks.hidepidCheck, { ...JAILED, hidepid: '2' }, 'works', '2: does not bind us'],
  [
    'hidepid by ptrace for such a root',
    checks.hidepidCheck,
    { ...JAILED, hidepid: 'ptraceable' },
    'limited',
    'ptraceable:',
    'sudo profiler attach …',
  ],
  ['no control groups', checks.cgroupCheck, { ...ROOT, cgroups: 'none' }, 'note', 'no engine can run'],
  ['steps for root', checks.stepsCheck, ROOT, 'works', 'the steps of a running MuJoCo'],
  [
    'steps for a user',
    checks.stepsCheck,
    { ...USER, noStepProbe: { because: 'it takes root' } },
    'note',
    'no real-time factor: it takes root',
    'sudo profiler attach …  (on the host)',
  ],
  [
    'steps where nobody mounted the tracing',
    checks.stepsCheck,
    { ...ROOT, noStepProbe: { because: 'tracefs is not mounted', fix: 'mount it' } },
    'note',
    'no real-time factor: tracefs is not mounted',
    'mount it',
  ],
  ['perf for root', checks.perfCheck, { ...ROOT, perfParanoid: 4 }, 'works', '4: does not bind us'],
  ['perf 1 for a user', checks.perfCheck, { ...USER, perfParanoid: 1 }, 'works', '1: own processes'],
  [
    'perf 2 for a user',
    checks.perfCheck,
    USER,
    'limited',
    "2: own processes may be measured, the kernel's part not",
  ],
  [
    'perf 3 for a user',
    checks.perfCheck,
    { ...USER, perfParanoid: 3 },
    'fails',
    '3: only root',
    'sudo sysctl kernel.perf_event_paranoid=1',
  ],
];

describe('what the kernel allows', () => {
  for (const [name, check, facts, state, what, fix] of CASES) {
    it(name, () => {
      const found = check(facts);
      expect([found.state, found.what.includes(what) ? what : found.what, found.fix]).toEqual([
        state,
        what,
        fix,
      ]);
    });
  }

  it('has no line about performance events for a kernel without them', () => {
    const { perfParanoid: _none, ...facts } = ROOT;
    expect(checks.perfCheck(facts)).toMatchObject({
      state: 'note',
      what: 'this kernel counts no performance events',
    });
  });

  it('shows the limits of real-time priority beside what trying it gave', () => {
    const limits: RealtimeFacts = {
      root: true,
      mayNice: true,
      limit: 0,
      kernelRuntimeUs: 950_000,
      cgroupRuntimeUs: 0,
      ownUserNamespace: false,
      seccomp: false,
      inCgroup: true,
    };
    const values = '(kernel.sched_rt_runtime_us 950000, cpu.rt_runtime_us of our group 0, RLIMIT_RTPRIO 0)';
    expect(checks.realtimeCheck({ allowed: true, argv: ['chrt'] }, limits)).toMatchObject({
      state: 'works',
      what: `granted to samplers ${values}`,
    });
    const refused: Realtime = {
      allowed: false,
      refusedBy: 'cgroup',
      finding: { level: 'warning', id: 'realtime-cgroup', what: 'Refused.', why: 'So.', fix: 'do this' },
    };
    expect(checks.realtimeCheck(refused, { ...limits, limit: Number.POSITIVE_INFINITY })).toEqual({
      group: 'kernel',
      id: 'realtime',
      name: 'real-time priority',
      state: 'limited',
      what: `Refused: shares may be off by 20 points ${values.replace('RTPRIO 0', 'RTPRIO unlimited')}`,
      fix: 'do this',
    });
  });
});

describe('reading the settings', () => {
  it('takes them from the process file system', () => {
    const proc = procTree([{ pid: 9, ppid: 1, args: ['x'] }], {
      'self/status': statusText(9, {
        Uid: '1000\t1000\t1000\t1000',
        CapEff: '0000000000080000',
        Seccomp: '2',
      }),
      'self/mounts': 'proc /proc proc rw,hidepid=invisible 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n',
      'sys/kernel/perf_event_paranoid': '-1\n',
      'sys/kernel/yama/ptrace_scope': '1\n',
    });
    const tracing = scratch();
    writeFileSync(join(tracing, 'uprobe_events'), '');
    const { container: _ours, ...facts } = readKernelFacts({ proc, tracing: [tracing] });
    expect(facts).toEqual({
      uid: 1000,
      mayTrace: true,
      mayMeasure: false,
      ownUserNamespace: false,
      perfParanoid: -1,
      ptraceScope: 1,
      seccomp: 2,
      cgroups: 'v2',
      hidepid: 'invisible',
    });
  });

  it('leaves out what the kernel does not have', () => {
    const facts = readKernelFacts({
      proc: procTree([], { 'self/status': statusText(1), 'sys/kernel/perf_event_paranoid': 'x' }),
    });
    expect([facts.perfParanoid, facts.ptraceScope, facts.cgroups]).toEqual([undefined, undefined, 'none']);
  });

  const V1 = 'cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0';
  it.each([
    [`tmpfs /sys/fs/cgroup tmpfs rw 0 0\n${V1}`, 'v1'],
    [`${V1}\ncgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0`, 'hybrid'],
    ['cgroup2 /elsewhere cgroup2 rw 0 0', 'none'],
  ])('tells the version of control groups: %s', (mounts, version) => {
    expect(cgroupVersion(mounts, '/sys/fs/cgroup')).toBe(version);
  });

  it.each([
    ['proc /proc proc rw,nosuid 0 0', '0'],
    ['proc /proc proc rw,hidepid=off 0 0', '0'],
    ['proc /proc proc rw,hidepid=2,gid=5 0 0', '2'],
    ['proc /proc proc rw,hidepid=2 0 0\nproc /proc proc rw 0 0', '0'],
    ['proc /mnt/proc proc rw,hidepid=2 0 0', '0'],
  ])('tells hidepid: %s', (mounts, value) => {
    expect(hidepidOf(mounts)).toBe(value);
  });
});
