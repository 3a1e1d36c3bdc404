import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { engineCheck, type EngineFacts } from '../../../src/target/doctor/engine-checks.js';
import { leftoverCheck } from '../../../src/target/doctor/leftover-check.js';
import {
  companionChecks,
  composeCheck,
  perfProgramCheck,
  pyspyCheck,
  pythonCheck,
} from '../../../src/target/doctor/program-checks.js';
import {
  askVersion,
  isStaticElf,
  type ProgramFacts,
  type PySpyFacts,
  readProgramFacts,
} from '../../../src/target/doctor/program-facts.js';
import { scratch } from '../scratch.js';

const INSTALL = 'profiler tools install py-spy';
const SHA256 = 'a41205d4925beafd108e1ace85e66c0a1a7adbfcbebcd4441f07848b608886c0';
const pyspy = (more: Partial<PySpyFacts & { found: true }> = {}, version = '0.4.3'): PySpyFacts => ({
  found: true,
  pyspy: { path: '/opt/py-spy', version, from: 'path', passedOver: [] },
  sha256: SHA256,
  isStatic: true,
  ...more,
});
const FOUND: ProgramFacts = { found: true, version: '1.2' };
const MISSING: ProgramFacts = { found: false, because: 'missing' };
const BROKEN: ProgramFacts = { found: false, because: 'broken', said: 'no such library' };

function program(text: string): string {
  const path = join(scratch(), 'program');
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

/** A file with one segment of this type. */
function elf(type: number): string {
  const file = Buffer.alloc(64 + 56);
  file.write('\x7fELF\x02', 'latin1');
  file.writeBigUInt64LE(64n, 32);
  file.writeUInt16LE(1, 56);
  file.writeUInt32LE(type, 64);
  const path = join(scratch(), 'elf');
  writeFileSync(path, file);
  return path;
}

describe('py-spy', () => {
  it.each([
    [
      'as published',
      pyspy(),
      'works',
      '0.4.3 at /opt/py-spy, found in PATH, checksum as published',
      undefined,
    ],
    [
      'another build',
      pyspy({ sha256: 'ff' }),
      'limited',
      '0.4.3 at /opt/py-spy, found in PATH; its checksum is not that of the published 0.4.3',
      INSTALL,
    ],
    [
      'another version',
      pyspy({}, '0.3.14'),
      'limited',
      '0.3.14 at /opt/py-spy, found in PATH; profiler is tested with 0.4.3',
      INSTALL,
    ],
    [
      'one that needs libraries',
      pyspy({ isStatic: false }),
      'limited',
      '0.4.3 at /opt/py-spy, found in PATH; it needs libraries of this machine, so it may not run inside containers',
      INSTALL,
    ],
    [
      'none',
      { found: false, finding: { level: 'blocker', id: 'x', what: 'None.', why: 'Nowhere.', fix: INSTALL } },
      'fails',
      'None. Nowhere.',
      INSTALL,
    ],
  ] as const)('%s', (_name, facts, state, what, fix) => {
    expect(pyspyCheck(facts, 'x64')).toEqual({
      group: 'samplers',
      id: 'py-spy',
      name: 'py-spy',
      state,
      what,
      ...(fix === undefined ? {} : { fix }),
    });
  });

  it('has a checksum of its own on another kind of machine', () => {
    expect(pyspyCheck(pyspy(), 'arm64').state).toBe('limited');
    const arm = pyspy({ sha256: 'ad6e22882e8dcaced4f0a76fef10d372645cc7b94c48a289ebe1bedb754774ed' });
    expect(pyspyCheck(arm, 'arm64').state).toBe('works');
  });
});

describe('programs that some answers need', () => {
  const facts = { node: FOUND, zeroX: MISSING, bpftrace: MISSING, nsys: BROKEN, browser: FOUND };

  it('are told with their version, or with what they would be for and how to get them', () => {
    const rows = companionChecks(facts).map(({ id, state, what, fix }) => [id, state, what, fix]);
    expect(rows).toEqual([
      ['node', 'works', '1.2: runs Node programs and bridges (`run --0x`)', undefined],
      [
        '0x',
        'note',
        'not found; needed for this only: its flame graph page of a Node program',
        'npm install -g 0x@6.0.0',
      ],
      [
        'bpftrace',
        'note',
        'not found; needed for this only: traces of the kernel by hand; profiler itself has perf for them',
        'apt-get install bpftrace',
      ],
      [
        'nsys',
        'note',
        'does not run (no such library); needed for this only: what a GPU does (run --nsys)',
        'https://developer.nvidia.com/nsight-systems',
      ],
      ['browser', 'works', '1.2: opens flame graph pages', undefined],
    ]);
  });

  it('are looked for by their names; 0x is the one that came with us, unless another is named', async () => {
    const folder = scratch();
    const put = (name: string, text: string): void => {
      writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
      chmodSync(join(folder, name), 0o755);
    };
    put('chromium', 'echo "Chromium 130.0.1 built on Debian"');
    put('bpftrace', 'echo "bpftrace v0.17.0"');
    put('nsys', 'echo "NVIDIA Nsight Systems version 2024.5.1.113-245134619542v0"');
    put('other', 'echo nothing');
    const env = { PATH: folder };
    expect(await readProgramFacts(env)).toMatchObject({
      browser: { found: true, version: 'Chromium 130.0.1' },
      bpftrace: { found: true, version: '0.17.0' },
      nsys: { found: true, version: '2024.5.1.113-245134619542v0' },
      node: { found: false, because: 'missing' },
      zeroX: { found: true, version: '6.0.0' },
    });
    const named = join(folder, 'other');
    expect((await readProgramFacts({ ...env, PROFILER_0X: named })).zeroX).toEqual({
      found: false,
      because: 'broken',
      said: `${named}, as named by PROFILER_0X, is no 0x that runs.`,
    });
  });
});

describe('what runs beside the samplers', () => {
  it.each([
    [pythonCheck(FOUND), 'works', '1.2: keeps the sampler on the CPU of a loop that never sleeps'],
    [pythonCheck(MISSING), 'limited', 'not found: of a loop that never sleeps, more samples will be lost'],
    [
      pythonCheck(BROKEN),
      'limited',
      'does not run (no such library): of a loop that never sleeps, more samples will be lost',
    ],
    [perfProgramCheck(FOUND), 'works', '1.2: native code'],
    [perfProgramCheck(BROKEN), 'note', 'does not run (no such library); needed for native code only'],
  ] as const)('%#', (check, state, what) => {
    expect([check.state, check.what]).toEqual([state, what]);
  });

  it.each([
    [{ docker: FOUND, composeV2: FOUND, composeV1: MISSING }, 'works', '1.2'],
    [
      { docker: FOUND, composeV2: { found: true, version: '2.29.7' }, composeV1: FOUND },
      'works',
      '2.29.7 and 1.2',
    ],
    [{ docker: MISSING, composeV2: MISSING, composeV1: FOUND }, 'works', '1.2'],
    [
      { docker: FOUND, composeV2: BROKEN, composeV1: MISSING },
      'note',
      'the docker command has no Compose plugin, and no docker-compose: running services can be sampled, but not given rights by an override',
    ],
    [
      { docker: MISSING, composeV2: MISSING, composeV1: BROKEN },
      'note',
      'there is no docker command, and no docker-compose; docker-compose does not run (no such library): running services can be sampled, but not given rights by an override',
    ],
  ] as const)('knows Compose: %#', (facts, state, what) => {
    const check = composeCheck(facts);
    expect([check.state, check.what]).toEqual([state, what]);
  });
});

describe('the engine', () => {
  const docker: EngineFacts = {
    found: true,
    host: 'unix:///run/d.sock',
    from: 'default',
    version: '20.10.24',
    apiVersion: '1.41',
    kind: 'docker',
    rootless: false,
    local: true,
  };
  it('works', () => {
    expect(engineCheck(docker)).toEqual({
      group: 'containers',
      id: 'engine',
      name: 'engine',
      state: 'works',
      what: 'docker 20.10.24, API 1.41, unix:///run/d.sock (at the usual place)',
    });
  });

  it.each([
    [{ local: false }, 'by a sidecar there, by samples alone'],
    [{ rootless: true }, 'rootless:'],
    [{ kind: 'podman' as const }, 'podman 20.10.24'],
  ])('has limits: %j', (more, what) => {
    const check = engineCheck({ ...docker, ...more });
    expect([check.state, check.what.includes(what)]).toEqual(['limited', true]);
  });

  it('is no failure where there is none', () => {
    const finding = {
      level: 'blocker',
      id: 'x',
      what: 'No socket.',
      why: 'None runs.',
      fix: 'start it',
    } as const;
    expect(engineCheck({ found: false, finding })).toMatchObject({
      state: 'note',
      what: 'No socket. None runs. Processes can still be named by --pid and --match.',
      fix: 'start it',
    });
  });
});

describe('earlier runs', () => {
  it.each([
    [[], undefined],
    [[1], 'a run ended without taking back one thing'],
    [[2, 1], '2 runs ended without taking back 3 things'],
  ])('left %j', (counts, what) => {
    const journals = counts.map((length) => ({
      traces: Array.from({ length }, () => ({ kind: 'process', pid: 1, startTicks: 1 }) as const),
    }));
    expect(leftoverCheck(journals)[0]?.what).toBe(what);
    expect(leftoverCheck([], 1)[0]?.what).toBe('a journal of earlier runs cannot be read');
  });
});

describe('asking a program', () => {
  it('takes the version from its answer', async () => {
    const path = program('#!/bin/sh\necho perf version 6.1.2\n');
    expect(await askVersion([path], /version (\S+)/, {})).toEqual({ found: true, version: '6.1.2' });
  });

  it('says what a broken one said', async () => {
    const path = program('#!/bin/sh\necho cannot start >&2\nexit 1\n');
    expect(await askVersion([path], /version (\S+)/, {})).toEqual({
      found: false,
      because: 'broken',
      said: 'cannot start',
    });
  });

  it('knows that there is none', async () => {
    expect(await askVersion([join(scratch(), 'none')], /(.)/, {})).toEqual({
      found: false,
      because: 'missing',
    });
  });

  it('tells a program that needs a loader from one that does not', () => {
    expect([isStaticElf(elf(1)), isStaticElf(elf(3)), isStaticElf(program('#!/bin/sh\n'))]).toEqual([
      true,
      false,
      false,
    ]);
    expect(isStaticElf(process.execPath)).toBe(false);
  });
});
