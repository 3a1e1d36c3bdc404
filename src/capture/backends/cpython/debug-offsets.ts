/**
 * The table that CPython 3.13 and newer carry at the start of `_PyRuntime` for readers from outside: `_Py_DebugOffsets`, 64 bit
 * numbers in an order that holds for one minor version (Include/internal/pycore_runtime.h of 3.13, pycore_debug_offsets.h of 3.14).
 */
import type { Layout } from './layout.js';

/** Fields of each structure in order; `cookie` (8 bytes), `version` and `free_threaded` come before them. */
type Order = readonly (readonly [structure: string, fields: string])[];

const ORDER_3_13: Order = [
  ['runtime', 'size finalizing interpreters_head'],
  [
    'interpreter',
    'size id next threads_head gc imports_modules sysdict builtins ceval_gil gil gil_enabled gil_locked gil_holder',
  ],
  ['thread', 'size prev next interp current_frame thread_id native_thread_id datastack_chunk status'],
  ['frame', 'size previous executable instr_ptr localsplus owner'],
  [
    'code',
    'size filename name qualname linetable firstlineno argcount localsplusnames localspluskinds co_code_adaptive',
  ],
  ['object', 'size ob_type'],
  ['type', 'size tp_name tp_repr tp_flags'],
  ['tuple', 'size ob_item ob_size'],
  ['list', 'size ob_item ob_size'],
  ['dict', 'size ma_keys ma_values'],
  ['float', 'size ob_fval'],
  ['long', 'size lv_tag ob_digit'],
  ['bytes', 'size ob_size ob_sval'],
  ['unicode', 'size state length asciiobject_size'],
];

const CHANGED_IN_3_14: Readonly<Record<string, string>> = {
  interpreter:
    'size id next threads_head threads_main gc imports_modules sysdict builtins ceval_gil gil gil_enabled gil_locked gil_holder code_object_generation tlbc_generation',
  frame: 'size previous executable instr_ptr localsplus owner stackpointer tlbc_index',
  code: 'size filename name qualname linetable firstlineno argcount localsplusnames localspluskinds co_code_adaptive co_tlbc',
};

const ORDER_3_14: Order = ORDER_3_13.flatMap(([structure, fields]) => {
  const changed: Order = [[structure, CHANGED_IN_3_14[structure] ?? fields]];
  return structure === 'list' ? [...changed, ['set', 'size used table mask']] : changed;
});

const ORDERS: Readonly<Record<number, Order>> = { 13: ORDER_3_13, 14: ORDER_3_14 };

export const COOKIE = 'xdebugpy';
const HEAD_BYTES = 24;
/** Enough for the table of every version. */
export const TABLE_BYTES = 1024;

/** The layout of Python 3.`minor` from its table, or why there is none. */
export function layoutOfTable(
  table: Buffer,
  minor: number,
): { readonly layout: Layout } | { readonly reason: string } {
  const order = ORDERS[minor];
  if (order === undefined) return { reason: `the table of offsets of Python 3.${minor} is not known` };
  if (table.toString('latin1', 0, 8) !== COOKIE)
    return { reason: '_PyRuntime does not begin with the table of offsets' };
  const version = table.readUInt32LE(8);
  if (version >>> 24 !== 3 || ((version >>> 16) & 0xff) !== minor)
    return { reason: `the table of offsets says version 0x${version.toString(16)}, not 3.${minor}` };
  if (table.readUInt32LE(16) !== 0) return { reason: 'the build is free-threaded' };
  const at = new Map<string, number>();
  let position = HEAD_BYTES;
  for (const [structure, fields] of order) {
    for (const field of fields.split(' ')) {
      at.set(`${structure}.${field}`, Number(table.readBigUInt64LE(position)));
      position += 8;
    }
  }
  const wrong = [...at].find(([, value]) => value > 0xff_ffff);
  if (wrong !== undefined) return { reason: `the table of offsets holds ${wrong[1]} for ${wrong[0]}` };
  return { layout: layoutFrom((name) => at.get(name) ?? 0, minor) };
}

function layoutFrom(at: (name: string) => number, minor: number): Layout {
  const gil = at('interpreter.gil');
  const text = at('unicode.asciiobject_size');
  return {
    taggedCode: minor >= 14,
    runtime: {
      size: at('runtime.size'),
      interpretersHead: at('runtime.interpreters_head'),
      // `main` follows `head` in the structure.
      interpretersMain: at('runtime.interpreters_head') + 8,
    },
    interpreter: {
      next: at('interpreter.next'),
      threadsHead: at('interpreter.threads_head'),
      gilPointer: at('interpreter.ceval_gil'),
    },
    // The size of the GIL is not in the table: two numbers, an interval, two conditions and two mutexes are less than this.
    gil: {
      size: 256,
      holder: at('interpreter.gil_holder') - gil,
      locked: at('interpreter.gil_locked') - gil,
    },
    thread: {
      next: at('thread.next'),
      interpreter: at('thread.interp'),
      pthread: at('thread.thread_id'),
      nativeId: at('thread.native_thread_id'),
      frame: at('thread.current_frame'),
      chunk: at('thread.datastack_chunk'),
      // `datastack_top` follows `datastack_chunk` in the structure.
      chunkTop: at('thread.datastack_chunk') + 8,
    },
    frame: {
      previous: at('frame.previous'),
      code: at('frame.executable'),
      instruction: at('frame.instr_ptr'),
      owner: at('frame.owner'),
      locals: at('frame.localsplus'),
    },
    chunk: { previous: 0, size: 8, top: 16, data: 24 },
    code: {
      size: at('code.size'),
      file: at('code.filename'),
      name: at('code.name'),
      firstLine: at('code.firstlineno'),
      lineTable: at('code.linetable'),
      qualifiedName: at('code.qualname'),
      instructions: at('code.co_code_adaptive'),
    },
    object: { type: at('object.ob_type'), length: at('bytes.ob_size'), typeName: at('type.tp_name') },
    bytes: { data: at('bytes.ob_sval') },
    text: {
      length: at('unicode.length'),
      // `hash` follows `length`; a `str` that is not ASCII has the length and the place of its UTF-8 form behind the header.
      hash: at('unicode.length') + 8,
      state: at('unicode.state'),
      ascii: text,
      compact: text + 16,
    },
    said: {
      modules: at('interpreter.imports_modules'),
      typeSize: at('type.size'),
      flags: at('type.tp_flags'),
      dictKeys: at('dict.ma_keys'),
      dictValues: at('dict.ma_values'),
      integerTag: at('long.lv_tag'),
      integerDigits: at('long.ob_digit'),
    },
  };
}
