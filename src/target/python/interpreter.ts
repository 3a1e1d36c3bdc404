import { mappedFiles, withMappedElf, type MappedFile } from '../elf/mapped-file.js';
import type { Elf } from '../elf/elf.js';
import { baseName, type ProcExe } from '../proc/command.js';
import { PROC } from '../proc/file.js';
import type { MapRegion } from '../proc/maps.js';

/** What can be told of a CPython from outside, without stopping it. */
export interface PythonFacts {
  /** `3.11.7`; `3.11` where only a file name tells; absent where nothing does. */
  readonly version?: string;
  readonly freeThreaded?: boolean;
}

const LIBRARY = /^libpython(\d+\.\d+)[a-z]*\.so/;
const PROGRAM = /^(?:python|pypy)(\d+(?:\.\d+)?)?([a-z]*)(?:[.-](?:real|bin))?$/;

/** `python3.11`, `python`, `python3.13t`, with or without a folder. */
export function isPythonProgram(path: string): boolean {
  return PROGRAM.test(baseName(path));
}

export function isPythonLibrary(path: string): boolean {
  return LIBRARY.test(baseName(path));
}

/** Loaded files that can hold the interpreter: the library first, which a `python` linked to it leaves empty. */
export function interpreterFiles(
  pid: number,
  maps: readonly MapRegion[],
  exe: ProcExe | undefined,
): MappedFile[] {
  return [
    ...mappedFiles(pid, maps, isPythonLibrary),
    ...mappedFiles(pid, maps, (path) => path === exe?.path),
  ];
}

/** Version and build of the interpreter, read from its files; the process's memory is not touched. */
export function readPythonFacts(
  pid: number,
  maps: readonly MapRegion[],
  exe: ProcExe | undefined,
  proc: string = PROC,
): PythonFacts {
  for (const file of interpreterFiles(pid, maps, exe)) {
    const facts = withMappedElf(file, proc, (elf) => {
      const version = versionOfElf(elf, file.path);
      if (version === undefined) return undefined;
      return { version, freeThreaded: freeThreadedOfElf(elf, version) ?? freeThreadedName(file.path) };
    });
    if (facts !== undefined) return facts;
  }
  const names = [
    ...new Set(maps.flatMap((region) => region.path ?? [])),
    ...(exe === undefined ? [] : [exe.path]),
  ];
  const version = names.map(versionOfName).find((found) => found !== undefined);
  return version === undefined ? {} : { version, freeThreaded: names.some(freeThreadedName) };
}

/** `3.11` of `libpython3.11.so.1.0` or `python3.11`. */
export function versionOfName(path: string): string | undefined {
  const name = baseName(path);
  const version = LIBRARY.exec(name)?.[1] ?? PROGRAM.exec(name)?.[1];
  return version?.includes('.') === true ? version : undefined;
}

/** Free-threaded builds carry a `t` after the version: `libpython3.13t.so.1.0`, `python3.13t`. */
function freeThreadedName(path: string): boolean {
  return /^(?:lib)?python3\.\d+t/.test(baseName(path));
}

function versionOfElf(elf: Elf, path: string): string | undefined {
  const symbol = elf.symbol('Py_Version');
  const constant = symbol && elf.read(symbol.address, 4)?.readUInt32LE(0);
  if (constant !== undefined && constant >>> 24 >= 3) return versionOfConstant(constant);
  // Before 3.11 the version is only a C string, often the tail of a longer one, so the minor version must be known.
  const minor = versionOfName(path);
  const text = minor === undefined ? undefined : elf.section('.rodata')?.content()?.toString('latin1');
  if (minor === undefined || text === undefined) return undefined;
  const strings = text.matchAll(
    new RegExp(`(?<![\\d.])${minor.replace('.', '\\.')}\\.\\d+(?:(?:a|b|rc)\\d+)?\\+?(?=\\0)`, 'g'),
  );
  const found = new Set([...strings].map(([version]) => version));
  return found.size === 1 ? [...found][0] : undefined;
}

/** `PY_VERSION_HEX` as text: `0x030b07f0` is `3.11.7`, `0x030d00c2` is `3.13.0rc2`. */
export function versionOfConstant(constant: number): string {
  const level = { 0xa: 'a', 0xb: 'b', 0xc: 'rc' }[(constant >>> 4) & 0xf];
  const release = [24, 16, 8].map((shift) => (constant >>> shift) & 0xff).join('.');
  return level === undefined ? release : `${release}${level}${constant & 0xf}`;
}

/** From 3.13 on `_PyRuntime` begins with a cookie, its version and whether the build is free-threaded. */
function freeThreadedOfElf(elf: Elf, version: string): boolean | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major === 3 && minor < 13) return false;
  const symbol = elf.symbol('_PyRuntime');
  const head = symbol && elf.read(symbol.address, 24);
  return head?.toString('latin1', 0, 8) === 'xdebugpy' ? head.readBigUInt64LE(16) !== 0n : undefined;
}
