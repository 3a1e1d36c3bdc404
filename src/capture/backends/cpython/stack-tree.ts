import { TOO_DEEP } from '../../../model/index.js';
import type { CodeName, CodeObjects } from './code-objects.js';
import type { StackCopy } from './stack-copy.js';

/** Children by code object and instruction, and by name and line: several instructions share a line. */
interface Children {
  readonly byInstruction: Map<number, Node>;
  readonly byLine: Map<number, Node>;
}

/** A node of the tree of stacks: this frame, called by `parent`. */
interface Node extends Children {
  readonly parent: Node | undefined;
  readonly name: CodeName;
  readonly line: number;
  /** Of a marker between it and its parent; '' for none. */
  readonly label: string;
  /** In the file of `file`. */
  id: number;
  file: number;
  /** How often it was part of a stack of which two copies were equal, up to SURE. */
  sightings: number;
  /** Those below a marker, by its label; of the file in which they were first met, so that labels do not pile up. */
  labelled: { readonly file: number; readonly children: Map<string, Children> } | undefined;
}

/** What is remembered of a thread: its last stack, outermost frame first, most of which the next one shares. */
export interface ThreadMemory {
  depth: number;
  code: Float64Array;
  instruction: Float64Array;
  /** Where in it a frame with a marker is, -1 for none, and the marker's label. */
  labelled: number;
  label: string;
  readonly nodes: Node[];
  /** Until then the code objects of the last stack need no check; a strict look checks earlier. */
  goodUntilMs: number;
  strictUntilMs: number;
  /** Outermost frames that are usual for the thread, where their place does not tell. */
  readonly outermost: Set<number>;
  everRooted: boolean;
  /** Its stack was too deep: until then nobody looks whether it still is. */
  tooDeepUntilMs: number;
}

export function threadMemory(): ThreadMemory {
  return {
    depth: 0,
    code: new Float64Array(64),
    instruction: new Float64Array(64),
    labelled: -1,
    label: '',
    nodes: [],
    goodUntilMs: 0,
    strictUntilMs: 0,
    outermost: new Set(),
    everRooted: false,
    tooDeepUntilMs: 0,
  };
}

const SURE = 2;
/** Room for a line number, or an instruction's, beside a serial number below 2^31. */
const LOW_RANGE = 1 << 22;

export interface StackTree {
  /**
   * The id of a stack in the file; -1 for one that holds a frame of no code object, or an instruction outside its code. `strict`
   * as for CodeObjects.at.
   */
  idOf(copy: StackCopy, memory: ThreadMemory, nowMs: number, strict: boolean): number;
  /** The id of what stands for every stack that is too deep to be read. */
  tooDeep(): number;
  /**
   * Two copies of the last stack were equal. Whether that makes its frames sure: each was part of such a stack before. In a program
   * that does the same over and over, two copies may by chance be torn alike, about once in a million.
   */
  isSure(): boolean;
  /** Lines `c` and `f` for what came into the file since the last call. */
  drain(): string;
  beginFile(): void;
}

export function stackTree(codes: CodeObjects): StackTree {
  const root = node(undefined, { index: -1, name: '', file: '', firstLine: 0 }, 0, '');
  const tooDeep = node(root, { index: -1, name: TOO_DEEP, file: '', firstLine: 0 }, 0, '');
  let last = root;
  let file = 0;
  let nextId = 0;
  let pending: Node[] = [];
  let written = new Map<CodeName, number>();

  const below = (parent: Node, label: string): Children => {
    if (label === '') return parent;
    if (parent.labelled?.file !== file) parent.labelled = { file, children: new Map() };
    const { children } = parent.labelled;
    const known = children.get(label);
    if (known !== undefined) return known;
    const added = { byInstruction: new Map<number, Node>(), byLine: new Map<number, Node>() };
    children.set(label, added);
    return added;
  };

  const child = (
    parent: Node,
    label: string,
    address: number,
    instruction: number,
    nowMs: number,
    strict: boolean,
  ): Node | undefined => {
    const code = codes.at(address, nowMs, strict);
    if (code === undefined) return undefined;
    const offset = instruction - code.start;
    // -2 and -1: the frame has not begun.
    if (!(offset >= -2 && instruction < code.end)) {
      codes.forget(address);
      return undefined;
    }
    if (code.shim) return parent;
    const key = code.serial * LOW_RANGE + (offset >> 1) + 1;
    const children = below(parent, label);
    const known = children.byInstruction.get(key);
    if (known !== undefined) return known;
    const line = codes.lineAt(code, instruction);
    const lineKey = code.name.index * LOW_RANGE + Math.min(line, LOW_RANGE - 1);
    const same = children.byLine.get(lineKey) ?? node(parent, code.name, line, label);
    children.byLine.set(lineKey, same);
    children.byInstruction.set(key, same);
    return same;
  };

  const write = (leaf: Node): void => {
    const path: Node[] = [];
    for (let at: Node | undefined = leaf; at !== undefined && at !== root && at.file !== file; at = at.parent)
      path.push(at);
    for (const at of path.toReversed()) {
      at.file = file;
      at.id = nextId;
      nextId += 1;
      pending.push(at);
    }
  };

  return {
    idOf(copy, memory, nowMs, strict) {
      const { depth, label } = copy;
      const labelled = copy.labelled < 0 ? -1 : depth - 1 - copy.labelled;
      if (memory.code.length < depth) grow(memory, depth);
      let known = 0;
      let goodUntilMs = Infinity;
      let strictUntilMs = Infinity;
      if (nowMs < (strict ? memory.strictUntilMs : memory.goodUntilMs)) {
        const most = Math.min(depth, memory.depth, sharedByLabels(labelled, label, memory));
        while (
          known < most &&
          copy.code[depth - 1 - known] === memory.code[known] &&
          copy.instruction[depth - 1 - known] === memory.instruction[known]
        )
          known += 1;
        if (known > 0) ({ goodUntilMs, strictUntilMs } = memory);
      }
      let at = known === 0 ? root : memory.nodes[known - 1]!;
      memory.depth = known;
      memory.labelled = labelled;
      memory.label = label;
      for (let position = known; position < depth; position += 1) {
        const address = copy.code[depth - 1 - position]!;
        const instruction = copy.instruction[depth - 1 - position]!;
        const next = child(at, position === labelled ? label : '', address, instruction, nowMs, strict);
        if (next === undefined) return -1;
        at = next;
        memory.code[position] = address;
        memory.instruction[position] = instruction;
        memory.nodes[position] = at;
        memory.depth = position + 1;
        goodUntilMs = Math.min(goodUntilMs, codes.goodUntil(address, nowMs, false));
        strictUntilMs = Math.min(strictUntilMs, codes.goodUntil(address, nowMs, true));
      }
      memory.goodUntilMs = goodUntilMs;
      memory.strictUntilMs = strictUntilMs;
      last = at;
      if (at.file !== file) write(at);
      return at.id;
    },
    tooDeep() {
      if (tooDeep.file !== file) write(tooDeep);
      return tooDeep.id;
    },
    isSure() {
      // Whoever saw a frame saw its callers.
      if (last.sightings >= SURE) return true;
      let sure = true;
      for (let at: Node | undefined = last; at !== undefined; at = at.parent) {
        at.sightings = Math.min(at.sightings + 1, SURE);
        if (at !== root && at.sightings < SURE) sure = false;
      }
      return sure;
    },
    drain() {
      const lines: string[] = [];
      for (const { id, parent, name, line, label } of pending) {
        let code = written.get(name);
        if (code === undefined) {
          code = written.size;
          written.set(name, code);
          lines.push(`c ${code} ${name.firstLine} ${JSON.stringify([name.name, name.file])}\n`);
        }
        const caller = parent === undefined || parent === root ? -1 : parent.id;
        const marker = label === '' ? '' : ` ${JSON.stringify(label)}`;
        lines.push(`f ${id} ${caller} ${code} ${line}${marker}\n`);
      }
      pending = [];
      return lines.join('');
    },
    beginFile() {
      file += 1;
      nextId = 0;
      pending = [];
      written = new Map();
    },
  };
}

function node(parent: Node | undefined, name: CodeName, line: number, label: string): Node {
  return {
    parent,
    name,
    line,
    label,
    id: -1,
    file: -1,
    sightings: 0,
    byInstruction: new Map(),
    byLine: new Map(),
    labelled: undefined,
  };
}

/** Frames, from the outermost on, that a stack with that marker may have in common with the last one. */
function sharedByLabels(labelled: number, label: string, last: ThreadMemory): number {
  if (labelled === last.labelled && label === last.label) return Infinity;
  return Math.min(labelled < 0 ? Infinity : labelled, last.labelled < 0 ? Infinity : last.labelled);
}

function grow(memory: ThreadMemory, depth: number): void {
  const size = 2 ** Math.ceil(Math.log2(depth));
  for (const field of ['code', 'instruction'] as const) {
    const larger = new Float64Array(size);
    larger.set(memory[field]);
    memory[field] = larger;
  }
}
