/**
 * Where one version of CPython keeps what a sampler reads: offsets and sizes in bytes. Of 3.8 to 3.12 in layout-data.ts, which
 * is made from their headers; from 3.13 on the process carries the numbers itself (debug-offsets.ts).
 */
export interface Layout {
  /** 3.14: the low bits of a frame's pointer to its code are no part of the address. */
  readonly taggedCode?: boolean;
  /** `_PyRuntimeState`, the symbol `_PyRuntime`. */
  readonly runtime: {
    readonly size: number;
    readonly interpretersHead: number;
    readonly interpretersMain: number;
    /** Up to 3.11 the GIL lies here; later each interpreter points to its own. */
    readonly gil?: number;
  };
  readonly interpreter: {
    readonly next: number;
    readonly threadsHead: number;
    readonly gilPointer?: number;
  };
  readonly gil: { readonly size: number; readonly holder: number; readonly locked: number };
  readonly thread: {
    readonly next: number;
    readonly interpreter: number;
    /** `pthread_t` of the thread that made it. */
    readonly pthread: number;
    /** Kernel thread id, from 3.11 on. */
    readonly nativeId?: number;
    /** Innermost frame: up to 3.10 a frame object, from 3.13 on an interpreter frame; between them `cframe` points to it. */
    readonly frame?: number;
    readonly cframe?: number;
    /** The stack that frames live on from 3.11 on: a list of chunks, newest first. */
    readonly chunk?: number;
    /** First free slot of the newest chunk. */
    readonly chunkTop?: number;
  };
  readonly frame: {
    readonly previous: number;
    readonly code: number;
    /** From 3.11 on: address of the instruction. */
    readonly instruction?: number;
    /** Up to 3.10: number of the instruction, in bytes up to 3.9, in pairs of bytes in 3.10. */
    readonly lastInstruction?: number;
    /** 3.8 and 3.9: not 0 while the frame runs. */
    readonly executing?: number;
    /** 3.10: 0 while the frame runs. */
    readonly state?: number;
    /** Who owns the memory, from 3.11 on; 3 and above belong to the interpreter itself. */
    readonly owner?: number;
    /** Where variables begin. */
    readonly locals: number;
  };
  readonly cframe?: { readonly frame: number };
  readonly chunk?: {
    readonly previous: number;
    readonly size: number;
    readonly top: number;
    readonly data: number;
  };
  readonly code: {
    readonly size: number;
    readonly file: number;
    readonly name: number;
    readonly firstLine: number;
    readonly lineTable: number;
    readonly qualifiedName?: number;
    /** From 3.11 on the instructions are part of the code object; `object.length` counts them, two bytes each. */
    readonly instructions?: number;
    /** Up to 3.10 they are a bytes object. */
    readonly instructionsObject?: number;
  };
  readonly object: { readonly type: number; readonly length: number; readonly typeName: number };
  readonly bytes: { readonly data: number };
  /** `str`: `ascii` and `compact` are the sizes of the two headers, behind which the characters lie. */
  readonly text: {
    readonly length: number;
    readonly hash: number;
    readonly state: number;
    readonly ascii: number;
    readonly compact: number;
  };
  /** From 3.13 on: what the process says of structures whose layout is not read from it alone (object-layout-of.ts). */
  readonly said?: {
    readonly modules: number;
    readonly typeSize: number;
    readonly flags: number;
    readonly dictKeys: number;
    readonly dictValues: number;
    readonly integerTag: number;
    readonly integerDigits: number;
  };
}

/** `3.11.7` as its two leading numbers; undefined for what is no version. */
export function minorVersion(
  version: string,
): { readonly major: number; readonly minor: number } | undefined {
  const match = /^(\d+)\.(\d+)/.exec(version);
  return match === null ? undefined : { major: Number(match[1]), minor: Number(match[2]) };
}
