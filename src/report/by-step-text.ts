import type { Finding, Lost } from '../model/index.js';
import type { SourceRef, Window } from './answer.js';
import type { ByStep, SlowStep, StepRow, StepSet } from './by-step.js';
import { beganS, beyondText, lengthUs, openSlowest, shownSlowest } from './by-step-slowest.js';
import { alarmLines, noteLines, wrap } from './findings-text.js';
import { lostLines, windowText } from './header-text.js';
import { objectText, share } from './json.js';
import { bucketText, threadLabel, threadName } from './names.js';
import { count, percent } from './share-text.js';
import { sparkline } from './sparkline.js';
import { type TextStyle, tableLines } from './table.js';
import { cleanText } from './terminal-text.js';

/** The answer of `buckets --by-step`. */
export interface ByStepAnswer {
  readonly source: SourceRef;
  readonly window: Window;
  readonly byStep: ByStep;
  readonly lost: Lost;
  readonly findings: readonly Finding[];
}

/** Columns of names and figures beside a line of marks. */
const BESIDE_MARKS = 62;
const FEWEST_GROUPS = 8;

/** How many groups of steps a line has room for. */
export function groupsThatFit(width: number): number {
  return Math.max(FEWEST_GROUPS, width - BESIDE_MARKS);
}

/** Buckets that make the slow steps slow, told in one sentence. */
const MOST_CAUSES = 3;

/** A row for each bucket: what it takes of a step, and what of a slow one. */
export function byStepText(
  { source, window, byStep, lost, findings }: ByStepAnswer,
  style: TextStyle,
): string {
  const { thread, all, slow, rows, stepsPerGroup } = byStep;
  const path = source.path === '-' ? 'standard input' : cleanText(source.path);
  const head = [path, source.format, windowText(window)].filter((part) => part !== undefined).join(' · ');
  const shown = rows.map((row) => [
    bucketText(row.bucket),
    microseconds(row.all.share * all.meanUs),
    `±${microseconds(half(row) * all.meanUs)}`,
    percent(row.all.share),
    ...(slow === undefined || row.slow === undefined ? [] : [microseconds(row.slow.share * slow.meanUs)]),
    sparkline(row.shares, style),
  ]);
  return [
    ...alarmLines(findings, style),
    ...wrap(head, style.width, '  '),
    ...wrap(stepsText(byStep), style.width, '  '),
    '',
    ...tableLines(
      [
        { head: threadLabel(thread), shrinkTo: 12 },
        { head: 'µs a step', align: 'right' },
        { head: '', align: 'right' },
        { head: 'share', align: 'right' },
        ...(slow === undefined ? [] : [{ head: 'slow ones', align: 'right' as const }]),
        { head: 'over the steps' },
      ],
      shown,
      style,
    ),
    '',
    ...wrap(
      `A step lasts from the beginning of one to the beginning of the next. A mark is ${count(stepsPerGroup)} steps; each row is drawn from nothing to its own highest share.`,
      style.width,
      '  ',
    ),
    ...wrap(slowText(byStep), style.width, '  ', '    '),
    ...slowestLines(byStep, source.path, style),
    ...lostLines(lost),
    ...noteLines(findings, style),
    '',
  ].join('\n');
}

/** The slowest steps, each a line, and the line that opens the first of them. */
function slowestLines(byStep: ByStep, path: string, style: TextStyle): string[] {
  const shown = shownSlowest(byStep);
  if (shown.length === 0) return [];
  const open = openSlowest(byStep, path);
  return [
    '',
    ...tableLines(
      [
        { head: 'slowest from', align: 'right' },
        { head: 'µs', align: 'right' },
        { head: 'samples', align: 'right' },
        { head: 'most beyond the others', optional: true },
        { head: 'µs more', align: 'right', optional: true },
      ],
      shown.map((step) => [
        `${beganS(step).toFixed(3)} s`,
        microseconds(lengthUs(step)),
        count(step.looks),
        beyondText(step),
        step.beyond === undefined ? '' : microseconds(step.beyond.moreUs),
      ]),
      style,
    ),
    ...(open === undefined ? [] : ['', `  Open the slowest: ${open}`]),
  ];
}

function half({ all }: StepRow): number {
  return (all.high - all.low) / 2;
}

/** `1,204`, `12.3`, `0.42`: of microseconds. */
export function microseconds(value: number): string {
  if (value >= 100) return count(Math.round(value));
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** What makes slow steps slow: buckets that take more of them than of the others, beyond what counting explains. */
export function causesOf(
  { rows }: ByStep,
  slow: StepSet,
  others: StepSet,
): readonly { readonly row: StepRow; readonly moreUs: number }[] {
  return rows
    .flatMap((row) => {
      if (row.slow === undefined || row.others === undefined) return [];
      const moreUs = row.slow.share * slow.meanUs - row.others.share * others.meanUs;
      const surely = row.slow.low * slow.meanUs > row.others.high * others.meanUs;
      return surely ? [{ row, moreUs }] : [];
    })
    .toSorted((a, b) => b.moreUs - a.moreUs);
}

/** How long steps take, in one sentence. */
export function stepsText({ all, p50Us, p95Us, p99Us, maxUs }: ByStep): string {
  return `${count(all.steps)} steps, ${microseconds(all.meanUs)} µs each; half take no more than ${microseconds(p50Us)}, 95 of 100 no more than ${microseconds(p95Us)}, 99 no more than ${microseconds(p99Us)}, the longest ${microseconds(maxUs)}.`;
}

/** What makes the slow steps slow, in one sentence. */
export function slowText(byStep: ByStep): string {
  const { slow, others } = byStep;
  if (slow === undefined || others === undefined)
    return 'Too few steps, or samples in the slow ones, to set those apart.';
  const causes = causesOf(byStep, slow, others).slice(0, MOST_CAUSES);
  const head = `The ${count(slow.steps)} slow ones, from ${microseconds(slow.fromUs)} µs on, take ${microseconds(slow.meanUs)} µs each, ${microseconds(slow.meanUs - others.meanUs)} more than the others`;
  if (causes.length === 0) return `${head}; no bucket takes more of them than counting explains.`;
  const parts = causes.map(({ row, moreUs }) => `${bucketText(row.bucket)} ${microseconds(moreUs)}`);
  return `${head}: of that, ${parts.join(', ')}.`;
}

function timeJson(row: StepRow['all'] | undefined, set: StepSet | undefined): object | undefined {
  if (row === undefined || set === undefined) return undefined;
  const { meanUs } = set;
  return { us: share(row.share * meanUs), low: share(row.low * meanUs), high: share(row.high * meanUs) };
}

function slowestJson(step: SlowStep): object {
  const { looks, beyond } = step;
  return {
    from: share(beganS(step)),
    us: share(lengthUs(step)),
    samples: looks,
    ...(beyond === undefined ? {} : { bucket: beyond.bucket, moreUs: share(beyond.moreUs) }),
  };
}

/** `kind: "by-step"`. Times in microseconds of a step. */
export function byStepJson({ source, window, byStep, lost, findings }: ByStepAnswer): string {
  const { thread, role, all, slow, others, rows, slowest, stepsPerGroup, p50Us, p95Us, p99Us, maxUs } =
    byStep;
  return objectText('by-step', {
    source,
    window,
    thread: threadName(thread),
    tid: thread.tid,
    role,
    steps: all.steps,
    samples: all.looks,
    stepUs: {
      mean: share(all.meanUs),
      p50: share(p50Us),
      p95: share(p95Us),
      p99: share(p99Us),
      max: share(maxUs),
    },
    slow:
      slow === undefined
        ? undefined
        : { steps: slow.steps, samples: slow.looks, fromUs: share(slow.fromUs), meanUs: share(slow.meanUs) },
    slowest: slow === undefined ? undefined : slowest.map(slowestJson),
    stepsPerGroup,
    buckets: rows.map((row) => ({
      id: row.bucket,
      share: share(row.all.share),
      ...timeJson(row.all, all),
      slow: timeJson(row.slow, slow),
      others: timeJson(row.others, others),
      shares: row.shares.map((one) => (one === undefined ? null : share(one))),
    })),
    lost,
    findings,
  });
}
