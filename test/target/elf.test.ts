import { mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeName, findGilRange, findTarget, pythonSupport, type Target } from '../../src/target/index.js';
import { withElf } from '../../src/target/elf/elf.js';
import { versionOfConstant, versionOfName } from '../../src/target/python/interpreter.js';
import { simulatorIn } from '../../src/target/simulators.js';
import { procTree } from './proc-tree.js';
import { scratch } from './scratch.js';

interface Layout {
  readonly type: 'exec' | 'dyn';
  /** Table that holds the symbols: dynamic, full, or only the section of the runtime is left. */
  readonly symbols: 'dynsym' | 'symtab' | 'stripped';
  /** Address of the first segment. */
  readonly base: bigint;
  readonly freeThreaded?: boolean;
  readonly version?: number;
}

const DATA = 0x200;
const TABLE = 0x300;
const STRINGS = 0x400;
const SECTIONS = 0x500;
const RUNTIME_OFFSET = BigInt(DATA);
const RUNTIME_SIZE = 64n;
/** A function. */
const CODE = 0x700n;
const CODE_SIZE = 0x80n;

/** A file with one segment, a runtime of 64 bytes and the symbols `_PyRuntime` and `Py_Version`. */
function elfFile({ type, symbols, base, freeThreaded = false, version = 0x030d_01f0 }: Layout): Buffer {
  const file = Buffer.alloc(0x800);
  file.write('\x7fELF\x02\x01\x01', 'latin1');
  file.writeUInt16LE(type === 'exec' ? 2 : 3, 16);
  file.writeBigUInt64LE(64n, 32);
  file.writeBigUInt64LE(BigInt(SECTIONS), 40);
  file.writeUInt16LE(1, 56);
  file.writeUInt16LE(4, 60);
  file.writeUInt16LE(3, 62);
  // One loaded segment from the start of the file.
  file.writeUInt32LE(1, 64);
  file.writeBigUInt64LE(base, 64 + 16);
  file.writeBigUInt64LE(0x800n, 64 + 32);
  file.writeBigUInt64LE(0x1000n, 64 + 40);
  // The runtime: cookie, version, free-threaded.
  file.write('xdebugpy', DATA, 'latin1');
  file.writeBigUInt64LE(BigInt(version), DATA + 8);
  file.writeBigUInt64LE(freeThreaded ? 1n : 0n, DATA + 16);
  file.writeUInt32LE(version, DATA + 64);
  const names = '\0_PyRuntime\0Py_Version\0.PyRuntime\0time_sleep\0';
  file.write(names, STRINGS, 'latin1');
  const symbol = (index: number, name: string, section: number, address: bigint, size: bigint): void => {
    const at = TABLE + index * 24;
    file.writeUInt32LE(names.indexOf(`\0${name}\0`) + 1, at);
    file.writeUInt16LE(section, at + 6);
    file.writeBigUInt64LE(address, at + 8);
    file.writeBigUInt64LE(size, at + 16);
  };
  // First a mere use of the symbol, which must be skipped.
  symbol(1, '_PyRuntime', 0, 0n, 0n);
  symbol(2, '_PyRuntime', 2, base + RUNTIME_OFFSET, RUNTIME_SIZE);
  symbol(3, 'Py_Version', 2, base + RUNTIME_OFFSET + 64n, 8n);
  symbol(4, 'time_sleep', 1, base + CODE, CODE_SIZE);
  file[TABLE + 4 * 24 + 4] = 0x12;
  const section = (
    index: number,
    name: string,
    kind: number,
    address: bigint,
    offset: number,
    size: number,
  ): void => {
    const at = SECTIONS + index * 64;
    file.writeUInt32LE(name === '' ? 0 : names.indexOf(`\0${name}\0`) + 1, at);
    file.writeUInt32LE(kind, at + 4);
    file.writeBigUInt64LE(address, at + 16);
    file.writeBigUInt64LE(BigInt(offset), at + 24);
    file.writeBigUInt64LE(BigInt(size), at + 32);
    file.writeUInt32LE(3, at + 40);
  };
  const kind = { dynsym: 11, symtab: 2, stripped: 0 }[symbols];
  section(1, '', kind, 0n, TABLE, 5 * 24);
  section(2, '.PyRuntime', 1, base + RUNTIME_OFFSET, DATA, Number(RUNTIME_SIZE));
  section(3, '', 3, 0n, STRINGS, names.length);
  return file;
}

interface Mapped {
  readonly path: string;
  readonly start: bigint;
  readonly deleted?: 'map_files' | 'gone';
}

/** A process that has the file loaded at an address. */
function processWith(file: Buffer, { path, start, deleted }: Mapped): { proc: string; target: Target } {
  const proc = procTree([{ pid: 27, ppid: 1, args: ['python3'] }]);
  const live = join(proc, '27/root', path);
  mkdirSync(dirname(live), { recursive: true });
  writeFileSync(live, file);
  let inode = statSync(live).ino;
  const range = `${start.toString(16)}-${(start + 0x1000n).toString(16)}`;
  if (deleted !== undefined) {
    // Replaced by another version under the same name, as an upgrade does.
    if (deleted === 'map_files') {
      const kept = join(scratch(), 'file');
      writeFileSync(kept, file);
      inode = statSync(kept).ino;
      mkdirSync(join(proc, '27/map_files'));
      symlinkSync(kept, join(proc, '27/map_files', range));
      writeFileSync(live, elfFile({ type: 'dyn', symbols: 'dynsym', base: 0x9000n }));
    } else {
      rmSync(live);
    }
  }
  const mark = deleted === undefined ? '' : ' (deleted)';
  symlinkSync('/usr/bin/python3.13', join(proc, '27/exe'));
  writeFileSync(join(proc, '27/maps'), `${range} r--p 00000000 08:01 ${inode} ${path}${mark}\n`);
  return { proc, target: findTarget({ pid: 27, selfPid: 1, proc }) };
}

const LIBRARY = '/opt/lib/libpython3.13.so.1.0';
const PROGRAM = '/usr/bin/python3.13';

describe('the name of code in a process', () => {
  const start = 0x7f00_0000_0000n;
  const names = (symbols: Layout['symbols'], base = 0n): readonly unknown[] => {
    const { proc } = processWith(elfFile({ type: 'dyn', symbols, base }), { path: LIBRARY, start });
    return [CODE, CODE + CODE_SIZE - 1n, CODE + CODE_SIZE, RUNTIME_OFFSET].map((at) =>
      codeName(27, start + at, proc),
    );
  };
  const named = { file: LIBRARY, symbol: 'time_sleep' };

  it('is that of the function around it, and never that of one before it or of data', () => {
    expect(names('dynsym')).toEqual([named, named, { file: LIBRARY }, { file: LIBRARY }]);
    expect(names('symtab', 0x4000n)).toEqual([named, named, { file: LIBRARY }, { file: LIBRARY }]);
  });

  it('is its file where that has no names, and nothing where there is no file', () => {
    expect(names('stripped')).toEqual(Array.from({ length: 4 }, () => ({ file: LIBRARY })));
    const { proc } = processWith(elfFile({ type: 'dyn', symbols: 'dynsym', base: 0n }), {
      path: LIBRARY,
      start,
    });
    expect(codeName(27, start - 1n, proc)).toBeUndefined();
    expect(codeName(28, start, proc)).toBeUndefined();
  });
});

describe('where the interpreter keeps its GIL', () => {
  it.each([
    ['a library', LIBRARY, 'dyn', 'dynsym', 0n, 0x7f00_0000_0000n, 0x7f00_0000_0200n],
    [
      'a library linked to an address of its own',
      LIBRARY,
      'dyn',
      'dynsym',
      0x4000n,
      0x7f00_0000_0000n,
      0x7f00_0000_0200n,
    ],
    ['a program at a fixed address', PROGRAM, 'exec', 'dynsym', 0x40_0000n, 0x40_0000n, 0x40_0200n],
    ['a program loaded anywhere', PROGRAM, 'dyn', 'dynsym', 0n, 0x5555_0000_0000n, 0x5555_0000_0200n],
    ['a program that exports nothing', PROGRAM, 'dyn', 'symtab', 0n, 0x5555_0000_0000n, 0x5555_0000_0200n],
    ['a stripped program', PROGRAM, 'dyn', 'stripped', 0n, 0x5555_0000_0000n, 0x5555_0000_0200n],
  ] as const)('%s', (_, path, type, symbols, base, start, expected) => {
    const { proc, target } = processWith(elfFile({ type, symbols, base }), { path, start });
    expect(findGilRange(target, proc)).toEqual({ start: expected, end: expected + RUNTIME_SIZE, file: path });
  });

  it('reads the file that is loaded, not the one that replaced it', () => {
    const file = elfFile({ type: 'dyn', symbols: 'dynsym', base: 0n });
    const { proc, target } = processWith(file, {
      path: LIBRARY,
      start: 0x7f00_0000_0000n,
      deleted: 'map_files',
    });
    expect(findGilRange(target, proc)?.start).toBe(0x7f00_0000_0200n);
    expect(target.runtimeVersion).toBe('3.13.1');
  });

  it('is unknown when the loaded file cannot be reached any more', () => {
    const file = elfFile({ type: 'dyn', symbols: 'dynsym', base: 0n });
    const { proc, target } = processWith(file, { path: LIBRARY, start: 0x7f00_0000_0000n, deleted: 'gone' });
    expect(findGilRange(target, proc)).toBeUndefined();
    expect(target.runtimeVersion).toBe('3.13');
  });

  it('does not exist in a free-threaded build', () => {
    const file = elfFile({ type: 'dyn', symbols: 'dynsym', base: 0n, freeThreaded: true });
    const { proc, target } = processWith(file, { path: LIBRARY, start: 0x7f00_0000_0000n });
    expect(target.freeThreaded).toBe(true);
    expect(findGilRange(target, proc)).toBeUndefined();
    expect(pythonSupport(target)).toMatchObject({ id: 'python-free-threaded', level: 'blocker' });
  });
});

const open = (file: Buffer): unknown => {
  const path = join(scratch(), 'file');
  writeFileSync(path, file);
  return withElf(path, (elf) => elf.symbol('_PyRuntime')?.address ?? 'no symbol');
};

describe('hostile files', () => {
  const good = elfFile({ type: 'dyn', symbols: 'dynsym', base: 0n });

  it('are no reason to fail', () => {
    expect(open(good)).toBe(0x200n);
    expect(open(Buffer.alloc(0))).toBeUndefined();
    expect(open(Buffer.from('#!/bin/sh\n'))).toBeUndefined();
    expect(open(good.subarray(0, 0x450))).toBe('no symbol');
  });

  it.each([
    32,
    40,
    56,
    60,
    62,
    SECTIONS + 64 + 24,
    SECTIONS + 64 + 32,
    SECTIONS + 64 + 40,
    SECTIONS + 192 + 24,
    TABLE + 48,
  ])('with ones in the place of the field at %i', (at) => {
    const forged = Buffer.from(good);
    forged.fill(0xff, at, at + 4);
    expect(['no symbol', 0x200n]).toContain(open(forged));
  });
});

it('writes versions as Python does', () => {
  expect([0x030b_07f0, 0x030d_00c2, 0x030e_00a1, 0x030e_00b4].map(versionOfConstant)).toEqual([
    '3.11.7',
    '3.13.0rc2',
    '3.14.0a1',
    '3.14.0b4',
  ]);
});

it('reads versions from file names only where they are whole', () => {
  const names = [
    '/usr/lib/libpython3.10.so.1.0',
    '/usr/lib/libpython3.6m.so',
    '/usr/bin/python3.13t',
    '/usr/bin/python3',
    '/bin/sh',
  ];
  expect(names.map(versionOfName)).toEqual(['3.10', '3.6', '3.13', undefined, undefined]);
});

const target = (more: Partial<Target>): Target => ({
  pid: 27,
  startTicks: 1,
  command: ['python3'],
  runtime: 'python',
  uid: 0,
  gid: 0,
  passedOver: [],
  ...more,
});

describe('which processes py-spy can read', () => {
  it.each([
    [{ runtimeVersion: '3.8.18' }, undefined],
    [{ runtimeVersion: '3.14.2' }, undefined],
    [{}, undefined],
    [{ runtimeVersion: '3.15.0a1' }, 'python-too-new'],
    [{ runtime: 'native', exe: '/opt/lidar_cpp' }, 'not-python'],
    [{ runtimeVersion: '3.13.1', freeThreaded: true }, 'python-free-threaded'],
  ] as const)('%o', (more, id) => {
    expect(pythonSupport(target(more))?.id).toBe(id);
  });

  it('names what a process runs that is not Python', () => {
    expect(pythonSupport(target({ runtime: 'native', exe: '/opt/lidar_cpp' }))?.what).toBe(
      'Process 27 is not a Python process: it runs /opt/lidar_cpp.',
    );
  });
});

it.each([
  ['/ws/lib/mujoco_bridge', 'mujoco'],
  ['roqsim', 'roqsim'],
  ['-m', undefined],
  ['mujoco_py_demo.py', 'mujoco_py'],
  ['/opt/run-pybullet.py', 'pybullet'],
  ['mujocoish', undefined],
  ['scarlatti.py', undefined],
])('reads the simulator in %s', (argument, name) => {
  expect(simulatorIn(['python3', argument], [])?.name).toBe(name);
});
