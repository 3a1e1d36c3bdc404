import type { Layout } from './layout.js';
import { lineTableOf } from './line-tables.js';
import { block, pointerAt, type Block, type Memory } from './memory.js';
import { isPlausible, type Objects } from './objects.js';

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
/** Instructions of a code object: more is none. */
const LARGEST = 1 << 22;

/** Both have `self` as their first variable. */
export type TaskRunner =
  /** `Handle._run`, which calls what the loop was given: a step of a task, or anything else. */
  | 'handle'
  /** Of a task in Python: the method that calls its coroutine. */
  | 'step';

/** Names of those methods, without their class, with the file they are in. */
const TASK_RUNNERS: ReadonlyMap<string, readonly [runner: TaskRunner, file: RegExp]> = new Map([
  ['_run', ['handle', /(?:^|\/)asyncio\/events\.py$/]],
  ['__step', ['step', /(?:^|\/)asyncio\/tasks\.py$/]],
  ['__step_run_and_handle_result', ['step', /(?:^|\/)asyncio\/tasks\.py$/]],
]);

export interface CodeObjects {
  /**
   * The code object at an address; undefined for what is none, or changes while it is read. `strict`: one that is young at this
   * address is compared with what is there, since code that is made and freed in a loop takes turns in one place. Throws where
   * memory is not readable.
   */
  at(address: number, nowMs: number, strict: boolean): Code | undefined;
  /** What asyncio runs tasks with, by the address of its code objects. */
  readonly taskRunners: ReadonlyMap<number, TaskRunner>;
  /** How many were read so far, those that took the place of another included. */
  readonly loaded: number;
  /** An instruction was not its own: it is read anew when it is met again. */
  forget(address: number): void;
  /** Until when a code object needs no check: stacks made of it may be taken for known. */
  goodUntil(address: number, nowMs: number, strict: boolean): number;
  /** Line of an instruction: 0 where the table has none. A frame that has not begun stands on the first line. */
  lineAt(code: Code, instruction: number): number;
}

export function codeObjects(memory: Memory, layout: Layout, minor: number, objects: Objects): CodeObjects {
  const { code: at, object, bytes } = layout;
  const { readText, readBytes } = objects;
  const linesOf = lineTableOf(minor);
  const known = new Map<number, Code>();
  const codeBlock = block(at.size);
  const instructionsBlock = block(bytes.data);

  /** Reads exactly that much, or says no. */
  const whole = (into: Block, length: number, address: number): boolean =>
    isPlausible(address) && memory.read(into, 0, length, address) === length;

  const readCode = (address: number): boolean =>
    whole(codeBlock, at.size, address) && objects.isNamed(pointerAt(codeBlock.words, object.type), 'code');

  const readInstructions = (): number => {
    if (at.instructionsObject === undefined) return pointerAt(codeBlock.words, object.length);
    const address = pointerAt(codeBlock.words, at.instructionsObject);
    return whole(instructionsBlock, bytes.data, address)
      ? pointerAt(instructionsBlock.words, object.length) / 2
      : -1;
  };

  const nameField = at.qualifiedName ?? at.name;
  const names = new Map<string, CodeName>();
  const taskRunners = new Map<number, TaskRunner>();
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
      if (loaded === undefined) return undefined;
      known.set(address, loaded);
      const runner = taskRunnerOf(loaded.name);
      if (runner !== undefined) taskRunners.set(address, runner);
      else if (taskRunners.size > 0) taskRunners.delete(address);
      return loaded;
    },
    taskRunners,
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

function taskRunnerOf({ name, file }: CodeName): TaskRunner | undefined {
  const found = TASK_RUNNERS.get(name.slice(name.lastIndexOf('.') + 1));
  return found?.[1].test(file) === true ? found[0] : undefined;
}
