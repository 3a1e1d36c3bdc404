import type { PerfPlace } from './perf-script-event.js';

// First line of an event: `comm [pid/]tid [cpu] misc seconds.fraction: period event: arguments`, each part there or not as `-F` says.
// Nothing is quoted, and a comm may look like any of it, so what is fixed is looked for from the right: the time, then the numbers before it.

/** A header, read. */
export interface PerfHeader {
  readonly place: PerfPlace;
  /** Name of a `PERF_RECORD_` line, without that. */
  readonly record?: string;
  readonly event?: string;
  readonly period?: number;
  /** Blanks trimmed; empty where there is none. */
  readonly rest: string;
  /** It is a header only if a stack follows: another program's line may look like it. */
  readonly doubtful: boolean;
}

/** Headers are short: beyond it only arguments go on. */
const LONGEST_START = 400;
/** Longest comm of a thread; a kernel worker's may be longer. */
const LONGEST_COMM = 15;
const LONGEST_WORKER = 64;

const TIME = /(?<=^|\s)(\d{1,10})\.(\d{1,9}):(?=\s|$)/g;
const EVENT_END = /(?<=\S):(?=\s|$)/g;
const CPU = /(?:^|\s)\[(\d{1,6})\]$/;
const IDS = /(?:^|\s)(?:(-?\d{1,10})\/)?(-?\d{1,10})$/;
const MISC = /(?<=[\d\]])\s+[KUHGgEMSVD]{1,4}$/;
const RECORD = /^PERF_RECORD_(\w{1,40})/;

/** What a line says if it is the first of an event. */
export function parseHeader(line: string): PerfHeader | undefined {
  const start = line.slice(0, LONGEST_START);
  return timedHeader(line, start) ?? untimedHeader(line, start);
}

function timedHeader(line: string, start: string): PerfHeader | undefined {
  let first: PerfHeader | undefined;
  let last: PerfHeader | undefined;
  for (const match of start.matchAll(TIME)) {
    const owner = ownerOf(start.slice(0, match.index));
    if (owner === undefined) continue;
    const tail = tailOf(line.slice(match.index + match[0].length));
    if (tail === undefined) continue;
    const timeNs = Number(match[1]) * 1e9 + Number((match[2] ?? '').padEnd(9, '0'));
    const header = { place: { ...owner, timeNs }, ...tail, doubtful: owner.tid === undefined };
    // What looks like a time can stand in a comm before the time, and in arguments after it; a comm has no room for a whole header.
    if ((owner.comm?.length ?? 0) <= LONGEST_COMM) last = header;
    else first ??= header;
  }
  return last ?? first;
}

function untimedHeader(line: string, start: string): PerfHeader | undefined {
  let last: PerfHeader | undefined;
  for (const match of start.matchAll(EVENT_END)) {
    const before = start.slice(0, match.index);
    const event = before.slice(lastBlank(before) + 1);
    const { rest: ids, period } = withoutPeriod(before.slice(0, before.length - event.length).trimEnd());
    const owner = ids === '' ? {} : ownerOf(ids);
    if (!isName(event) || owner === undefined || (ids !== '' && owner.tid === undefined)) continue;
    if ((owner.comm?.length ?? 0) > LONGEST_COMM) continue;
    const rest = line.slice(match.index + 1).trim();
    // Without any number before it only a name that stands alone can be an event.
    if (ids === '' && rest !== '') continue;
    last = { place: owner, event, ...period, rest, doubtful: true };
  }
  if (last !== undefined) return last;
  const owner = ownerOf(line.length > LONGEST_START ? '' : start);
  if (owner?.tid === undefined || (owner.comm?.length ?? 0) > LONGEST_COMM) return undefined;
  return { place: owner, rest: '', doubtful: true };
}

/** An event has a letter in its name; a number with a colon is a time or something else. */
function isName(event: string): boolean {
  return /[a-zA-Z]/.test(event);
}

/** A number that follows another one is a period, not a thread. */
function withoutPeriod(text: string): { rest: string; period?: { period: number } } {
  const match = /(?<=[\d\]]\s+)\d{1,20}$/.exec(text);
  if (match === null) return { rest: text };
  return { rest: text.slice(0, match.index).trimEnd(), period: { period: Number(match[0]) } };
}

function lastBlank(text: string): number {
  return Math.max(text.lastIndexOf(' '), text.lastIndexOf('\t'));
}

/** Thread, process and CPU at the end of a text, and the comm before them. Undefined for a text that is too long to be one. */
function ownerOf(text: string): PerfPlace | undefined {
  let rest = text.trimEnd().replace(MISC, '');
  const cpu = CPU.exec(rest);
  const inner = cpu === null ? rest : rest.slice(0, cpu.index).trimEnd();
  const ids = IDS.exec(inner);
  if (ids !== null) rest = inner.slice(0, ids.index);
  const comm = rest.trim();
  if (comm.length > LONGEST_WORKER) return undefined;
  const tid = Number(ids?.[2] ?? Number.NaN);
  const pid = Number(ids?.[1] ?? Number.NaN);
  return {
    // perf writes `:TID` for a thread whose name it never saw.
    ...(comm !== '' && comm !== `:${tid}` && { comm }),
    ...(pid >= 0 && { pid }),
    ...(tid >= 0 && { tid }),
    ...(cpu !== null && ids !== null && { cpu: Number(cpu[1]) }),
    ...(ids !== null && tid < 0 && { tid: -1 }),
  };
}

type Tail = Pick<PerfHeader, 'record' | 'event' | 'period' | 'rest'>;

function tailOf(text: string): Tail | undefined {
  const tail = text.trim();
  const record = RECORD.exec(tail);
  if (record !== null) return { record: record[1] ?? '', rest: tail.slice(record[0].length).trim() };
  const number = /^\d{1,20}(?=\s|$)/.exec(tail)?.[0];
  const period = number === undefined ? {} : { period: Number(number) };
  const named = tail.slice(number?.length ?? 0).trimStart();
  if (named === '') return { ...period, rest: '' };
  const blank = /\s/.exec(named.slice(0, LONGEST_START))?.index ?? named.length;
  const event = named.slice(0, blank);
  if (!event.endsWith(':') || !isName(event.slice(0, -1))) return undefined;
  return { event: event.slice(0, -1), ...period, rest: named.slice(blank).trim() };
}

/** Name of what an event counts: without modifiers (`cycles:u`) and without the kind of core (`cpu_core/cycles/`). */
export function countedEvent(event: string): string {
  const name = event.replace(/:[ukhpPGHISDWeb]{1,12}$/, '');
  const core = /^cpu_(?:core|atom)\/([^/]+)\/[a-zA-Z]*$/.exec(name);
  return core?.[1] ?? name;
}

/** Whether an event is a tracepoint or probe, whose line goes on with arguments. */
export function isTracepoint(event: string): boolean {
  return countedEvent(event).includes(':');
}
