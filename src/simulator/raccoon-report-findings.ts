import type { Finding } from '../model/index.js';
import { PART } from './raccoon-parts.js';
import type { ReportRow, ReportText } from './raccoon-report-text.js';

/** Each number of the report is rounded to a millisecond. */
const ROUNDING_S = 0.0005;
/** Columns of a line that is shown. */
const LONGEST_LINE = 80;

export function whereFindings(report: ReportText): readonly Finding[] {
  return [
    ...cut(report),
    ...unreadRows(report),
    ...identity(report, PART.overhead, [PART.dbWrite, PART.dbRead, PART.acquire, PART.other]),
    ...identity(report, PART.execute, [PART.sleep, PART.hal, PART.compute]),
    ...overheadShare(report),
    ...pastWall(report),
    ...traceWritten(report),
  ];
}

function cut({ isWhole }: ReportText): readonly Finding[] {
  if (isWhole) return [];
  return [
    {
      level: 'warning',
      id: 'report-cut-off',
      what: 'The report has no end.',
      why: 'Its program ended while it printed, or the log was cut: what would come after is missing.',
    },
  ];
}

function unreadRows({ unread }: ReportText): readonly Finding[] {
  const [first, ...more] = unread;
  if (first === undefined) return [];
  return [
    {
      level: 'warning',
      id: 'rows-not-read',
      what: `${unread.length} ${more.length === 0 ? 'line stands' : 'lines stand'} among the rows of calls and steps and cannot be read: they are left out.`,
      why: `They are damaged, of another program, or of another version of raccoon. The first: ${first.slice(0, LONGEST_LINE)}`,
    },
  ];
}

/** The rest of each step is cut off at 0, so that parts may be more than their whole, but never less. */
function identity(
  { partsS, isWhole }: ReportText,
  whole: string,
  parts: readonly string[],
): readonly Finding[] {
  const wholeS = partsS.get(whole);
  const values = parts.flatMap((part) => partsS.get(part) ?? []);
  if (wholeS === undefined || values.length < parts.length) {
    const isMissing = isWhole && wholeS !== undefined && wholeS > 0;
    return isMissing
      ? [sumsDiffer(`Of the parts of "${whole}" ${parts.length - values.length} are missing.`)]
      : [];
  }
  const sum = values.reduce((total, value) => total + value, 0);
  const doubt = ROUNDING_S * (parts.length + 1) + 1e-9;
  const text = `${parts.join(', ')} are ${sum.toFixed(3)} s of ${wholeS.toFixed(3)} s "${whole}"`;
  if (sum < wholeS - doubt) return [sumsDiffer(`${text}: they should be all of it.`)];
  if (sum <= wholeS + doubt) return [];
  return [
    {
      level: 'note',
      id: whole === PART.execute ? 'parts-exceed-body' : 'parts-exceed-overhead',
      what: `${text}: more than all of it.`,
      why: 'Some steps waited for several things at the same time, or did one of them outside: their parts overlap.',
    },
  ];
}

function overheadShare({ partsS, overheadPercent }: ReportText): readonly Finding[] {
  const [body, overhead] = [partsS.get(PART.execute), partsS.get(PART.overhead)];
  if (overheadPercent === undefined || body === undefined || overhead === undefined || body + overhead === 0)
    return [];
  const percent = (100 * overhead) / (body + overhead);
  const doubt = 0.05 + (100 * 2 * ROUNDING_S) / (body + overhead) + 1e-9;
  if (Math.abs(percent - overheadPercent) <= doubt) return [];
  return [
    sumsDiffer(
      `It says that ${overheadPercent.toFixed(1)} % of the time of steps is overhead, and its sums that ${percent.toFixed(1)} % is.`,
    ),
  ];
}

function sumsDiffer(what: string): Finding {
  return {
    level: 'warning',
    id: 'report-sums-differ',
    what,
    why: 'Lines of it are missing or of another report, as when several processes print into one log.',
  };
}

function pastWall({ mostPercent, partsS, wallS }: ReportText): readonly Finding[] {
  const all = (partsS.get(PART.execute) ?? 0) + (partsS.get(PART.overhead) ?? 0);
  const isPast = wallS !== undefined && all > wallS + 3 * ROUNDING_S;
  if (mostPercent <= 100 && !isPast) return [];
  return [
    {
      level: 'note',
      id: 'shares-pass-wall',
      what: `Steps took ${all.toFixed(3)} s of ${(wallS ?? 0).toFixed(3)} s of wall clock: shares pass 100 %.`,
      why: 'They are of the wall clock, and steps ran beside each other on several tasks, or inside each other.',
    },
  ];
}

function traceWritten({ tracePath, isTraceTold, traceLacks }: ReportText): readonly Finding[] {
  if (traceLacks !== undefined)
    return [
      {
        level: 'warning',
        id: 'trace-not-whole',
        what: `The trace ${tracePath ?? ''} lacks ${traceLacks.events} events: ${traceLacks.why}.`,
        why: 'The report has them all.',
      },
    ];
  if (tracePath === undefined || isTraceTold === true) return [];
  return [
    {
      level: 'note',
      id: 'trace-may-not-be-written',
      what: `The report says that ${tracePath} is written, but says so before it is.`,
      why: 'By default traces are kept in memory until the whole run has ended (RACCOON_PROFILE_DEFER): a run that crashed has none.',
      fix: 'RACCOON_PROFILE_DEFER=0, to have each mission write its own when it ends',
    },
  ];
}

export function rowFindings(rows: readonly ReportRow[], whole?: number): readonly Finding[] {
  const isCut = rows.filter((row) => row.isCut).length;
  const calls = rows.reduce((sum, row) => sum + row.calls, 0);
  return [
    ...(isCut === 0
      ? []
      : [
          {
            level: 'note',
            id: 'names-cut',
            what: `${isCut} names are cut to 30 letters.`,
            why: 'Several of one beginning look like the same; the trace has them whole.',
          } as const,
        ]),
    ...(whole === undefined || calls >= whole
      ? []
      : [
          {
            level: 'note',
            id: 'rows-left-out',
            what: `The table has ${calls} of ${whole} steps.`,
            why: 'It ends after the rows with most overhead.',
            fix: 'RACCOON_PROFILE_TOP=1000',
          } as const,
        ]),
  ];
}

/** Calls without a step count in the table of calls, and in no step. */
export function halFindings({ hal, halCalls }: ReportText): readonly Finding[] {
  const calls = hal.reduce((sum, row) => sum + row.calls, 0);
  if (halCalls === undefined || calls <= halCalls) return [];
  return [
    {
      level: 'note',
      id: 'calls-outside-steps',
      what: `${calls - halCalls} of ${calls} calls were made outside the steps that the report counts.`,
      why: 'Background tasks, threads and composite steps call hardware too: this table is more than that part of the step bodies.',
    },
  ];
}

export function lagFindings(): readonly Finding[] {
  return [
    {
      level: 'note',
      id: 'lag-not-measured',
      what: 'The lag of the event loop was not measured.',
      why: 'No step ran under asyncio, or RACCOON_PROFILE_LOOP_LAG switched it off: that nothing blocked it is not known.',
    },
  ];
}
