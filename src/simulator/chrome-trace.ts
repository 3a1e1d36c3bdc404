/**
 * Any file in the Trace Event Format of Chrome ("Trace Event Format", Google document 1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU): what
 * its durations add up to, by name, category and thread.
 */
import type { Finding } from '../model/index.js';
import { spansOf } from './chrome-spans.js';
import type { TraceSpans } from './chrome-spans.js';
import { spread } from './quantile.js';
import { isRaccoon } from './raccoon-trace-events.js';
import { nestedTotals } from './span-nesting.js';
import type { NestedTotals } from './span-nesting.js';
import type { CostRow, CostTable, TableReader } from './table.js';
import { traceEvents } from './trace-events.js';

/** Programs that put a number into each name make as many names as events; nobody reads that many rows. */
export const MOST_NAMES = 10_000;

function chromeTables(document: unknown): readonly CostTable[] | undefined {
  const events = traceEvents(document);
  if (events === undefined || isRaccoon(events)) return undefined;
  const spans = spansOf(events);
  const totals = nestedTotals(spans.tracks, spans.keys.length);
  const wholeUs = totals.busyUs.reduce((sum, us) => sum + us, 0);
  const names = nameRows(spans, totals, wholeUs);
  const rows = names.slice(0, MOST_NAMES);
  const restUs = names.slice(MOST_NAMES).reduce((sum, { selfUs = 0 }) => sum + selfUs, 0);
  const table = (title: string, own: readonly CostRow[]): CostTable => ({
    kind: 'chrome-trace',
    title,
    lines: { from: 1, to: 1 },
    rows: own,
    ...(wholeUs > 0 ? { wholeUs } : {}),
    findings: [],
  });
  const main = table('Chrome trace: durations by name', rows);
  const categories = categoryRows(names, wholeUs);
  const threads = threadRows(spans, totals, wholeUs);
  return [
    {
      ...main,
      ...(wholeUs > 0 ? { restUs } : {}),
      findings: findingsOf(spans, totals, events.length, names.length),
    },
    ...(categories.length > 1 ? [table('Chrome trace: durations by category', categories)] : []),
    ...(threads.length > 1 ? [table('Chrome trace: durations by thread', threads)] : []),
  ];
}

/** The most costly by itself first. */
function nameRows({ keys }: TraceSpans, totals: NestedTotals, wholeUs: number): readonly CostRow[] {
  return keys
    .flatMap(({ name, category, durationsUs }, key): CostRow[] => {
      // A beginning that never ended has a name and no duration.
      if (durationsUs.length === 0) return [];
      const selfUs = rounded(totals.selfUs[key]);
      return [
        {
          name,
          path: [],
          role: 'part',
          ...(category === undefined ? {} : { of: category }),
          totalUs: rounded(totals.totalUs[key]),
          selfUs,
          ...spread(durationsUs),
          ...(wholeUs > 0 ? { share: selfUs / wholeUs } : {}),
        },
      ];
    })
    .toSorted((a, b) => (b.selfUs ?? 0) - (a.selfUs ?? 0));
}

/** A category has no total of its own: one inside another of the same would count twice, and what is inside is often of another. */
function categoryRows(names: readonly CostRow[], wholeUs: number): readonly CostRow[] {
  const byCategory = new Map<string | undefined, { calls: number; selfUs: number }>();
  for (const { of, calls = 0, selfUs = 0 } of names) {
    const known = byCategory.get(of) ?? { calls: 0, selfUs: 0 };
    byCategory.set(of, { calls: known.calls + calls, selfUs: known.selfUs + selfUs });
  }
  return [...byCategory]
    .map(([category, { calls, selfUs }]): CostRow => ({
      name: category ?? '(no category)',
      path: [],
      role: 'part',
      calls,
      selfUs: rounded(selfUs),
      ...(wholeUs > 0 ? { share: selfUs / wholeUs } : {}),
    }))
    .toSorted((a, b) => (b.selfUs ?? 0) - (a.selfUs ?? 0));
}

function threadRows({ tracks }: TraceSpans, { busyUs }: NestedTotals, wholeUs: number): readonly CostRow[] {
  return tracks
    .flatMap(({ pid, tid, name, key }, at): CostRow[] => {
      if (key.length === 0) return [];
      const totalUs = rounded(busyUs[at]);
      const id = `${idText(pid)}/${idText(tid)}`;
      return [
        {
          name: name === undefined ? id : `${name} (${id})`,
          path: [],
          role: 'part',
          calls: key.length,
          totalUs,
          ...(wholeUs > 0 ? { share: totalUs / wholeUs } : {}),
        },
      ];
    })
    .toSorted((a, b) => (b.totalUs ?? 0) - (a.totalUs ?? 0));
}

function idText(id: unknown): string {
  return typeof id === 'number' || typeof id === 'string' ? String(id) : '?';
}

/** Sums of times as large as those of a clock leave a dust of binary digits; a picosecond is less than any of them means. */
function rounded(us: number | undefined): number {
  return Math.round((us ?? 0) * 1e6) / 1e6;
}

/** Category of all events that `py-spy record -f chrometrace` writes. */
const PY_SPY = 'py-spy';

function findingsOf(spans: TraceSpans, totals: NestedTotals, events: number, names: number): Finding[] {
  const { skipped, unreadable, unended, unbegun, closedAtEnd } = spans;
  const findings: Finding[] = [];
  if (spans.keys.some(({ category }) => category === PY_SPY))
    findings.push({
      level: 'warning',
      id: 'sampled-trace',
      what: 'py-spy drew this trace from samples: its durations are runs of equal stacks, and no calls.',
      why: 'Two calls in a row are one, and a thread that was left out as idle seems to go on with what it did.',
      fix: 'profiler attach --pid PID',
    });
  if (spans.keys.every(({ durationsUs }) => durationsUs.length === 0))
    findings.push({
      level: 'warning',
      id: 'no-durations',
      what: `None of the trace's ${events} events has a duration: there is no X, and no B with its E.`,
      why: 'Counters, instants and asynchronous events say when something was, not what a thread was busy with.',
    });
  if (unended + unbegun > 0)
    findings.push({
      level: 'warning',
      id: 'unmatched-events',
      what: `${unended} B events have no E, ${unbegun} E events no B: they are left out.`,
      why: 'A trace that starts or ends in the middle of something has some; many of them make the totals too small.',
    });
  if (closedAtEnd > 0)
    findings.push({
      level: 'warning',
      id: 'open-at-end',
      what: `${closedAtEnd} B ${closedAtEnd === 1 ? 'event was' : 'events were'} open to the end of the trace, and ${closedAtEnd === 1 ? 'counts' : 'count'} up to the last event of the thread.`,
      why: 'The program ended, or the recording was stopped, in the middle of them. One whose E was lost earlier looks the same, and is too long.',
    });
  if (unreadable > 0)
    findings.push({
      level: 'warning',
      id: 'unreadable-events',
      what: `${unreadable} of ${events} events have no phase, no time or no valid duration: they are left out.`,
      why: 'Totals are of the others.',
    });
  if (totals.overlaps > 0)
    findings.push({
      level: 'note',
      id: 'overlapping-events',
      what: `${totals.overlaps} durations go on after the one in which they began.`,
      why: 'Tasks that take turns on one thread are drawn that way; what two of them share counts as the own time of the later one.',
    });
  if (skipped.size > 0)
    findings.push({
      level: 'note',
      id: 'skipped-events',
      what: `Events without a duration of a thread are passed over: ${skippedText(skipped)}.`,
      why: 'Counters, instants, flows and asynchronous events are not part of what a thread was busy with.',
    });
  if (names > MOST_NAMES)
    findings.push({
      level: 'note',
      id: 'too-many-names',
      what: `Of ${names} names the ${MOST_NAMES} that took most are shown.`,
      why: 'A name with a number or an address in it is new every time.',
    });
  return findings;
}

function skippedText(skipped: ReadonlyMap<string, number>): string {
  return [...skipped].map(([phase, count]) => `${count} of phase ${phase}`).join(', ');
}

export const CHROME_TRACE: TableReader = { json: chromeTables };
