/**
 * Names of asyncio's tasks: which task runs in a stack is not in the stack. `Handle._run` has the handle as its first variable, the handle
 * what it calls, that the task, and the task its coroutine and its name, one behind the other. No header says where a C task has
 * them: a task counts whose coroutine has the very frame that stands in the stack, and by that its place is found, too.
 */
import type { TaskRunner } from './code-objects.js';
import type { Layout } from './layout.js';
import { block, pointerAt, type Memory } from './memory.js';
import type { ObjectLayout } from './object-layout.js';
import { isPlausible } from './objects.js';
import { AT_ONCE, pythonObjects, valueAddress } from './python-objects.js';
import type { StackCopy } from './stack-copy.js';

export interface TaskLabels {
  /** Says in the copy what the task that runs in it is called, and which frame is the outermost of its coroutine. Throws nothing. */
  mark(copy: StackCopy): void;
  /** Labels are counted anew. */
  beginFile(): void;
}

/** Different labels in one file: each has a part of the stack tree of its own. */
export const MOST_LABELS = 1000;
/** Characters of a task's name that are shown. */
export const LONGEST_NAME = 200;

/** `_args` and `_callback` are the first of the slots of a handle, which are in the order of their names. */
const CALLBACK = 24;
const HANDLE_BYTES = CALLBACK + 8;
/** Of what is called: the task of a C task's step and wake-up (3.8); `self` of a function in C, as the wake-up is from 3.9 on. */
const STEP_TASK = 16;
const FUNCTION_SELF = 24;
const CALLED_BYTES = 32;
/** What an object begins with. */
const HEAD = 16;
/** Bytes of a C task: 144 to 192, more in a class made of it. */
const MOST_TASK_BYTES = 256;
/** Frames between `Handle._run` and the coroutine: those of tasks in Python, and none for others. */
const MOST_BETWEEN = 4;
const MOST_BASES = 16;
const MOST_TYPES = 256;
/** Tasks that are remembered by the frame of their coroutine. */
const MOST_TASKS = 1024;
/** Looks at attributes of tasks that may fail to show where their names are. */
const MOST_LESSONS = 8;

/** What asyncio calls a task that was given no name; from 3.12 on that is a number until somebody asks. */
const DEFAULT_NAME = /^Task-\d+$/;
// eslint-disable-next-line no-control-regex
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/** Types that matter here. */
type Kind = 'task' | 'step' | 'function' | 'other';
const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['TaskStepMethWrapper', 'step'],
  ['TaskWakeupMethWrapper', 'step'],
  ['builtin_function_or_method', 'function'],
]);

/** The marker for a task's name; undefined for names that asyncio itself gives: there may be one for each message. */
export function taskLabel(name: string): string | undefined {
  if (name === '' || DEFAULT_NAME.test(name)) return undefined;
  const characters = Array.from(name.slice(0, 2 * LONGEST_NAME));
  const cut = name.length > 2 * LONGEST_NAME || characters.length > LONGEST_NAME;
  const shown = `${characters.slice(0, LONGEST_NAME).join('')}${cut ? '…' : ''}`;
  // `;` ends a frame where stacks are lines of text.
  return `<task ${shown.replaceAll(UNPRINTABLE, '\ufffd').replaceAll(';', ':')}>`;
}

export function taskLabels(
  memory: Memory,
  layout: Layout,
  at: ObjectLayout,
  runners: ReadonlyMap<number, TaskRunner>,
): TaskLabels {
  const { frame: frameAt, object } = layout;
  const { type: typeAt, generator } = at;
  const objects = pythonObjects(memory, layout, at);
  const codeMask = layout.taggedCode === true ? ~3 : ~0;
  const shortBlock = block(32);
  const taskBlock = block(MOST_TASK_BYTES);
  const nameBlock = block(64);
  const kinds = new Map<number, Kind>();
  /** Task by the address of its coroutine's frame: a guess, as both are made and freed all the time. */
  const tasks = new Map<number, number>();
  const labels = new Set<string>();
  /** Where in a C task its coroutine is; 0 until it was found. */
  let coroutineField = 0;
  let attributeKeys: { readonly coroutine: number; readonly name: number } | undefined;
  let lessons = 0;

  const pointer = (address: number): number =>
    isPlausible(address) && memory.read(shortBlock, 0, 8, address) === 8 ? pointerAt(shortBlock.words, 0) : 0;

  const read = (length: number, address: number): boolean =>
    isPlausible(address) && memory.read(shortBlock, 0, length, address) === length;

  const typeName = (type: number): string => {
    const address = pointer(type + object.typeName);
    if (address === 0) return '';
    const count = memory.read(nameBlock, 0, 64, address);
    return nameBlock.bytes.toString('latin1', 0, count).split('\0', 1)[0] ?? '';
  };

  const kindOf = (type: number): Kind => {
    const known = kinds.get(type);
    if (known !== undefined) return known;
    let kind: Kind = 'other';
    if (isPlausible(type)) {
      const name = typeName(type);
      kind = KINDS.get(name.slice(name.lastIndexOf('.') + 1)) ?? 'other';
      let base = kind === 'other' ? type : 0;
      for (let step = 0; base !== 0 && step < MOST_BASES; step += 1) {
        if (typeName(base) === '_asyncio.Task') kind = 'task';
        base = kind === 'task' ? 0 : pointer(base + typeAt.base);
      }
    }
    if (kinds.size >= MOST_TYPES) kinds.clear();
    kinds.set(type, kind);
    return kind;
  };

  /** Whether the frame is that of a coroutine. */
  const isFrameOf = (frame: number, coroutine: number): boolean =>
    generator.ownFrame === undefined
      ? pointer(coroutine + (generator.frame ?? 0)) === frame
      : coroutine + generator.ownFrame === frame;

  /** First variable of a frame that was copied; 0 where it was not. */
  const selfOf = ({ offset, used, memory: copied }: StackCopy, index: number): number => {
    const field = offset[index]! + frameAt.locals;
    if (field + 8 > used) return 0;
    const self = pointerAt(copied.words, field);
    return layout.taggedCode === true ? self - (self % 8) : self;
  };

  /** Which frame of a stack is that of a coroutine, looked for below `Handle._run` or a task's step; -1: none. */
  const frameOf = (copy: StackCopy, runner: number, coroutine: number): number => {
    for (let index = runner - 1; index >= 0 && index >= runner - MOST_BETWEEN; index -= 1)
      if (isFrameOf(copy.frame[index]!, coroutine)) return index;
    return -1;
  };

  /** Still the task's name, and still the same function in the frame: what was read is of the stack. */
  const isStill = (copy: StackCopy, index: number, nameField: number, name: number): boolean => {
    if (pointer(nameField) !== name || !read(8, copy.frame[index]! + frameAt.code)) return false;
    const [low, high] = [shortBlock.words[0]!, shortBlock.words[1]!];
    return ((low & codeMask) >>> 0) + high * 0x1_0000_0000 === copy.code[index];
  };

  const markWith = (copy: StackCopy, index: number, nameField: number, name: number): void => {
    const text = objects.text(name);
    const label = text === undefined ? undefined : taskLabel(text);
    if (label === undefined || (!labels.has(label) && labels.size >= MOST_LABELS)) return;
    if (!isStill(copy, index, nameField, name)) return;
    labels.add(label);
    copy.labelled = index;
    copy.label = label;
  };

  /** Reads a C task; the index of its frame in the stack, -1 where it is not the task of this stack. */
  const readTask = (copy: StackCopy, runner: number, task: number): number => {
    if (!isPlausible(task)) return -1;
    const count = memory.read(taskBlock, 0, MOST_TASK_BYTES, task);
    if (count < HEAD || kindOf(pointerAt(taskBlock.words, object.type)) !== 'task') return -1;
    if (coroutineField > 0) return frameOf(copy, runner, pointerAt(taskBlock.words, coroutineField));
    for (let field = HEAD; field + 16 <= count; field += 8) {
      const value = pointerAt(taskBlock.words, field);
      const index = isPlausible(value) ? frameOf(copy, runner, value) : -1;
      if (index < 0) continue;
      coroutineField = field;
      return index;
    }
    return -1;
  };

  const markTask = (copy: StackCopy, runner: number, task: number): boolean => {
    const index = readTask(copy, runner, task);
    if (index < 0) return false;
    if (tasks.size >= MOST_TASKS) tasks.clear();
    tasks.set(copy.frame[index]!, task);
    const name = pointerAt(taskBlock.words, coroutineField + 8);
    markWith(copy, index, task + coroutineField + 8, name);
    return true;
  };

  /** The task that a handle runs; 0 where it runs something else. */
  const taskOf = (handle: number): number => {
    if (!read(HANDLE_BYTES, handle)) return 0;
    if (!read(CALLED_BYTES, pointerAt(shortBlock.words, CALLBACK))) return 0;
    const type = pointerAt(shortBlock.words, object.type);
    const [first, second] = [
      pointerAt(shortBlock.words, STEP_TASK),
      pointerAt(shortBlock.words, FUNCTION_SELF),
    ];
    const kind = kindOf(type);
    return kind === 'step' ? first : kind === 'function' ? second : 0;
  };

  const markHandle = (copy: StackCopy, runner: number): void => {
    if (runner === 0) return;
    const remembered = tasks.get(copy.frame[runner - 1]!);
    if (remembered !== undefined && markTask(copy, runner, remembered)) return;
    const task = taskOf(selfOf(copy, runner));
    if (task !== 0 && task !== remembered) markTask(copy, runner, task);
  };

  /** A task in Python keeps what it has in its `__dict__`, under names that are one object each. */
  const markPythonTask = (copy: StackCopy, runner: number): void => {
    if (runner === 0) return;
    const attributes = objects.attributes(selfOf(copy, runner));
    if (attributes === undefined || attributes.count > AT_ONCE) return;
    const keys = Array.from({ length: objects.copy(attributes, 0) }, (_, index) =>
      objects.keyAt(attributes, index),
    );
    if (attributeKeys === undefined && lessons < MOST_LESSONS) {
      lessons += 1;
      const names = keys.map((key) => (isPlausible(key) ? objects.text(key) : undefined));
      const [coroutine, name] = [keys[names.indexOf('_coro')], keys[names.indexOf('_name')]];
      if (coroutine !== undefined && name !== undefined) attributeKeys = { coroutine, name };
    }
    if (attributeKeys === undefined) return;
    const coroutineEntry = keys.indexOf(attributeKeys.coroutine);
    const nameEntry = keys.indexOf(attributeKeys.name);
    if (coroutineEntry < 0 || nameEntry < 0) return;
    const coroutine = pointer(valueAddress(attributes, coroutineEntry));
    const index = frameOf(copy, runner, coroutine);
    if (index < 0) return;
    const nameField = valueAddress(attributes, nameEntry);
    markWith(copy, index, nameField, pointer(nameField));
  };

  return {
    mark(copy) {
      copy.labelled = -1;
      copy.label = '';
      if (runners.size === 0) return;
      for (let index = 0; index < copy.depth; index += 1) {
        const runner = runners.get(copy.code[index]!);
        if (runner === undefined) continue;
        try {
          if (runner === 'handle') markHandle(copy, index);
          else markPythonTask(copy, index);
        } catch {
          // It ended, or changed while it was read: this stack has no label.
        }
        return;
      }
    },
    beginFile: () => labels.clear(),
  };
}
