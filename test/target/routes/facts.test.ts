import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findTarget, openJournal } from '../../../src/target/index.js';
import { pidOfContainer } from '../../../src/target/routes/container-pid.js';
import { engineAnswer, explainEngine } from '../../../src/target/routes/engine-refusal.js';
import { explainDump } from '../../../src/target/routes/probe-dump.js';
import { quotaCpus } from '../../../src/target/routes/quota.js';
import { sidecarReference } from '../../../src/target/routes/sidecar-image.js';
import { scratch } from '../scratch.js';

function tree(files: Readonly<Record<string, string>>): string {
  const folder = scratch();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const procOf = (cgroup: string): string => tree({ '7/cgroup': cgroup });

const context = {
  target: { ...findTarget({ pid: process.pid, selfPid: -1 }), uid: 1000 },
  pyspy: { path: '/py-spy', version: '0.4.2' },
  native: false,
  journal: openJournal({ XDG_STATE_HOME: scratch() }, ''),
  priority: [],
};

interface Failed {
  readonly works: false;
  readonly said: string;
  readonly exit: number | string;
}

const failed = (said: string, exit: number | string): Failed => ({ works: false, said, exit });

describe('the CPU quota of a process', () => {
  it('is the least of its groups, in version 1', () => {
    const cgroups = tree({
      'cpu,cpuacct/docker/cpu.cfs_quota_us': '150000\n',
      'cpu,cpuacct/docker/cpu.cfs_period_us': '100000\n',
      'cpu,cpuacct/docker/abc/cpu.cfs_quota_us': '25000\n',
      'cpu,cpuacct/docker/abc/cpu.cfs_period_us': '50000\n',
    });
    const groups = '3:memory:/docker/abc\n2:cpu,cpuacct:/docker/abc\n';
    expect(quotaCpus(7, procOf(groups), cgroups)).toBe(0.5);
  });

  it('is the least of its groups, in version 2', () => {
    const cgroups = tree({
      'system.slice/cpu.max': '120000 100000\n',
      'system.slice/x.scope/cpu.max': 'max 100000\n',
    });
    expect(quotaCpus(7, procOf('0::/system.slice/x.scope\n'), cgroups)).toBe(1.2);
  });

  it('is unknown where there is none', () => {
    const cgroups = tree({ 'cpu/cpu.cfs_quota_us': '-1\n', 'cpu/cpu.cfs_period_us': '100000\n' });
    expect(quotaCpus(7, procOf('2:cpu:/\n0::/\n'), cgroups)).toBeUndefined();
    expect(quotaCpus(8, procOf(''), cgroups)).toBeUndefined();
  });
});

describe('why a route through an engine fails', () => {
  it.each([
    ['container-paused', 'Container b is paused, unpause the container before exec'],
    ['container-exited', 'cannot join PID of a non running container: 0f3'],
    ['no-such-container', 'No such container: 0f3'],
    ['container-disk-full', 'write /py-spy: no space left on device'],
    ['engine-architecture', 'exec /sim-profiler-py-spy: exec format error'],
    ['engine-lacks-capability', 'OCI runtime exec failed: unable to apply caps: operation not permitted'],
    ['engine-refused', 'authorization denied by plugin opa: request rejected'],
  ])('is %s by the words of the engine', (id, said) => {
    expect(explainEngine('exec', context, failed(said, 'HTTP 409'))).toMatchObject({ level: 'blocker', id });
  });

  it('keeps words of the engine that are not known', () => {
    expect(engineAnswer('exec', 'the moon is full')).toBeUndefined();
    expect(explainEngine('sidecar', context, failed('the moon is full\n', 'HTTP 500'))).toEqual({
      level: 'blocker',
      id: 'sidecar-refused',
      what: 'The engine refused (sidecar): the moon is full',
      why: 'It gave no other reason.',
    });
  });

  it('is a security module where the sampler holds the capability, and a missing right where not', () => {
    const denied = failed('Permission Denied: Try running again with elevated permissions', 1);
    expect(explainEngine('sidecar', context, denied).id).toBe('trace-security-module');
    expect(explainEngine('exec', context, denied).id).toMatch(/^trace-(?:target-capabilities|yama)$/);
  });

  it("is the target's own fault where py-spy says so", () => {
    const text = 'Error: Failed to find python version from target process';
    expect(explainEngine('exec', context, failed(text, 1)).id).toBe('pyspy-no-python');
    expect(explainDump(failed('', 0), 'there').id).toBe('route-no-thread');
    expect(explainDump(failed('', 137), 'there')).toMatchObject({
      id: 'route-no-sampler',
      what: 'py-spy ended (137) without a word there.',
    });
  });
});

describe('what an engine names', () => {
  it('is a pid of this machine only if that process lives in the container', () => {
    const id = '0'.repeat(64);
    expect(pidOfContainer(process.pid, id)).toBeUndefined();
    expect(pidOfContainer(0, id)).toBeUndefined();
    expect(pidOfContainer(undefined, id)).toBeUndefined();
  });

  it('is an image by version and content', () => {
    expect(sidecarReference('0.4.2', Buffer.from('a'))).toBe('sim-profiler/py-spy:0.4.2-ca978112ca1b');
    expect(sidecarReference('0.4.2+x', Buffer.from('b'))).toBe('sim-profiler/py-spy:0.4.2_x-3e23e8160039');
  });
});
