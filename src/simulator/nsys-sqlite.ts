/**
 * The SQLite export of nsys (`nsys export --type sqlite`, also left by `nsys stats`): bytes in, events out. Tables are made only for what was
 * recorded, and columns came over the years: see "SQLite Export Schema Reference" of the Nsight Systems documentation, 2020.3 to 2024. What is
 * missing is left out.
 */
import { ProfilerError } from '../model/index.js';
import type { DeviceEvent, HostCall, NsysEvent, NsysEvents, NsysKind, NvtxRange } from './nsys-events.js';
import { callName } from './nsys-names.js';
import { type Column, readSqlite, type Row, type SqliteFile } from './sqlite-file.js';

const KERNEL = 'CUPTI_ACTIVITY_KIND_KERNEL';
const COPY = 'CUPTI_ACTIVITY_KIND_MEMCPY';
const SET = 'CUPTI_ACTIVITY_KIND_MEMSET';
/** One row for a whole graph, with `--cuda-graph-trace=graph`. */
const GRAPH = 'CUPTI_ACTIVITY_KIND_GRAPH_TRACE';
/** Both APIs are mostly in the first; some versions part them. */
const CALLS = ['CUPTI_ACTIVITY_KIND_RUNTIME', 'CUPTI_ACTIVITY_KIND_DRIVER'];
const SYNC = 'CUPTI_ACTIVITY_KIND_SYNCHRONIZATION';
const NVTX = 'NVTX_EVENTS';
const OSRT = 'OSRT_API';
const TIMED = [KERNEL, COPY, SET, GRAPH, ...CALLS, SYNC, NVTX, OSRT];

/** `eventType` of ranges that were pushed and popped, and of those started and ended. Markers, categories and names of threads are others. */
const STYLES: Readonly<Record<number, NvtxRange['style']>> = { 59: 'PushPop', 60: 'StartEnd' };
/** As CUPTI numbers them (`CUpti_ActivityMemcpyKind`), for files without names of their own. */
const COPIES: Readonly<Record<number, string>> = {
  1: 'Host-to-Device',
  2: 'Device-to-Host',
  8: 'Device-to-Device',
  10: 'Peer-to-Peer',
};
/** `CUpti_ActivitySynchronizationType`; 2 makes a stream wait, not the host. */
const WAITS: Readonly<Record<number, string>> = {
  1: 'cudaEventSynchronize',
  3: 'cudaStreamSynchronize',
  4: 'cudaDeviceSynchronize',
};

/** Throws `ProfilerError`: `nsys-damaged`, `nsys-no-export`. */
export async function readNsysEvents(bytes: Uint8Array): Promise<NsysEvents> {
  const events = await readSqlite(bytes, eventsOf, damaged);
  if (events === undefined) throw noExport();
  return events;
}

function eventsOf(file: SqliteFile): NsysEvents | undefined {
  const tables = TIMED.filter((table) => file.hasColumn(table, 'start'));
  if (tables.length === 0) return undefined;
  const strings = file.rows('StringIds', { id: { of: ['id'] }, value: { of: ['value'] } });
  const source: Source = {
    file,
    origin: originOf(file, tables),
    strings: new Map(strings.flatMap(({ id, value }) => textOf(value).map((text) => [Number(id), text]))),
  };
  const gpus = file.rows('TARGET_INFO_GPU', { name: { of: ['name'] } }).flatMap(({ name }) => textOf(name));
  return {
    device: deviceEvents(source),
    calls: hostCalls(source),
    ranges: nvtxRanges(source),
    os: osCalls(source),
    gpus: [...new Set(gpus)],
    has: kindsOf(file),
    unreadable: unreadableRows(file, tables),
  };
}

function kindsOf(file: SqliteFile): NsysEvents['has'] {
  const has = new Set<NsysKind>();
  if (file.has(KERNEL)) has.add('kernels');
  if (file.has(COPY) || file.has(SET)) has.add('memory');
  if (file.has(GRAPH)) has.add('graphs');
  if (CALLS.some((table) => file.has(table))) has.add('calls');
  if (has.has('calls') || file.has(SYNC)) has.add('waits');
  if (file.has(NVTX)) has.add('ranges');
  if (file.has(OSRT)) has.add('os');
  return has;
}

/** Some clocks count from 1970, which is more nanoseconds than a number holds: all that follows is told from here. */
function originOf(file: SqliteFile, tables: readonly string[]): bigint {
  const firsts = tables.flatMap((table) =>
    file.rows(table, { first: { of: ['start'], sql: 'CAST(MIN(?) AS TEXT)' } }),
  );
  const numbers = firsts.flatMap(({ first }) => textOf(first)).filter((first) => /^-?\d+$/.test(first));
  return numbers.map(BigInt).reduce((low, one) => (one < low ? one : low), BigInt(numbers[0] ?? 0));
}

function unreadableRows(file: SqliteFile, tables: readonly string[]): number {
  const counts = tables.flatMap((table) => {
    const ofRange = table === NVTX && file.hasColumn(table, 'eventType') ? '"eventType" IN (59, 60) AND' : '';
    // A marker of an old file has no end, and is no range.
    if (table === NVTX && ofRange === '') return [];
    return file.rows(table, { count: { of: ['end'], sql: `SUM(${ofRange} (? IS NULL OR ? < "start"))` } });
  });
  return counts.reduce((sum, { count }) => sum + Number(count ?? 0), 0);
}

/** What is the same for all tables. */
interface Source {
  readonly file: SqliteFile;
  readonly origin: bigint;
  readonly strings: ReadonlyMap<number, string>;
}

function deviceEvents(source: Source): readonly DeviceEvent[] {
  const { file } = source;
  const kinds = file.rows('ENUM_CUDA_MEMCPY_OPER', { id: { of: ['id'] }, label: { of: ['label'] } });
  const copies = new Map(kinds.flatMap(({ id, label }) => textOf(label).map((text) => [Number(id), text])));
  const place = { device: { of: ['deviceId'] }, launch: launchOf(file, 'globalPid') };
  const kernelName = { of: ['demangledName', 'shortName', 'mangledName', 'name'] };
  return [
    ...eventsIn(source, KERNEL, { ...place, name: kernelName }, ({ name }) => ({
      kind: 'kernel' as const,
      name: stringOf(source, name) ?? 'unnamed kernel',
    })),
    ...eventsIn(
      source,
      COPY,
      { ...place, bytes: { of: ['bytes'] }, what: { of: ['copyKind'] } },
      ({ what }) => {
        const label = copies.get(Number(what)) ?? COPIES[Number(what)];
        return {
          kind: 'copy' as const,
          name: `[${label === undefined ? 'CUDA memcpy' : `CUDA memcpy ${label}`}]`,
        };
      },
    ),
    ...eventsIn(source, SET, { ...place, bytes: { of: ['bytes'] } }, () => ({
      kind: 'set' as const,
      name: '[CUDA memset]',
    })),
    ...eventsIn(source, GRAPH, { ...place, id: { of: ['graphId'] } }, ({ id }) => ({
      kind: 'graph' as const,
      name: typeof id === 'number' ? `graph ${id}` : 'graph',
    })),
  ];
}

function hostCalls(source: Source): readonly HostCall[] {
  const columns = { name: { of: ['nameId'] }, thread: THREAD, launch: launchOf(source.file, 'globalTid') };
  const calls = CALLS.flatMap((table) =>
    eventsIn(source, table, columns, (row) => {
      const name = stringOf(source, row['name']);
      return name === undefined ? undefined : { name: callName(name) };
    }),
  );
  if (calls.length > 0) return calls;
  // Without the calls, what CUPTI saw of the waiting is all that there is of the host.
  return eventsIn(source, SYNC, { what: { of: ['syncType'] } }, ({ what }) => {
    const name = WAITS[Number(what)];
    return name === undefined ? undefined : { name };
  });
}

function nvtxRanges(source: Source): readonly NvtxRange[] {
  const hasType = source.file.hasColumn(NVTX, 'eventType');
  const columns = {
    type: { of: ['eventType'] },
    text: { of: ['text'] },
    id: { of: ['textId'] },
    thread: THREAD,
  };
  return eventsIn(source, NVTX, columns, ({ type, text, id }) => {
    const style = STYLES[Number(type)];
    if (hasType && style === undefined) return undefined;
    // Registered strings are told by their id, others stand there.
    const name = stringOf(source, text) ?? stringOf(source, id) ?? '';
    return { name, ...(style === undefined ? {} : { style }) };
  });
}

function osCalls(source: Source): readonly NsysEvent[] {
  return eventsIn(source, OSRT, { name: { of: ['nameId'] } }, (row) => {
    const name = stringOf(source, row['name']);
    return name === undefined ? undefined : { name };
  });
}

/** Rows of a table that have both ends; `read` tells the name and what else there is, or that a row is none. */
function eventsIn<Read extends { readonly name: string }>(
  { file, origin }: Source,
  table: string,
  columns: Readonly<Record<string, Column>>,
  read: (row: Row) => Read | undefined,
): (Read & NsysEvent)[] {
  const times = {
    start: { of: ['start'], sql: `? - (${origin})` },
    end: { of: ['end'], sql: `? - (${origin})` },
  };
  return file.rows(table, { ...times, ...columns }).flatMap((row) => {
    const { start, end } = row;
    const said = read(row);
    if (said === undefined || typeof start !== 'number' || typeof end !== 'number' || end < start) return [];
    const numbers = NUMBERS.flatMap((key) =>
      typeof row[key] === 'number' ? [[key, row[key]] as const] : [],
    );
    return [{ startNs: start, endNs: end, ...Object.fromEntries(numbers), ...said }];
  });
}

const NUMBERS = ['launch', 'thread', 'device', 'bytes'] as const;
/** The lowest 24 bits are the thread, the next 24 the process. */
const THREAD: Column = { of: ['globalTid'], sql: '? & 16777215' };

/** Each process counts its correlation ids by itself. A file in which a side does not tell its process is joined by the id alone. */
function launchOf(file: SqliteFile, process: 'globalPid' | 'globalTid'): Column {
  const isTold = (table: string, column: string): boolean =>
    !file.has(table) || file.hasColumn(table, column);
  const areTold =
    [KERNEL, COPY, SET, GRAPH].every((table) => isTold(table, 'globalPid')) &&
    CALLS.every((table) => isTold(table, 'globalTid'));
  return {
    of: ['correlationId'],
    ...(areTold ? { sql: `((("${process}" >> 24) & 16777215) * 2147483648 + ?)` } : {}),
  };
}

/** A string by its id, or as it stands. */
function stringOf({ strings }: Source, value: Row[string] = null): string | undefined {
  return typeof value === 'number' ? strings.get(value) : textOf(value)[0];
}

function textOf(value: Row[string] = null): readonly string[] {
  return typeof value === 'string' && value !== '' ? [value] : [];
}

function damaged(reason: string): ProfilerError {
  return new ProfilerError({
    id: 'nsys-damaged',
    what: `The SQLite export cannot be read (${reason}).`,
    why: 'Most likely it was copied or written only in part.',
    fix: 'nsys export --type sqlite --force-overwrite=true --output FILE.sqlite FILE.nsys-rep',
  });
}

function noExport(): ProfilerError {
  return new ProfilerError({
    id: 'nsys-no-export',
    what: 'This SQLite file is no export of nsys: it has none of the tables of CUDA, NVTX or the operating system.',
    why: 'It comes from another program, or nothing was traced.',
    fix: 'nsys profile --trace=cuda,nvtx,osrt …',
  });
}
