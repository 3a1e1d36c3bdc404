import { STATE_TEXT, SAMPLE_STATES, waitOfState } from '../model/index.js';
import type { Frame, Profile, ProgramSpan, StateWait, SampleState } from '../model/index.js';
import { type CategoryPlace, FirefoxCategories } from './firefox-categories.js';
import { FirefoxTables, numbers } from './firefox-tables.js';
import type { StackMark, WriteFacts } from './format.js';
import { NO_STACK } from './no-stack.js';
import { type ThreadSpans, spansOf } from './thread-spans.js';
import { timesText } from './time-notes.js';
import { TidTable, pidOf, processesOf, threadTitle } from './viewer-ids.js';
import { viewerName } from './viewer-name.js';

/** The version of Firefox's own files that this one of the page was made beside. */
const GECKO_VERSION = 31;
const PROCESSED_VERSION = 60;

/** `INTERVAL` of the page: a marker with both ends. */
const INTERVAL = 1;
const STATE_MARKER = 'thread-state';
const SPAN_MARKER = 'program-span';

/** Of `GraphColor`. */
const STATE_COLOR: Readonly<Record<SampleState, string>> = {
  unknown: 'grey',
  running: 'green',
  'cpu-wait': 'orange',
  'gil-wait': 'red',
  sleep: 'grey',
  blocked: 'purple',
};

/**
 * One thread of the file for each thread; what all share stands once. Buckets are categories; the state of a thread is a row of markers.
 */
export function* firefoxText(profile: Profile, facts: WriteFacts = {}): Generator<string> {
  const { threads } = spansOf(profile, facts.rateHz);
  const marks = facts.marks?.();
  const tables = new FirefoxTables();
  const categories = new FirefoxCategories();
  const stackOf = stackTable(profile, marks, tables, categories);
  const stacks = threads.map((spans) =>
    Int32Array.from(spans.stack, (row, span) => stackOf(row, waitOfState(spans.state?.[span]))),
  );
  const stateName = tables.string('state');
  yield `{"meta":${JSON.stringify(meta(profile, facts, threads, marks, categories))},"libs":[],"threads":[`;
  const ids = new TidTable(profile.threads);
  const mains = mainThreads(profile, facts, threads);
  const processes = processesOf(profile, facts);
  for (const [at, spans] of threads.entries()) {
    const thread = profile.threads[spans.thread] ?? {};
    const pid = pidOf(thread, facts);
    const measured = facts.spans?.filter(({ tid }) => tid === thread.tid) ?? [];
    const about = {
      processType: 'default',
      processStartupTime: 0,
      processShutdownTime: null,
      registerTime: 0,
      unregisterTime: null,
      pausedRanges: [],
      showMarkersInTimeline: spans.state !== undefined || measured.length > 0,
      name: viewerName(threadTitle(thread, spans.thread)),
      isMainThread: mains.get(pid) === spans.thread,
      processName: viewerName(processes.get(pid) ?? ''),
      pid: String(pid),
      tid: ids.of(spans.thread),
    };
    yield `${at === 0 ? '' : ','}\n${JSON.stringify(about).slice(0, -1)},"samples":`;
    yield* samplesText(profile, spans, stacks[at] ?? new Int32Array());
    yield ',"markers":';
    const named = measured.map((span) => spanMarker(span, tables.string(span.name)));
    yield* markersText([...stateMarkers(spans, stateName), ...named]);
    yield '}';
  }
  yield '\n],"shared":';
  yield* tables.text();
  yield '}\n';
}

/** What stands below the innermost frame of a sample that waits: its time is no time of that function's bucket. */
const WAIT_FRAME: Readonly<Record<StateWait, string>> = {
  'gil-wait': '(waiting for the GIL)',
  'cpu-wait': '(waiting for a CPU)',
};

/**
 * Row in the file of a row of the profile. Each frame is in the bucket of the stack that ends in it, so that the page finds one category
 * for every call, wherever samples of it went on to.
 */
function stackTable(
  { frames, stacks }: Profile,
  marks: readonly StackMark[] | undefined,
  tables: FirefoxTables,
  categories: FirefoxCategories,
): (row: number, wait: StateWait | undefined) => number {
  const known = new Int32Array(stacks.length).fill(-1);
  return (row, wait) => {
    if (row < 0) return marker(undefined, NO_STACK, categories.place('unclassified', 'lost'));
    const own = placed(row);
    return wait === undefined ? own : marker(own, WAIT_FRAME[wait], categories.place(wait));
  };

  function marker(above: number | undefined, name: string, category: CategoryPlace): number {
    return tables.stack(above, tables.frame({ name, kind: 'marker' }, category));
  }

  function placed(row: number): number {
    const path: number[] = [];
    let at = row;
    for (; at >= 0 && (known[at] as number) < 0; at = stacks.parent[at] as number) path.push(at);
    let above = at < 0 ? undefined : (known[at] as number);
    for (const each of path.toReversed()) {
      const mark = marks?.[each];
      const category = mark === undefined ? undefined : categories.place(mark.bucket, mark.kind);
      const frame = frames[stacks.frame[each] as number] ?? UNKNOWN_FRAME;
      above = tables.stack(above, tables.frame(frame, category));
      known[each] = above;
    }
    return above ?? 0;
  }
}

const UNKNOWN_FRAME: Frame = { name: '?', kind: 'unknown' };

function meta(
  profile: Profile,
  { startMs, rateHz, spans }: WriteFacts,
  threads: readonly ThreadSpans[],
  marks: readonly StackMark[] | undefined,
  categories: FirefoxCategories,
): object {
  const hasStates = threads.some(({ state }) => state !== undefined);
  return {
    interval: rateHz === undefined ? 1 : 1000 / rateHz,
    startTime: startMs ?? 0,
    processType: 0,
    product: viewerName(profile.origin.path ?? profile.origin.format),
    stackwalk: 1,
    debug: false,
    version: GECKO_VERSION,
    preprocessedProfileVersion: PROCESSED_VERSION,
    importedFrom: 'sim-profiler',
    symbolicated: true,
    symbolicationNotSupported: true,
    usesOnlyOneStackType: true,
    sourceCodeIsNotOnSearchfox: true,
    keepProfileThreadOrder: true,
    initialSelectedThreads: [selectedThread(profile, threads, marks)],
    initialVisibleThreads: threads.map((_, at) => at),
    categories: categories.list(),
    markerSchema: [
      ...(hasStates ? [STATE_SCHEMA] : []),
      ...(spans !== undefined && spans.length > 0 ? [SPAN_SCHEMA] : []),
    ],
    extra: [
      {
        label: 'sim-profiler',
        entries: [{ label: 'Times', format: 'string', value: timesText(profile) }],
      },
    ],
  };
}

const STATE_SCHEMA = {
  name: STATE_MARKER,
  tooltipLabel: '{marker.data.state}',
  tableLabel: '{marker.data.state}',
  chartLabel: '{marker.data.state}',
  display: ['marker-chart', 'marker-table', 'timeline-overview'],
  fields: [
    { key: 'state', label: 'State', format: 'string' },
    { key: 'samples', label: 'Samples', format: 'integer' },
    { key: 'color', format: 'string', hidden: true },
  ],
  colorField: 'color',
  description: 'What the kernel said of the thread, from one sample to the next.',
};

const SPAN_SCHEMA = {
  name: SPAN_MARKER,
  tooltipLabel: '{marker.name}',
  tableLabel: '{marker.name}',
  chartLabel: '{marker.name}',
  display: ['marker-chart', 'marker-table'],
  fields: [
    { key: 'kind', label: 'Kind', format: 'string' },
    { key: 'color', format: 'string', hidden: true },
  ],
  colorField: 'color',
  description: 'What the program measured of itself, by sim-profiler/telemetry.',
};

/** Of `GraphColor`. */
const SPAN_COLOR: Readonly<Record<ProgramSpan['kind'], string>> = {
  span: 'blue',
  frame: 'grey',
  step: 'green',
  composite: 'teal',
  phase: 'orange',
};

/** The one that steps, where that is told; else the one with the most samples. */
function selectedThread(
  { samples }: Profile,
  threads: readonly ThreadSpans[],
  marks: readonly StackMark[] | undefined,
): number {
  const stepping = new Map<number, number>();
  const all = new Map<number, number>();
  for (let row = 0; row < samples.length; row += 1) {
    const thread = samples.thread[row] as number;
    const weight = samples.weight[row] as number;
    all.set(thread, (all.get(thread) ?? 0) + weight);
    if (marks?.[samples.stack[row] as number]?.bucket === 'physics')
      stepping.set(thread, (stepping.get(thread) ?? 0) + weight);
  }
  const by = stepping.size > 0 ? stepping : all;
  const best = [...by].toSorted((a, b) => b[1] - a[1] || a[0] - b[0])[0]?.[0];
  return Math.max(
    0,
    threads.findIndex(({ thread }) => thread === best),
  );
}

/** Index of the main thread of each process: the page draws the others below it. */
function mainThreads(
  { threads: all }: Profile,
  facts: WriteFacts,
  threads: readonly ThreadSpans[],
): ReadonlyMap<number, number> {
  const mains = new Map<number, number>();
  const isMain = (index: number): boolean => {
    const { tid, name } = all[index] ?? {};
    return name === 'MainThread' || (tid !== undefined && tid === pidOf(all[index] ?? {}, facts));
  };
  for (const { thread } of threads) {
    const pid = pidOf(all[thread] ?? {}, facts);
    const known = mains.get(pid);
    if (known === undefined || (isMain(thread) && !isMain(known))) mains.set(pid, thread);
  }
  return mains;
}

/** A sample for each span, and one without a stack where a gap begins. */
function* samplesText(profile: Profile, spans: ThreadSpans, stacks: Int32Array): Generator<string> {
  const { startNs, endNs, weight } = spans;
  const measured = profile.unit === 'nanoseconds';
  const isPlain = !measured && weight.every((one) => one === 1);
  /** Span, or of the gap after one -1 - span. */
  const rows: number[] = [];
  for (const span of startNs.keys()) {
    rows.push(span);
    const next = startNs[span + 1];
    if (next === undefined || next > (endNs[span] as number)) rows.push(-1 - span);
  }
  const at = (row: number): number => rows[row] as number;
  yield '{"stack":';
  yield* numbers(rows.length, (row) => (at(row) < 0 ? 'null' : (stacks[at(row)] as number)));
  yield ',"time":';
  yield* numbers(rows.length, (row) =>
    milliseconds((at(row) < 0 ? endNs[-1 - at(row)] : startNs[at(row)]) as number),
  );
  yield ',"weight":';
  if (isPlain) yield 'null';
  else {
    yield* numbers(rows.length, (row) => {
      if (at(row) < 0) return 0;
      const own = weight[at(row)] as number;
      return measured ? milliseconds(own) : own;
    });
  }
  yield `,"weightType":"${measured ? 'tracing-ms' : 'samples'}","length":${rows.length}}`;
}

interface Marker {
  readonly name: number;
  readonly startNs: number;
  readonly endNs: number;
  readonly data: object;
}

/** Equal neighbours are one marker. */
function stateMarkers({ startNs, endNs, state }: ThreadSpans, name: number): readonly Marker[] {
  const runs: { readonly state: number; readonly start: number; end: number; samples: number }[] = [];
  for (const [span, own] of (state ?? new Uint8Array()).entries()) {
    const start = startNs[span] as number;
    const end = endNs[span] as number;
    const last = runs.at(-1);
    if (last !== undefined && last.state === own && last.end === start) {
      last.end = end;
      last.samples += 1;
    } else runs.push({ state: own, start, end, samples: 1 });
  }
  return runs.map((run) => {
    const own = SAMPLE_STATES[run.state] ?? 'unknown';
    const data = {
      type: STATE_MARKER,
      state: STATE_TEXT[own],
      samples: run.samples,
      color: STATE_COLOR[own],
    };
    return { name, startNs: run.start, endNs: run.end, data };
  });
}

/** What began before the window is drawn from its beginning. */
function spanMarker({ kind, startNs, endNs }: ProgramSpan, name: number): Marker {
  const data = { type: SPAN_MARKER, kind, color: SPAN_COLOR[kind] };
  return { name, startNs: Math.max(0, startNs), endNs, data };
}

function* markersText(markers: readonly Marker[]): Generator<string> {
  const { length } = markers;
  yield '{"data":';
  yield* numbers(length, (row) => JSON.stringify(markers[row]?.data));
  yield ',"name":';
  yield* numbers(length, (row) => markers[row]?.name ?? 0);
  yield ',"startTime":';
  yield* numbers(length, (row) => milliseconds(markers[row]?.startNs ?? 0));
  yield ',"endTime":';
  yield* numbers(length, (row) => milliseconds(markers[row]?.endNs ?? 0));
  yield ',"phase":';
  yield* numbers(length, () => INTERVAL);
  yield ',"category":';
  yield* numbers(length, () => 0);
  yield `,"length":${length}}`;
}

/** With the nanoseconds behind the point: as text, since a division would round. Weights may be parts of one. */
function milliseconds(ns: number): string {
  if (!Number.isSafeInteger(ns)) return String(ns / 1e6);
  const rest = ns % 1e6;
  const whole = String((ns - rest) / 1e6);
  return rest === 0 ? whole : `${whole}.${String(rest).padStart(6, '0').replace(/0+$/, '')}`;
}
