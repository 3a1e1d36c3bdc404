import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ProfilerError } from '../../src/model/index.js';
import { findPerf, type PerfAnswer, readPerfVersion } from '../../src/target/tools/find-perf.js';

function failure(answer: PerfAnswer, id: string): { readonly id: string; readonly fix?: string } {
  try {
    readPerfVersion(answer, 'perf', id);
  } catch (error) {
    if (error instanceof ProfilerError) return error.finding;
    throw error;
  }
  throw new Error('it did not fail');
}

const WRAPPER =
  'WARNING: perf not found for kernel 6.5.0-1025\n\n  You may need to install the following packages for this specific kernel:\n    linux-tools-6.5.0-1025-azure\n';

describe('perf', () => {
  it.each([
    ['perf version 6.1.187\n', '6.1.187'],
    ['perf version 5.9\n', '5.9'],
    ['perf version 6.8.g1234567\n', '6.8.g1234567'],
    ['WARNING: something\nperf version 7.0-rc1\n', '7.0-rc1'],
  ])('is used: %j', (said, version) => {
    expect(readPerfVersion({ exitCode: 0, said }, 'perf', 'debian')).toEqual({ path: 'perf', version });
  });

  it.each([
    ['missing', { code: 'ENOENT', said: '' }, 'debian', 'perf-missing', 'apt-get install linux-perf'],
    ['missing on Fedora', { code: 'ENOENT', said: '' }, 'fedora', 'perf-missing', 'dnf install perf'],
    [
      'a wrapper',
      { exitCode: 2, said: WRAPPER },
      'debian',
      'perf-wrapper',
      "apt-get install linux-perf  (its version need not be the kernel's)",
    ],
    ['too old', { exitCode: 0, said: 'perf version 5.8.3\n' }, 'arch', 'perf-too-old', 'pacman -S perf'],
    ['far too old', { exitCode: 0, said: 'perf version 4.19\n' }, 'alpine', 'perf-too-old', 'apk add perf'],
    [
      'broken',
      { exitCode: 127, said: 'perf: error while loading shared libraries' },
      '',
      'perf-broken',
      "your distribution's package perf",
    ],
    ['something else', { exitCode: 0, said: 'hello' }, 'debian', 'perf-broken', 'apt-get install linux-perf'],
  ] as const)('is told apart: %s', (_, answer, system, id, fix) => {
    expect(failure(answer, system)).toMatchObject({ id, fix });
  });
});

describe('the wrapper of Ubuntu in a machine with another kernel', () => {
  const folders: string[] = [];

  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  function machine(perfs: Readonly<Record<string, string>>): string {
    const root = mkdtempSync(join(tmpdir(), 'perf-'));
    folders.push(root);
    for (const [file, does] of Object.entries(perfs)) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), `#!/bin/sh\n${does}\n`);
      chmodSync(join(root, file), 0o755);
    }
    return root;
  }

  const wrapper = { 'bin/perf': 'echo "WARNING: perf not found for kernel 6.1.11" >&2; exit 2' };

  it('gives way to the newest perf beside it that runs', async () => {
    const root = machine({
      ...wrapper,
      'lib/linux-tools/6.8.0-9-generic/perf': 'echo "perf version 6.8.9"',
      'lib/linux-tools/6.8.0-31-generic/perf': 'echo "perf version 6.8.12"',
      'lib/linux-tools-6.11.0-8/perf': 'exit 127',
    });
    expect(await findPerf({ PATH: `${root}/bin` }, `${root}/lib`)).toEqual({
      path: `${root}/lib/linux-tools/6.8.0-31-generic/perf`,
      version: '6.8.12',
    });
  });

  it('is told where there is none', async () => {
    const root = machine(wrapper);
    const error: unknown = await findPerf({ PATH: `${root}/bin` }, `${root}/lib`).catch(
      (cause: unknown) => cause,
    );
    expect(error instanceof ProfilerError && error.finding.id).toBe('perf-wrapper');
  });

  it('is not looked past where the perf in PATH works', async () => {
    const root = machine({
      'bin/perf': 'echo "perf version 6.1.1"',
      'lib/linux-tools/7.0/perf': 'echo "perf version 7.0"',
    });
    expect(await findPerf({ PATH: `${root}/bin` }, `${root}/lib`)).toEqual({
      path: 'perf',
      version: '6.1.1',
    });
  });
});
