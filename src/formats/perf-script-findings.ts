import type { Finding } from '../model/index.js';
import type { EventSamples } from './perf-script-samples.js';

/** Below this part of the samples, code without symbols is not worth a warning. */
const MANY_UNRESOLVED = 0.2;
const MOST_NAMED = 3;
/** Stands for the event where lines do not name it. */
export const UNNAMED = '(unnamed)';

/** What was seen of a `perf script` text beside its samples. */
export interface PerfFacts {
  readonly main: EventSamples | undefined;
  readonly others: readonly EventSamples[];
  readonly isCpuTime: boolean;
  readonly lostSamples: number;
  readonly lostDataLines: number;
  readonly throttled: number;
  readonly isCut: boolean;
}

/** What a reader of answers from this text has to know. */
export function perfFindings(facts: PerfFacts): Finding[] {
  return [cutOff, lostData, throttled, noCallGraph, unresolved, ignored, meaning].flatMap(
    (finding) => finding(facts) ?? [],
  );
}

function cutOff({ isCut }: PerfFacts): Finding | undefined {
  if (!isCut) return undefined;
  return {
    level: 'warning',
    id: 'input-cut-off',
    what: 'The input ends in the middle of a stack.',
    why: 'perf script was stopped, or the disk was full: its last event is left out, and what came after is missing.',
  };
}

function lostData({ lostSamples, lostDataLines }: PerfFacts): Finding | undefined {
  if (lostSamples + lostDataLines === 0) return undefined;
  const said =
    lostSamples > 0
      ? `perf lost ${plural(lostSamples, 'event')}`
      : `perf says on ${plural(lostDataLines, 'line')} that it lost data`;
  return {
    level: 'warning',
    id: 'perf-lost-data',
    what: `${said}.`,
    why: 'It was not read fast enough, mostly while much was going on: busy moments are under-counted.',
    fix: 'perf record -m 1M -F 99 …  (a larger buffer, fewer samples)',
  };
}

function throttled({ throttled: times }: PerfFacts): Finding | undefined {
  if (times === 0) return undefined;
  return {
    level: 'warning',
    id: 'sampling-throttled',
    what: `The kernel paused the sampling ${times === 1 ? 'once' : `${times} times`}.`,
    why: 'Samples took more time than it allows, so that busy moments are under-counted.',
    fix: 'perf record -F 99 …  (fewer samples)',
  };
}

function noCallGraph({ main }: PerfFacts): Finding | undefined {
  if (main === undefined || main.oneLine === 0 || main.oneLine < main.count) return undefined;
  return {
    level: 'warning',
    id: 'no-call-graph',
    what: 'No call graph was recorded: each sample is one function without its callers.',
    why: 'What called it, and so which part of a step it belongs to, cannot be told.',
    fix: 'perf record -g …',
  };
}

function unresolved({ main }: PerfFacts): Finding | undefined {
  if (main === undefined) return undefined;
  const names = [...main.unresolved].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const sum = names.reduce((total, [, count]) => total + count, 0);
  if (sum === 0) return undefined;
  const share = sum / main.count;
  const more = names.length - MOST_NAMED;
  const named = names.slice(0, MOST_NAMED).map(([name, count]) => `${name} ${count}`);
  return {
    level: share > MANY_UNRESOLVED ? 'warning' : 'note',
    id: 'symbols-missing',
    what: `${sum} of ${plural(main.count, 'sample')} (${(share * 100).toFixed(1)} %) end in code without symbols: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`,
    why: 'Such code is shown by its library. perf found no symbols: the library is stripped, or was gone when perf script ran.',
  };
}

function ignored({ main, others }: PerfFacts): Finding | undefined {
  if (main === undefined || others.length === 0) return undefined;
  const counts = others.map(({ event, count }) => `${plural(count, 'sample')} of event ${event}`);
  return {
    level: 'note',
    id: 'events-ignored',
    what: `${counts.join(', ')} ignored.`,
    why: `Only ${main.event} counts: samples of different events have no common sum.`,
  };
}

function meaning({ main, isCpuTime }: PerfFacts): Finding | undefined {
  if (main === undefined || main.event === UNNAMED) return undefined;
  if (isCpuTime) {
    return {
      level: 'note',
      id: 'cpu-time-only',
      what: `Event ${main.event} is sampled on a CPU only: shares are of CPU time, never of wall time.`,
      why: 'Sleeping and waiting are not in them, however long they took.',
    };
  }
  return {
    level: 'note',
    id: 'counts-no-time',
    what: `Shares are of occurrences of event ${main.event}, not of time.`,
    why: 'The samples are not taken by a clock.',
  };
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
