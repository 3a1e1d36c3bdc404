import { STATE_TEXT, SAMPLE_STATES, framesOf, spanTracks, trackEvents, trackTitle } from '../model/index.js';
import type { Frame, Profile, SpanTrack } from '../model/index.js';
import type { StackMark, WriteFacts } from './format.js';
import { NO_STACK } from './no-stack.js';
import { boundedStack } from './speedscope-limits.js';
import { type ThreadSpans, spansOf } from './thread-spans.js';
import { timesText } from './time-notes.js';
import { viewerName } from './viewer-name.js';
import { TidTable, pidOf, processesOf, threadTitle } from './viewer-ids.js';

/** Perfetto drops slices that are nested deeper than 512, its older versions deeper than 255. */
export const MOST_CHROME_DEPTH = 250;

/** Stands in a list of frame indexes for what is no frame of the profile. */
const NONE = -1;
const LEFT_OUT = -2;

/**
 * A thread has a row of its calls, one of the buckets that they are in, and one of what the kernel says of it; the last two are threads
 * of their own, since that is the only row that every viewer draws as one. A call begins and ends (`B`, `E`) at the same written number
 * as its neighbours, so that no rounding makes them overlap, as a start and a length (`X`) would.
 */
export function* chromeText(profile: Profile, facts: WriteFacts = {}): Generator<string> {
  const { threads } = spansOf(profile, facts.rateHz);
  const ids = new TidTable(profile.threads);
  const calls = callTexts(profile.frames);
  const marks = facts.marks?.();
  const tracks = spanTracks(facts.spans ?? []);
  let first = true;
  const separated = (event: string): string => {
    const before = first ? '\n' : ',\n';
    first = false;
    return before + event;
  };
  yield '{"traceEvents":[';
  for (const [pid, name] of processesOf(profile, facts))
    yield separated(metadata('process_name', pid, 0, { name: viewerName(name) }));
  for (const [at, spans] of threads.entries()) {
    const thread = profile.threads[spans.thread] ?? {};
    const pid = pidOf(thread, facts);
    for (const [place, row] of rowsOf(profile, spans, marks, calls).entries()) {
      const tid = place === 0 ? ids.of(spans.thread) : ids.next();
      const name = viewerName(`${threadTitle(thread, spans.thread)}${row.suffix}`);
      yield separated(metadata('thread_name', pid, tid, { name }));
      yield separated(metadata('thread_sort_index', pid, tid, { sort_index: at * 3 + place }));
      const head = `"pid":${pid},"tid":${tid}`;
      for (const event of sliceEvents(spans, row.stackAt, head, row.textOf)) yield separated(event);
    }
    for (const track of tracks.filter(({ tid }) => tid === thread.tid)) {
      const tid = ids.next();
      const name = viewerName(`${threadTitle(thread, spans.thread)} · ${trackTitle(track)}`);
      yield separated(metadata('thread_name', pid, tid, { name }));
      yield separated(metadata('thread_sort_index', pid, tid, { sort_index: at * 3 + 2 }));
      for (const event of spanEvents(track, `"pid":${pid},"tid":${tid}`)) yield separated(event);
    }
  }
  const about = {
    exporter: 'sim-profiler',
    source: viewerName(profile.origin.path ?? profile.origin.format),
    times: timesText(profile),
    unit: profile.unit,
  };
  yield `\n],"displayTimeUnit":"ms","otherData":${JSON.stringify(about)}}\n`;
}

function metadata(kind: string, pid: number, tid: number, args: object): string {
  return JSON.stringify({ ph: 'M', name: kind, pid, tid, args });
}

/** The rest of an event that begins a call, after its time, and of the one that ends it. */
interface SliceText {
  readonly begin: string;
  readonly end: string;
}

interface Row {
  /** After the thread's name. */
  readonly suffix: string;
  /** What is open during a span, outermost first. */
  readonly stackAt: (span: number) => readonly number[];
  readonly textOf: (slice: number) => SliceText;
}

function rowsOf(
  profile: Profile,
  spans: ThreadSpans,
  marks: readonly StackMark[] | undefined,
  calls: (frame: number) => SliceText,
): readonly Row[] {
  const rows: Row[] = [
    { suffix: '', stackAt: (span) => openCalls(profile, spans.stack[span] as number), textOf: calls },
  ];
  if (marks !== undefined) rows.push(bucketRow(spans, marks));
  const { state } = spans;
  if (state !== undefined) {
    const texts = SAMPLE_STATES.map((one) => sliceText(STATE_TEXT[one], 'state'));
    const textOf = (slice: number): SliceText => texts[slice] ?? sliceText(STATE_TEXT.unknown, 'state');
    rows.push({ suffix: ' · state', stackAt: (span) => [state[span] as number], textOf });
  }
  return rows;
}

function openCalls(profile: Profile, stack: number): readonly number[] {
  if (stack < 0) return [NONE];
  return boundedStack(framesOf(profile, stack), { depth: MOST_CHROME_DEPTH }, () => LEFT_OUT);
}

function bucketRow(spans: ThreadSpans, marks: readonly StackMark[]): Row {
  const numbers = new Map<string, number>();
  const texts: SliceText[] = [];
  const numberOf = (stack: number): number => {
    const mark = marks[stack];
    const bucket = mark?.bucket ?? 'unclassified';
    const kind = stack < 0 ? 'lost' : mark?.kind;
    const name = kind === undefined ? bucket : `${bucket}/${kind}`;
    const known = numbers.get(name);
    if (known !== undefined) return known;
    const added = texts.push(sliceText(name, 'bucket')) - 1;
    numbers.set(name, added);
    return added;
  };
  return {
    suffix: ' · buckets',
    stackAt: (span) => [numberOf(spans.stack[span] as number)],
    textOf: (slice) => texts[slice] ?? sliceText('unclassified', 'bucket'),
  };
}

function sliceText(name: string, cat: string, args?: object): SliceText {
  const called = JSON.stringify(viewerName(name));
  return {
    begin: `"name":${called},"cat":"${cat}"${args === undefined ? '' : `,"args":${JSON.stringify(args)}`}}`,
    end: `"name":${called}}`,
  };
}

/** Texts of calls by frame, each made once. */
function callTexts(frames: readonly Frame[]): (frame: number) => SliceText {
  const none = sliceText(NO_STACK, 'marker');
  const leftOut = sliceText('(frames left out)', 'marker');
  const known: SliceText[] = [];
  return (frame) => {
    if (frame === NONE) return none;
    if (frame === LEFT_OUT) return leftOut;
    return (known[frame] ??= callText(frames[frame]));
  };
}

function callText(frame: Frame | undefined): SliceText {
  if (frame === undefined) return sliceText('?', 'unknown');
  const file = frame.file ?? frame.module;
  const args = {
    ...(file === undefined ? {} : { file: viewerName(file) }),
    ...(frame.line === undefined ? {} : { line: frame.line }),
  };
  return sliceText(frame.name, frame.kind, Object.keys(args).length === 0 ? undefined : args);
}

/**
 * How many calls the trace has: one that goes on from one sample to the next is one call. Counted no further than to `most`, since a large
 * profile takes as long to count as to write.
 */
export function chromeCalls(profile: Profile, most: number): number {
  let calls = 0;
  for (const { stack, startNs, endNs } of spansOf(profile).threads) {
    let open: readonly number[] = [];
    let until = 0;
    for (const [span, start] of startNs.entries()) {
      const next = openCalls(profile, stack[span] as number);
      calls += next.length - (start > until ? 0 : sameCalls(open, next));
      if (calls > most) return calls;
      open = next;
      until = endNs[span] as number;
    }
  }
  return calls;
}

/** How many of the outermost are the same. */
function sameCalls(open: readonly number[], next: readonly number[]): number {
  let same = 0;
  while (same < open.length && same < next.length && open[same] === next[same]) same += 1;
  return same;
}

/** What is open in one span and in the next stays open: a slice is as long as its spans together. */
function* sliceEvents(
  { startNs, endNs }: ThreadSpans,
  stackAt: (span: number) => readonly number[],
  head: string,
  textOf: (slice: number) => SliceText,
): Generator<string> {
  let open: readonly number[] = [];
  let until = 0;
  const closed = function* (above: number): Generator<string> {
    for (const slice of open.slice(above).toReversed())
      yield `{"ph":"E",${head},"ts":${micros(until)},${textOf(slice).end}`;
  };
  for (const [span, start] of startNs.entries()) {
    const end = endNs[span] as number;
    if (end <= start) continue;
    if (start > until) {
      yield* closed(0);
      open = [];
    }
    const stack = stackAt(span);
    const same = sameCalls(open, stack);
    yield* closed(same);
    for (const slice of stack.slice(same))
      yield `{"ph":"B",${head},"ts":${micros(start)},${textOf(slice).begin}`;
    open = stack;
    until = end;
  }
  yield* closed(0);
}

/** What the program named, as slices that begin and end; those with `cut` began before the window, or had not ended. */
function* spanEvents(track: SpanTrack, head: string): Generator<string> {
  for (const { type, span, ns } of trackEvents(track)) {
    const { name, kind, startNs, isOpen } = span;
    const text = sliceText(name, kind, startNs < 0 || isOpen === true ? { cut: true } : undefined);
    if (type === 'begin') yield `{"ph":"B",${head},"ts":${micros(ns)},${text.begin}`;
    else yield `{"ph":"E",${head},"ts":${micros(ns)},${text.end}`;
  }
}

/** Microseconds, with the nanoseconds behind the point: as text, since a division would round. */
function micros(ns: number): string {
  const rest = ns % 1000;
  const whole = String((ns - rest) / 1000);
  return rest === 0 ? whole : `${whole}.${String(rest).padStart(3, '0').replace(/0+$/, '')}`;
}
