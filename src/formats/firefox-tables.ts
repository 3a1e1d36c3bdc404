import { PairTable } from '../model/index.js';
import type { Frame } from '../model/index.js';
import type { CategoryPlace } from './firefox-categories.js';
import { viewerName } from './viewer-name.js';

/** A list of values, each kept once. */
class Interned<Value> {
  readonly list: Value[] = [];
  readonly #byKey = new Map<string, number>();

  index(key: string, value: () => Value): number {
    const known = this.#byKey.get(key);
    if (known !== undefined) return known;
    const added = this.list.push(value()) - 1;
    this.#byKey.set(key, added);
    return added;
  }
}

interface Func {
  readonly name: number;
  readonly source: number | null;
  readonly resource: number;
  readonly isJs: boolean;
}

interface FrameRow {
  readonly func: number;
  readonly line: number | null;
  readonly category: CategoryPlace | undefined;
}

/** The tables that all threads of a file share; rows are only ever added, so that an index given once stays right. */
export class FirefoxTables {
  readonly #strings = new Interned<string>();
  readonly #sources = new Interned<number>();
  readonly #resources = new Interned<number>();
  readonly #funcs = new Interned<Func>();
  readonly #frames = new Interned<FrameRow>();
  readonly #stacks = new PairTable();

  string(text: string): number {
    const clean = viewerName(text);
    return this.#strings.index(clean, () => clean);
  }

  /** A line of code; what has no category is in that of its caller. */
  frame(frame: Frame, category?: CategoryPlace): number {
    const func = this.#func(frame);
    const line = frame.line ?? null;
    return this.#frames.index(`${func} ${line} ${category?.join() ?? ''}`, () => ({ func, line, category }));
  }

  /** @param prefix stack of the caller; undefined: there is none. */
  stack(prefix: number | undefined, frame: number): number {
    return this.#stacks.intern(prefix ?? -1, frame);
  }

  #func({ name, kind, file, module }: Frame): number {
    const called = this.string(
      kind === 'kernel' && file === undefined && module === undefined ? `${name}_[k]` : name,
    );
    const source = file === undefined ? null : this.#named(this.#sources, file);
    const library = module === undefined ? -1 : this.#named(this.#resources, module);
    return this.#funcs.index(`${called} ${source} ${library} ${kind === 'js'}`, () => ({
      name: called,
      source,
      resource: library,
      isJs: kind === 'js',
    }));
  }

  #named(table: Interned<number>, name: string): number {
    const text = this.string(name);
    return table.index(String(text), () => text);
  }

  /** `shared` of the file, in pieces. Nothing may be added after it. */
  *text(): Generator<string> {
    const stacks = this.#stacks;
    const frames = this.#frames.list;
    const funcs = this.#funcs.list;
    yield '{"stackTable":{"frame":';
    yield* numbers(stacks.length, (row) => stacks.right[row] as number);
    yield ',"prefix":';
    yield* numbers(stacks.length, (row) => {
      const prefix = stacks.left[row] as number;
      return prefix < 0 ? 'null' : prefix;
    });
    yield `,"length":${stacks.length}},"frameTable":{"address":`;
    yield* numbers(frames.length, () => -1);
    yield ',"inlineDepth":';
    yield* numbers(frames.length, () => 0);
    yield ',"category":';
    yield* numbers(frames.length, (row) => frames[row]?.category?.[0] ?? 'null');
    yield ',"subcategory":';
    yield* numbers(frames.length, (row) => frames[row]?.category?.[1] ?? 'null');
    yield ',"func":';
    yield* numbers(frames.length, (row) => frames[row]?.func ?? 0);
    for (const unknown of ['nativeSymbol', 'innerWindowID', 'column']) {
      yield `,"${unknown}":`;
      yield* numbers(frames.length, () => 'null');
    }
    yield ',"line":';
    yield* numbers(frames.length, (row) => frames[row]?.line ?? 'null');
    yield `,"length":${frames.length}},"funcTable":{"name":`;
    yield* numbers(funcs.length, (row) => funcs[row]?.name ?? 0);
    yield ',"isJS":';
    yield* numbers(funcs.length, (row) => String(funcs[row]?.isJs === true));
    yield ',"relevantForJS":';
    yield* numbers(funcs.length, () => 'false');
    yield ',"resource":';
    yield* numbers(funcs.length, (row) => funcs[row]?.resource ?? -1);
    yield ',"source":';
    yield* numbers(funcs.length, (row) => funcs[row]?.source ?? 'null');
    for (const unknown of ['lineNumber', 'columnNumber']) {
      yield `,"${unknown}":`;
      yield* numbers(funcs.length, () => 'null');
    }
    yield `,"length":${funcs.length}},"resourceTable":`;
    yield JSON.stringify(resourceTable(this.#resources.list));
    yield ',"nativeSymbols":{"libIndex":[],"address":[],"name":[],"functionSize":[],"length":0},"sources":';
    const sources = this.#sources.list;
    yield JSON.stringify({ uuid: sources.map(() => null), filename: sources, length: sources.length });
    yield ',"stringArray":[';
    for (const [index, string] of this.#strings.list.entries())
      yield `${index === 0 ? '' : ','}\n${JSON.stringify(string)}`;
    yield ']}';
  }
}

/** `resourceTypes.library` of the page. */
const LIBRARY = 1;

function resourceTable(names: readonly number[]): object {
  return {
    lib: names.map(() => null),
    name: names,
    host: names.map(() => null),
    type: names.map(() => LIBRARY),
    length: names.length,
  };
}

/** A column in brackets, in pieces of bounded length. */
export function* numbers(length: number, at: (row: number) => number | string): Generator<string> {
  const piece = 4096;
  yield '[';
  for (let from = 0; from < length; from += piece) {
    const texts = Array.from({ length: Math.min(piece, length - from) }, (_, row) => String(at(from + row)));
    yield `${from === 0 ? '' : ','}${texts.join(',')}`;
  }
  yield ']';
}
