import type { Layout } from './layout.js';
import { lineTableOf } from './line-tables.js';
import { block, pointerAt, type Block, type Memory } from './memory.js';

/** What a function is called; code objects that agree in it are one function in the file. */
export interface CodeName {
  /** Counts up from 0, in order of first sight. */
  readonly index: number;
  /** Qualified where the version has it (3.11), else the plain name. */
  readonly name: string;
  readonly file: string;
  readonly firstLine: number;
}

/** A code object at an address, as it was when it was last looked at. */
export interface Code {
  /** Another one for every code object that was ever met. */
  readonly serial: number;
  readonly name: CodeName;
  /** Address of the first instruction from 3.11 on; 0 before, where frames count from there. */
  readonly start: number;
  /** First address behind the instructions. */
  readonly end: number;
  /** Belongs to the interpreter: no Python code of anybody. */
  readonly shim: boolean;
  readonly identity: Identity;
  readonly lineTable: Buffer;
  lines: Int32Array | undefined;
  /** When it was first seen at this address, and last found to be the same. */
  readonly bornMs: number;
  checkedMs: number;
}

/** What tells that another code object took an address: where its parts are, and what they hold. */
interface Identity {
  readonly namePointer: number;
  readonly filePointer: number;
  readonly linesPointer: number;
  readonly firstLine: number;
  readonly instructions: number;
  readonly nameHash: number;
}

/** A code object that has stayed for this long is checked this often. */
const SETTLED_MS = 1000;
/** A younger one when it has become older by this part; where names must be right, whenever it is asked for. */
const YOUNG_PART = 1 / 8;
/** Instructions of a code object, bytes of a line table or characters of a name: more is no such thing. */
const LARGEST = 1 << 22;
const LONGEST_NAME = 4096;
const FIRST_BYTES = 512;

export interface CodeObjects {
  /**
   * The code object at an address; undefined for what is none, or changes while it is read. `strict`: one that is young at this
   * address is compared with what is there, since code that is made and freed in a loop takes turns in one place. Throws where
   * memory is not readable.
   */
  at(address: number, nowMs: number, strict: boolean): Code | undefined;
  /** How many were read so far, those that took the place of another included. */
  readonly loaded: number;
  /** An instruction was not its own: it is read anew when it is met again. */
  forget(address: number): void;
  /** Until when a code object needs no check: stacks made of it may be taken for known. */
  goodUntil(address: number, nowMs: number, strict: boolean): number;
  /** Line of an instruction: 0 where the table has none. A frame that has not begun stands on the first line. */
  lineAt(code: Code, instruction: number): number;
}

/** Types that objects have, learned by their names: a pointer to anything else is no such object. */
export interface TypeNames {
  isNamed(type: number, name: string): boolean;
}

export function typeNames(memory: Memory, layout: Layout): TypeNames {
  const known = new Map<string, number>();
  const header = block(64);
  return {
    isNamed(type, name) {
      const same = known.get(name);
      if (same !== undefined) return type === same;
      if (!isPlausible(type)) return false;
      if (memory.read(header, 0, 8, type + layout.object.typeName) < 8) return false;
      const address = pointerAt(header.words, 0);
      if (address === 0 || memory.read(header, 0, name.length + 1, address) <= name.length) return false;
      if (header.bytes.toString('latin1', 0, name.length + 1) !== `${name}\0`) return false;
      known.set(name, type);
      return true;
    },
  };
}

/** Whether an address can be that of an object: aligned, in user space, not the first page. */
export function isPlausible(address: number): boolean {
  return address >= 4096 && address < 0x1_0000_0000_0000 && address % 8 === 0;
}

export function codeObjects(memory: Memory, layout: Layout, minor: number): CodeObjects {
  const { code: at, object, text, bytes } = layout;
  const linesOf = lineTableOf(minor);
  const types = typeNames(memory, layout);
  const known = new Map<number, Code>();
  const codeBlock = block(at.size);
  const textBlock = block(FIRST_BYTES);

  /** Reads exactly that much, or says no. */
  const whole = (into: Block, length: number, address: number): boolean =>
    isPlausible(address) && memory.read(into, 0, length, address) === length;

  const readCode = (address: number): boolean =>
    whole(codeBlock, at.size, address) && types.isNamed(pointerAt(codeBlock.words, object.type), 'code');

  const readInstructions = (): number => {
    if (at.instructionsObject === undefined) return pointerAt(codeBlock.words, object.length);
    const address = pointerAt(codeBlock.words, at.instructionsObject);
    return whole(textBlock, bytes.data, address) ? pointerAt(textBlock.words, object.length) / 2 : -1;
  };

  /** Characters and hash of a `str`; the hash of a name is computed when it is interned. */
  const readText = (address: number): { readonly value: string; readonly hash: number } | undefined => {
    if (!isPlausible(address)) return undefined;
    const count = memory.read(textBlock, 0, FIRST_BYTES, address);
    if (count < text.compact || !types.isNamed(pointerAt(textBlock.words, object.type), 'str'))
      return undefined;
    const length = pointerAt(textBlock.words, text.length);
    const state = textBlock.words[text.state >> 2]!;
    // interned: 2 bits, kind: 3, compact: 1, ascii: 1.
    const kind = (state >> 2) & 7;
    const data = (state & 64) === 0 ? text.compact : text.ascii;
    if ((state & 32) === 0 || ![1, 2, 4].includes(kind) || length > LARGEST) return undefined;
    const hash = textBlock.words[text.hash >> 2]!;
    const wanted = Math.min(length, LONGEST_NAME) * kind;
    const here = data + wanted <= count;
    const content = here ? textBlock : block(wanted);
    if (!here && memory.read(content, 0, wanted, address + data) < wanted) return undefined;
    return { value: decode(content.bytes, here ? data : 0, wanted, kind), hash };
  };

  const readBytes = (address: number): Buffer | undefined => {
    if (!isPlausible(address)) return undefined;
    const count = memory.read(textBlock, 0, FIRST_BYTES, address);
    if (count < bytes.data || !types.isNamed(pointerAt(textBlock.words, object.type), 'bytes'))
      return undefined;
    const length = pointerAt(textBlock.words, object.length);
    if (length > LARGEST) return undefined;
    if (bytes.data + length <= count)
      return Buffer.from(textBlock.bytes.subarray(bytes.data, bytes.data + length));
    const content = block(length);
    return memory.read(content, 0, length, address + bytes.data) < length ? undefined : content.bytes;
  };

  const nameField = at.qualifiedName ?? at.name;
  const names = new Map<string, CodeName>();
  let serial = 0;

  const nameOf = (name: string, file: string, firstLine: number): CodeName => {
    const key = `${firstLine}\0${name}\0${file}`;
    const same = names.get(key);
    if (same !== undefined) return same;
    const added = { index: names.size, name, file, firstLine };
    names.set(key, added);
    return added;
  };

  const sameFields = (identity: Identity, instructions: number): boolean =>
    pointerAt(codeBlock.words, nameField) === identity.namePointer &&
    pointerAt(codeBlock.words, at.file) === identity.filePointer &&
    pointerAt(codeBlock.words, at.lineTable) === identity.linesPointer &&
    codeBlock.words[at.firstLine >> 2] === identity.firstLine &&
    instructions === identity.instructions;

  const load = (address: number, nowMs: number): Code | undefined => {
    if (!readCode(address)) return undefined;
    const namePointer = pointerAt(codeBlock.words, nameField);
    const filePointer = pointerAt(codeBlock.words, at.file);
    const linesPointer = pointerAt(codeBlock.words, at.lineTable);
    const firstLine = codeBlock.words[at.firstLine >> 2]!;
    const instructions = readInstructions();
    if (!(instructions >= 0 && instructions < LARGEST)) return undefined;
    const name = readText(namePointer);
    const file = readText(filePointer);
    const lineTable = readBytes(linesPointer);
    if (name === undefined || file === undefined || lineTable === undefined) return undefined;
    const identity = {
      namePointer,
      filePointer,
      linesPointer,
      firstLine,
      instructions,
      nameHash: name.hash,
    };
    // Its parts were read after it: it must still be what it was.
    if (!readCode(address) || !sameFields(identity, readInstructions())) return undefined;
    const start = at.instructions === undefined ? 0 : address + at.instructions;
    serial += 1;
    return {
      serial,
      name: nameOf(name.value, file.value, firstLine),
      start,
      end: start + instructions * 2,
      shim: filePointer === pointerAt(codeBlock.words, at.name) || file.value === '<shim>',
      identity,
      lineTable,
      lines: undefined,
      bornMs: nowMs,
      checkedMs: nowMs,
    };
  };

  /** Pointers may come again when objects are made and freed in a loop, so what they point to is looked at, too. */
  const isSame = (address: number, { identity, lineTable, name }: Code): boolean => {
    if (!readCode(address) || !sameFields(identity, readInstructions())) return false;
    const nowName = readText(identity.namePointer);
    if (nowName?.hash !== identity.nameHash || nowName.value !== name.name) return false;
    if (readText(identity.filePointer)?.value !== name.file) return false;
    return readBytes(identity.linesPointer)?.equals(lineTable) === true;
  };

  return {
    at(address, nowMs, strict) {
      const code = known.get(address);
      if (code !== undefined) {
        if (nowMs === code.checkedMs || nowMs < dueMs(code, strict)) return code;
        if (isSame(address, code)) {
          code.checkedMs = nowMs;
          return code;
        }
        known.delete(address);
      }
      const loaded = load(address, nowMs);
      if (loaded !== undefined) known.set(address, loaded);
      return loaded;
    },
    get loaded() {
      return serial;
    },
    forget: (address) => known.delete(address),
    goodUntil(address, nowMs, strict) {
      const code = known.get(address);
      return code === undefined ? nowMs : dueMs(code, strict);
    },
    lineAt(code, instruction) {
      const index = (instruction - code.start) >> 1;
      if (index < 0) return code.name.firstLine;
      code.lines ??= linesOf(code.lineTable, code.name.firstLine, (code.end - code.start) / 2);
      return code.lines[index] ?? 0;
    },
  };
}

/** When a code object is to be checked. */
function dueMs({ bornMs, checkedMs }: Code, strict: boolean): number {
  const age = checkedMs - bornMs;
  if (age >= SETTLED_MS) return checkedMs + SETTLED_MS;
  return strict ? checkedMs : checkedMs + age * YOUNG_PART;
}

/** Characters of a `str`, `kind` bytes each. */
export function decode(bytes: Buffer, start: number, length: number, kind: number): string {
  if (kind === 1) return bytes.toString('latin1', start, start + length);
  if (kind === 2) return bytes.toString('utf16le', start, start + length);
  let value = '';
  for (let at = start; at < start + length; at += 4) {
    const point = bytes.readUInt32LE(at);
    value += point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd';
  }
  return value;
}
