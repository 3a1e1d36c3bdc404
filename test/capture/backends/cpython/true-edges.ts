import { readFileSync } from 'node:fs';
import { path } from '../../live.js';
import type { ReadFrame } from './stack-text.js';

const PROGRAM = path('call-structure.py');

/** `[name, first line, lines]` of every code object of the program, as it says itself. */
export type OwnCode = readonly [name: string, firstLine: number, lines: readonly number[]];

/** What runs at any line when an object ends: weak references and finalizers of the standard library. */
const AT_ANY_LINE = new Set([
  '__del__',
  '_remove',
  'remove',
  '_commit_removals',
  '_asyncgen_firstiter_hook',
  '_asyncgen_finalizer_hook',
]);
/** What a line calls without naming it. */
const UNNAMED = new Set([
  '__init__',
  '__new__',
  '__enter__',
  '__exit__',
  '__iter__',
  '__call__',
  '__len__',
  '__get__',
  '__hash__',
  '__eq__',
  '__contains__',
  '__getattr__',
  '__setattr__',
  '__await__',
  '__repr__',
  '__getitem__',
  '__setitem__',
  '__bool__',
  '__aenter__',
  '__aexit__',
  // What the C code of asyncio calls.
  'add',
  'discard',
  'call_soon',
  'call_exception_handler',
  'get_debug',
]);
const UNNAMED_PARTS = /^<(?:listcomp|genexpr|dictcomp|setcomp|lambda)>$/;
/** Functions of the standard library that call what they were given. */
const CALLS_ANYTHING = new Set([
  'run',
  '_run',
  '_bootstrap_inner',
  'send',
  'throw',
  'inner',
  'wrapper',
  'helper',
]);

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

const texts = new Map<string, readonly string[] | undefined>();

function textOf({ file, line }: ReadFrame): string | undefined {
  if (!texts.has(file)) {
    let lines: readonly string[] | undefined;
    try {
      lines = readFileSync(file, 'utf8').split('\n');
    } catch {
      lines = undefined;
    }
    texts.set(file, lines);
  }
  return texts.get(file)?.[line - 1];
}

/** Why the program cannot have this frame, called by its parent; undefined where it can. */
export function wrongFrame(frame: ReadFrame, own: readonly OwnCode[]): string | undefined {
  return (
    wrongLine(frame, own) ?? (frame.parent === undefined ? wrongRoot(frame) : wrongEdge(frame.parent, frame))
  );
}

function wrongLine(frame: ReadFrame, own: readonly OwnCode[]): string | undefined {
  const made = /^<made (\d+)>$/.exec(frame.file)?.[1];
  if (made !== undefined) {
    const lines = { '<module>': [0, 1, 3, 5], [`outer_${made}`]: [1, 2], [`inner_${made}`]: [3, 4] }[
      frame.name
    ];
    return lines?.includes(frame.line) === true ? undefined : `${frame.name}:${frame.line} in ${frame.file}`;
  }
  if (frame.file !== PROGRAM) return undefined;
  const code = own.find(([name, firstLine]) => name === frame.name && firstLine === frame.firstLine);
  if (code === undefined) return `no function ${frame.name} begins at line ${frame.firstLine}`;
  const known = frame.line === 0 || frame.line === frame.firstLine || code[2].includes(frame.line);
  return known ? undefined : `${frame.name} has no line ${frame.line}`;
}

function wrongRoot({ name, file }: ReadFrame): string | undefined {
  if (name === '<module>' && file === PROGRAM) return undefined;
  return lastPart(name) === '_bootstrap' ? undefined : `a thread begins with ${name}`;
}

function wrongEdge(parent: ReadFrame, child: ReadFrame): string | undefined {
  const name = lastPart(child.name);
  const said = `${parent.name}:${parent.line} calls ${child.name}`;
  const made = /^<made (\d+)>$/.exec(parent.file)?.[1];
  if (made !== undefined) {
    const calls = {
      [`<module>:5`]: `outer_${made}`,
      [`outer_${made}:2`]: `inner_${made}`,
      [`inner_${made}:4`]: 'spin',
    }[`${parent.name}:${parent.line}`];
    return calls === name || AT_ANY_LINE.has(name) ? undefined : said;
  }
  const ofProgram = parent.file === PROGRAM;
  if (AT_ANY_LINE.has(name) && child.file !== PROGRAM) return undefined;
  const text = textOf(parent);
  if (text === undefined) return ofProgram ? said : undefined;
  const [code = '', comment = ''] = text.split('# calls: ');
  if (comment.split(', ').includes(name)) return undefined;
  if (new RegExp(`(?<![\\p{L}\\p{N}_])${name}\\(`, 'u').test(code)) return undefined;
  if (ofProgram) return said;
  if (child.file === PROGRAM) return CALLS_ANYTHING.has(lastPart(parent.name)) ? undefined : said;
  if (UNNAMED.has(name) || UNNAMED_PARTS.test(name) || code.includes(name)) return undefined;
  return CALLS_ANYTHING.has(lastPart(parent.name)) || name === 'wrapper' ? undefined : said;
}
