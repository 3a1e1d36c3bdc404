// ELF, 64 bit little endian, as far as a symbol's address needs it: System V gABI, chapters 4 and 5.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

export interface ElfSymbol {
  readonly address: bigint;
  readonly size: bigint;
}

export interface ElfSegment {
  readonly offset: bigint;
  readonly address: bigint;
  readonly fileSize: bigint;
  readonly memorySize: bigint;
}

interface Section {
  readonly name: string;
  readonly type: number;
  readonly address: bigint;
  readonly offset: bigint;
  readonly size: bigint;
  readonly link: number;
}

/** One opened file. Everything in it is hostile: what does not fit is absent. */
export interface Elf {
  /** `fixed`: linked to its own address (ET_EXEC). `moved`: loaded anywhere (ET_DYN: libraries, PIE). */
  readonly placement: 'fixed' | 'moved';
  readonly inode: number;
  /** Parts that are loaded. */
  readonly segments: readonly ElfSegment[];
  symbol(name: string): ElfSymbol | undefined;
  /** Functions of that name, and the copies that a compiler made of it for some of its callers: `name.constprop.0`, `name.isra.0`. */
  copies(name: string): readonly ElfSymbol[];
  /** Name of the function that holds an address of the file. */
  functionAt(address: bigint): string | undefined;
  section(
    name: string,
  ): { readonly address: bigint; readonly size: bigint; content(): Buffer | undefined } | undefined;
  /** Initial content at an address of the file. */
  read(address: bigint, length: number): Buffer | undefined;
}

const ET_EXEC = 2;
const ET_DYN = 3;
const PT_LOAD = 1;
const SHT_SYMTAB = 2;
const SHT_NOBITS = 8;
const SHT_DYNSYM = 11;
const STT_FUNC = 2;
const SEGMENT_BYTES = 56;
const SECTION_BYTES = 64;
const SYMBOL_BYTES = 24;
/** Larger than any table of a real interpreter; a forged header must not make us allocate more. */
const LARGEST_PART = 128 * 1024 * 1024;

/** Calls `use` with the file at `path`; `undefined` when it cannot be opened or is no 64 bit little endian ELF file. */
export function withElf<T>(path: string, use: (elf: Elf) => T): T | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return undefined;
  }
  try {
    const elf = parseElf(file);
    return elf === undefined ? undefined : use(elf);
  } finally {
    closeSync(file);
  }
}

function parseElf(file: number): Elf | undefined {
  const info = fstatSync(file);
  const bytes = (offset: bigint, length: bigint): Buffer | undefined => {
    if (length < 0n || length > LARGEST_PART || offset < 0n || offset + length > BigInt(info.size))
      return undefined;
    const buffer = Buffer.alloc(Number(length));
    return readSync(file, buffer, 0, buffer.length, offset) === buffer.length ? buffer : undefined;
  };
  const header = bytes(0n, 64n);
  if (header === undefined || header.toString('latin1', 0, 6) !== '\x7fELF\x02\x01') return undefined;
  const type = header.readUInt16LE(16);
  if (type !== ET_EXEC && type !== ET_DYN) return undefined;
  const segments = readSegments(header, bytes);
  const sections = readSections(header, bytes);
  const content = (section: Section): Buffer | undefined =>
    section.type === SHT_NOBITS ? undefined : bytes(section.offset, section.size);

  /** What the first table that has it gives: the dynamic symbols, then the full table of an unstripped file. */
  const searchTables = <T>(search: (table: Buffer, strings: Buffer) => T | undefined): T | undefined => {
    for (const kind of [SHT_DYNSYM, SHT_SYMTAB])
      for (const table of sections.filter((section) => section.type === kind)) {
        const symbols = content(table);
        const linked = sections[table.link];
        const strings = linked && content(linked);
        const found = symbols && strings && search(symbols, strings);
        if (found !== undefined) return found;
      }
    return undefined;
  };

  return {
    placement: type === ET_EXEC ? 'fixed' : 'moved',
    inode: info.ino,
    segments,
    symbol: (name) => searchTables((table, strings) => searchSymbols(table, strings, name)),
    copies: (name) => searchTables((table, strings) => copiesOf(table, strings, name)) ?? [],
    functionAt: (address) => searchTables((table, strings) => functionOf(table, strings, address)),
    section(name) {
      const section = sections.find((candidate) => candidate.name === name);
      return section && { address: section.address, size: section.size, content: () => content(section) };
    },
    read(address, length) {
      const end = address + BigInt(length);
      const home = segments.find((part) => address >= part.address && end <= part.address + part.fileSize);
      return home && bytes(home.offset + address - home.address, BigInt(length));
    },
  };
}

type ReadBytes = (offset: bigint, length: bigint) => Buffer | undefined;

function readSegments(header: Buffer, bytes: ReadBytes): ElfSegment[] {
  const count = header.readUInt16LE(56);
  const table = bytes(header.readBigUInt64LE(32), BigInt(count * SEGMENT_BYTES));
  const segments: ElfSegment[] = [];
  if (table === undefined) return segments;
  for (let at = 0; at < table.length; at += SEGMENT_BYTES) {
    if (table.readUInt32LE(at) !== PT_LOAD) continue;
    segments.push({
      offset: table.readBigUInt64LE(at + 8),
      address: table.readBigUInt64LE(at + 16),
      fileSize: table.readBigUInt64LE(at + 32),
      memorySize: table.readBigUInt64LE(at + 40),
    });
  }
  return segments;
}

function readSections(header: Buffer, bytes: ReadBytes): Section[] {
  const count = header.readUInt16LE(60);
  const table = bytes(header.readBigUInt64LE(40), BigInt(count * SECTION_BYTES));
  if (table === undefined) return [];
  const raw = Array.from({ length: count }, (_, index) => index * SECTION_BYTES).map((at) => ({
    nameAt: table.readUInt32LE(at),
    type: table.readUInt32LE(at + 4),
    address: table.readBigUInt64LE(at + 16),
    offset: table.readBigUInt64LE(at + 24),
    size: table.readBigUInt64LE(at + 32),
    link: table.readUInt32LE(at + 40),
  }));
  const namesSection = raw[header.readUInt16LE(62)];
  const names = namesSection && bytes(namesSection.offset, namesSection.size);
  return raw.map(({ nameAt, ...section }) => ({ name: textAt(names, nameAt), ...section }));
}

function textAt(strings: Buffer | undefined, at: number): string {
  if (strings === undefined || at >= strings.length) return '';
  const end = strings.indexOf(0, at);
  return strings.toString('latin1', at, end < 0 ? strings.length : end);
}

function searchSymbols(table: Buffer, strings: Buffer, name: string): ElfSymbol | undefined {
  const wanted = Buffer.from(`${name}\0`, 'latin1');
  for (let at = 0; at + SYMBOL_BYTES <= table.length; at += SYMBOL_BYTES) {
    const nameAt = table.readUInt32LE(at);
    if (nameAt + wanted.length > strings.length) continue;
    if (strings.compare(wanted, 0, wanted.length, nameAt, nameAt + wanted.length) !== 0) continue;
    // Section index 0: the symbol is only used here, another file defines it.
    if (table.readUInt16LE(at + 6) === 0) continue;
    return { address: table.readBigUInt64LE(at + 8), size: table.readBigUInt64LE(at + 16) };
  }
  return undefined;
}

const COPY = /^\.(?:constprop|isra)\.\d+$/;

/** Undefined where there are none. */
function copiesOf(table: Buffer, strings: Buffer, name: string): readonly ElfSymbol[] | undefined {
  const wanted = Buffer.from(name, 'latin1');
  const found: ElfSymbol[] = [];
  for (let at = 0; at + SYMBOL_BYTES <= table.length; at += SYMBOL_BYTES) {
    if ((table.readUInt8(at + 4) & 0xf) !== STT_FUNC || table.readUInt16LE(at + 6) === 0) continue;
    const nameAt = table.readUInt32LE(at);
    const end = nameAt + wanted.length;
    if (end >= strings.length || strings.compare(wanted, 0, wanted.length, nameAt, end) !== 0) continue;
    const rest = textAt(strings, end);
    if (rest === '' || COPY.test(rest))
      found.push({ address: table.readBigUInt64LE(at + 8), size: table.readBigUInt64LE(at + 16) });
  }
  return found.length === 0 ? undefined : found;
}

function functionOf(table: Buffer, strings: Buffer, address: bigint): string | undefined {
  for (let at = 0; at + SYMBOL_BYTES <= table.length; at += SYMBOL_BYTES) {
    if ((table.readUInt8(at + 4) & 0xf) !== STT_FUNC) continue;
    const start = table.readBigUInt64LE(at + 8);
    if (address < start || address >= start + table.readBigUInt64LE(at + 16)) continue;
    return textAt(strings, table.readUInt32LE(at));
  }
  return undefined;
}
