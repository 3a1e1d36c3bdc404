import type { Profile } from '../../src/model/index.js';
import { FORMATS, type WriteFacts } from '../../src/formats/index.js';

/** One event, as the Trace Event Format has it. */
export interface TraceEvent {
  readonly ph: string;
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts?: number;
  readonly cat?: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

export interface ChromeFile {
  readonly traceEvents: readonly TraceEvent[];
  readonly displayTimeUnit: string;
  readonly otherData: Readonly<Record<string, unknown>>;
}

export function chromeText(profile: Profile, facts?: WriteFacts): string {
  const { write } = FORMATS.find(({ id }) => id === 'chrome')!;
  return [...write!(profile, facts)].join('');
}

export function chromeFile(profile: Profile, facts?: WriteFacts): ChromeFile {
  return JSON.parse(chromeText(profile, facts)) as ChromeFile;
}

/** Whole nanoseconds of a time that is written in microseconds. */
export function nanoseconds(ts: number): number {
  return Math.round(ts * 1000);
}

const METADATA: Readonly<Record<string, string>> = {
  process_name: 'string',
  thread_name: 'string',
  thread_sort_index: 'number',
};

/** Everything in which the file is not what the format asks for, or what viewers need. */
export function chromeFaults({ traceEvents, displayTimeUnit, otherData }: ChromeFile): string[] {
  const faults: string[] = [];
  if (displayTimeUnit !== 'ms' && displayTimeUnit !== 'ns') faults.push(`unit ${displayTimeUnit}`);
  if (typeof otherData !== 'object') faults.push('no otherData');
  const named = new Set<string>();
  const open = new Map<string, { readonly names: string[]; at: number }>();
  for (const [index, event] of traceEvents.entries()) {
    const { ph, name, pid, tid, ts } = event;
    const say = (what: string): number => faults.push(`event ${index} ${what}`);
    if (!Number.isSafeInteger(pid) || pid <= 0) say(`has process ${pid}`);
    if (!Number.isSafeInteger(tid) || tid < 0 || tid > 2 ** 31 - 1) say(`has thread ${tid}`);
    if (typeof name !== 'string' || name === '') say('has no name');
    // eslint-disable-next-line no-control-regex
    if (/[\u0000-\u001F\u007F-\u009F]|\p{Surrogate}/u.test(name))
      say('has a name that is not fit for a viewer');
    const row = `${pid} ${tid}`;
    if (ph === 'M') {
      const [value] = Object.values(event.args ?? {});
      if (typeof value !== METADATA[name]) say(`tells ${name} as ${typeof value}`);
      if (name === 'thread_name') {
        if (named.has(row)) say('names a row again');
        named.add(row);
      }
      continue;
    }
    if (ph !== 'B' && ph !== 'E') say(`is a ${ph}`);
    if (ts === undefined || !(ts >= 0)) say(`is at ${ts}`);
    if (!named.has(row)) say('is in a row without a name');
    const own = open.get(row) ?? { names: [], at: 0 };
    open.set(row, own);
    if ((ts ?? 0) < own.at) say('is before the one before it');
    own.at = ts ?? 0;
    if (ph === 'B') own.names.push(name);
    else if (own.names.pop() !== name) say(`ends ${name}, which is not the innermost`);
  }
  for (const [row, { names }] of open)
    if (names.length > 0) faults.push(`${row} is left open: ${names.join()}`);
  return faults;
}

/** Nanoseconds by function (name and file) of the row with that name: own time, and with all that was called, once per recursion. */
export function chromeTotals(
  { traceEvents }: ChromeFile,
  rowName: string,
): ReadonlyMap<string, { readonly self: number; readonly total: number }> {
  const row = traceEvents.find(({ name, args }) => name === 'thread_name' && args?.['name'] === rowName);
  const totals = new Map<string, { self: number; total: number }>();
  const open: { readonly key: string; readonly from: number; inner: number }[] = [];
  for (const { ph, name, pid, tid, ts = 0, args } of traceEvents) {
    if (pid !== row?.pid || tid !== row.tid || ph === 'M') continue;
    if (ph === 'B') {
      const file = args?.['file'];
      open.push({
        key: typeof file === 'string' ? `${name} ${file}` : name,
        from: nanoseconds(ts),
        inner: 0,
      });
      continue;
    }
    const { key, from, inner } = open.pop()!;
    const length = nanoseconds(ts) - from;
    const sum = totals.get(key) ?? { self: 0, total: 0 };
    totals.set(key, sum);
    sum.self += length - inner;
    if (!open.some((one) => one.key === key)) sum.total += length;
    const caller = open.at(-1);
    if (caller !== undefined) caller.inner += length;
  }
  return totals;
}
