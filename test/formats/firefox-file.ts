import { FORMATS, type WriteFacts } from '../../src/formats/index.js';
import type { Profile } from '../../src/model/index.js';

type Column = readonly (number | string | boolean | null)[];
interface Table {
  readonly length: number;
  readonly [column: string]: number | Column;
}

export interface FirefoxThread {
  readonly name: string;
  readonly pid: string;
  readonly tid: number;
  readonly isMainThread: boolean;
  readonly processName: string;
  readonly samples: {
    readonly stack: readonly (number | null)[];
    readonly time: readonly number[];
    readonly weight: readonly number[] | null;
    readonly weightType: string;
    readonly length: number;
  };
  readonly markers: {
    readonly data: readonly Readonly<Record<string, unknown>>[];
    readonly name: readonly number[];
    readonly startTime: readonly number[];
    readonly endTime: readonly number[];
    readonly phase: readonly number[];
    readonly category: readonly number[];
    readonly length: number;
  };
}

export interface FirefoxFile {
  readonly meta: {
    readonly preprocessedProfileVersion: number;
    readonly categories: readonly {
      readonly name: string;
      readonly color: string;
      readonly subcategories: readonly string[];
    }[];
    readonly markerSchema: readonly { readonly name: string; readonly fields: readonly object[] }[];
    readonly initialSelectedThreads: readonly number[];
    readonly [field: string]: unknown;
  };
  readonly libs: readonly unknown[];
  readonly threads: readonly FirefoxThread[];
  readonly shared: Readonly<Record<string, Table>> & { readonly stringArray: readonly string[] };
}

export function firefoxText(profile: Profile, facts?: WriteFacts): string {
  const { write } = FORMATS.find(({ id }) => id === 'firefox')!;
  return [...write!(profile, facts)].join('');
}

export function firefoxFile(profile: Profile, facts?: WriteFacts): FirefoxFile {
  return JSON.parse(firefoxText(profile, facts)) as FirefoxFile;
}

/** Columns of version 60 of the processed profile, each with the table that it points into, or what its values are. */
const TABLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  stackTable: { frame: 'frameTable', prefix: 'earlier?' },
  frameTable: {
    address: '-1',
    inlineDepth: '0',
    category: 'categories?',
    subcategory: 'subcategory',
    func: 'funcTable',
    nativeSymbol: 'null',
    innerWindowID: 'null',
    line: 'line?',
    column: 'null',
  },
  funcTable: {
    name: 'stringArray',
    isJS: 'boolean',
    relevantForJS: 'boolean',
    resource: 'resourceTable-1',
    source: 'sources?',
    lineNumber: 'null',
    columnNumber: 'null',
  },
  resourceTable: { lib: 'null', name: 'stringArray', host: 'null', type: '1' },
  nativeSymbols: { libIndex: 'null', address: 'null', name: 'null', functionSize: 'null' },
  sources: { uuid: 'null', filename: 'stringArray' },
};

const COLORS = new Set(
  'transparent purple green orange yellow lightblue blue brown magenta red lightred darkgrey grey'.split(' '),
);

function within(value: unknown, length: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) < length;
}

/** Everything in which the file is not what version 60 asks for: every index of every table is followed. */
export function firefoxFaults(file: FirefoxFile): string[] {
  const { meta, threads, shared } = file;
  const faults: string[] = [];
  const lengthOf = (table: string): number =>
    table === 'stringArray'
      ? shared.stringArray.length
      : table === 'categories'
        ? meta.categories.length
        : shared[table]!.length;
  if (meta.preprocessedProfileVersion !== 60) faults.push(`version ${meta.preprocessedProfileVersion}`);
  for (const { name, color, subcategories } of meta.categories) {
    if (!COLORS.has(color)) faults.push(`category ${name} is ${color}`);
    if (subcategories[0] !== 'Other') faults.push(`category ${name} begins with ${subcategories[0]}`);
    if (new Set(subcategories).size < subcategories.length) faults.push(`category ${name} has a kind twice`);
  }
  if (!meta.categories.some(({ color }) => color === 'grey')) faults.push('no grey category');
  for (const string of shared.stringArray) {
    if (typeof string !== 'string' || /\p{Control}|\p{Surrogate}/u.test(string))
      faults.push(`string ${string}`);
  }
  for (const [name, columns] of Object.entries(TABLES)) {
    const table = shared[name];
    if (table === undefined) {
      faults.push(`no ${name}`);
      continue;
    }
    const extra = Object.keys(table).filter((column) => column !== 'length' && !(column in columns));
    if (extra.length > 0) faults.push(`${name} has ${extra.join()}`);
    for (const [column, kind] of Object.entries(columns)) {
      const values = table[column];
      if (!Array.isArray(values) || values.length !== table.length) {
        faults.push(`${name}.${column} has not ${table.length} rows`);
        continue;
      }
      for (const [row, value] of values.entries()) {
        if (!fits(value, kind, row, table)) faults.push(`${name}.${column}[${row}] is ${value}`);
      }
    }
  }
  for (const [index, thread] of threads.entries()) {
    const say = (what: string): number => faults.push(`thread ${index} ${what}`);
    if (typeof thread.pid !== 'string' || !Number.isSafeInteger(thread.tid))
      say(`is ${thread.pid} ${thread.tid}`);
    const { samples, markers } = thread;
    for (const column of [samples.stack, samples.time, samples.weight ?? samples.time])
      if (column.length !== samples.length) say('has columns of different lengths');
    for (const row of samples.stack)
      if (row !== null && !within(row, lengthOf('stackTable'))) say(`has stack ${row}`);
    for (const [row, time] of samples.time.entries())
      if (!(time >= (samples.time[row - 1] ?? 0))) say(`has time ${time} after ${samples.time[row - 1]}`);
    if (samples.weightType !== 'samples' && samples.weightType !== 'tracing-ms') say(samples.weightType);
    for (const column of [
      markers.data,
      markers.name,
      markers.startTime,
      markers.endTime,
      markers.phase,
      markers.category,
    ])
      if (column.length !== markers.length) say('has marker columns of different lengths');
    for (const row of markers.data.keys()) {
      if (!within(markers.name[row]!, lengthOf('stringArray'))) say('has a marker without a name');
      if (!within(markers.category[row]!, lengthOf('categories'))) say('has a marker without a category');
      if (markers.phase[row] !== 1 || !(markers.endTime[row]! >= markers.startTime[row]!))
        say('has a marker of no length');
      if (!meta.markerSchema.some(({ name }) => name === markers.data[row]!['type']))
        say('has a marker without a schema');
    }
  }
  return faults;

  function fits(value: unknown, kind: string, row: number, table: Table): boolean {
    if (kind === 'null') return value === null;
    if (kind === 'boolean') return typeof value === 'boolean';
    if (/^-?\d$/.test(kind)) return value === Number(kind);
    if (kind === 'earlier?') return value === null || within(value, row);
    if (kind === 'line?') return value === null || within(value, Number.MAX_SAFE_INTEGER);
    if (kind === 'subcategory') {
      const category = (table['category'] as Column)[row];
      if (category === null) return value === null;
      return within(value, meta.categories[category as number]!.subcategories.length);
    }
    if (kind.endsWith('-1')) return value === -1 || within(value, lengthOf(kind.slice(0, -2)));
    if (kind.endsWith('?')) return value === null || within(value, lengthOf(kind.slice(0, -1)));
    return within(value, lengthOf(kind));
  }
}

/** A sample of the file, as it reads: `main (a.py:3) > f`, its category, time and weight as they are written. */
export interface FirefoxSample {
  readonly stack: string | null;
  readonly category: string | undefined;
  readonly time: number;
  readonly weight: number;
}

export function firefoxSamples({ shared, meta }: FirefoxFile, { samples }: FirefoxThread): FirefoxSample[] {
  const column = (table: string, name: string): Column => shared[table]![name] as Column;
  const frameText = (frame: number): string => {
    const func = column('frameTable', 'func')[frame] as number;
    const line = column('frameTable', 'line')[frame];
    const source = column('funcTable', 'source')[func];
    const resource = column('funcTable', 'resource')[func] as number;
    const name = shared.stringArray[column('funcTable', 'name')[func] as number]!;
    const place =
      source !== null
        ? column('sources', 'filename')[source as number]
        : resource >= 0
          ? column('resourceTable', 'name')[resource]
          : null;
    if (place === null) return name;
    return `${name} (${shared.stringArray[place as number]}${line === null ? '' : `:${line}`})`;
  };
  return samples.stack.map((stack, row) => {
    const texts: string[] = [];
    let category: string | undefined;
    for (
      let at: number | null = stack;
      at !== null;
      at = column('stackTable', 'prefix')[at] as number | null
    ) {
      const frame = column('stackTable', 'frame')[at] as number;
      texts.unshift(frameText(frame));
      const own = column('frameTable', 'category')[frame];
      if (category === undefined && own !== null) {
        const { name, subcategories } = meta.categories[own as number]!;
        const kind = column('frameTable', 'subcategory')[frame] as number;
        category = kind === 0 ? name : `${name}/${subcategories[kind]}`;
      }
    }
    return {
      stack: stack === null ? null : texts.join(' > '),
      category,
      time: samples.time[row]!,
      weight: samples.weight === null ? 1 : samples.weight[row]!,
    };
  });
}
