import { colors } from './colors.js';
import { timedGilText } from './exact-gil.js';
import { alarmLines, noteLines, wrap } from './findings-text.js';
import { headerLines, lostLines } from './header-text.js';
import { bucketText, functionLabel, threadLabel } from './names.js';
import { interval, percent, plural } from './share-text.js';
import { type Column, type TextStyle, tableLines } from './table.js';
import type { GilHolder, ThreadWaits, WaitPlace, Waits } from './waits.js';

/** Columns that a full table of buckets takes; narrower ones leave out what is no wait. */
const ROOMY = 76;

/** Nothing is nothing: an empty cell reads better than a column of zeros. */
function cell(share: number): string {
  return share > 0 ? percent(share) : '';
}

function right(head: string): Column {
  return { head, align: 'right' };
}

function bucketLines({ thread, rows }: ThreadWaits, ofWall: boolean, style: TextStyle): string[] {
  const roomy = style.width >= ROOMY;
  const columns: Column[] = [
    { head: threadLabel(thread), shrinkTo: 12 },
    right(ofWall ? 'wall' : 'samples'),
    ...(roomy ? [right('runs')] : []),
    right('GIL wait'),
    right('CPU wait'),
    ...(roomy ? [right('sleeps'), right('blocked')] : []),
  ];
  const cells = rows.map(({ bucket, kind, wall, states }) => [
    bucketText(bucket, kind),
    percent(wall),
    ...(roomy ? [cell(states.running.share)] : []),
    cell(states['gil-wait'].share),
    cell(states['cpu-wait'].share),
    ...(roomy ? [cell(states.sleep.share), cell(states.blocked.share)] : []),
  ]);
  return tableLines(columns, cells, style);
}

function holderText({ thread, frame }: Pick<GilHolder, 'thread' | 'frame'>): string {
  if (thread === undefined) return 'nobody seen: it changed hands at that moment';
  return frame === undefined
    ? `${threadLabel(thread)} (no Python function)`
    : `${threadLabel(thread)}: ${functionLabel(frame)}`;
}

function holderLines({ holders, moreHolders }: ThreadWaits, style: TextStyle): string[] {
  if (holders.length === 0) return [];
  const columns: Column[] = [
    { head: 'of it', align: 'right' },
    { head: '95 %', align: 'right' },
    { head: 'on a CPU', align: 'right' },
    { head: 'held by', shrinkTo: 20 },
  ];
  const cells = holders.map((holder) => [
    percent(holder.part.share),
    interval(holder.part.low, holder.part.high),
    holder.running === undefined ? '' : percent(holder.running),
    holderText(holder),
  ]);
  return [
    '',
    ...wrap(
      'Who held the GIL meanwhile, and how much of that time the holder itself was on a CPU:',
      style.width,
      '  ',
    ),
    ...tableLines(columns, cells, style),
    ...(moreHolders.count === 0
      ? []
      : [`  ${plural(moreHolders.count, 'more row')}: ${percent(moreHolders.part)}`]),
  ];
}

/** Callers shown of a thread. */
const MOST_CALLERS = 5;

function callerLines({ timed }: ThreadWaits, style: TextStyle): string[] {
  if (timed === undefined || timed.callers.length === 0) return [];
  const columns: Column[] = [
    { head: 'GIL wait', align: 'right' },
    { head: 'what asked for the GIL', shrinkTo: 20 },
  ];
  const shown = timed.callers.slice(0, MOST_CALLERS);
  const more = timed.callers.slice(MOST_CALLERS);
  return [
    '',
    '  What had to wait, as the kernel timed it:',
    ...tableLines(
      columns,
      shown.map(({ name, share }) => [percent(share), name]),
      style,
    ),
    ...(more.length === 0
      ? []
      : [
          `  ${plural(more.length, 'more row')}: ${percent(more.reduce((sum, { share }) => sum + share, 0))}`,
        ]),
  ];
}

function heldText({ heldBy }: WaitPlace): string {
  return heldBy === undefined ? '' : holderText(heldBy);
}

function placeLines({ places, morePlaces }: ThreadWaits, style: TextStyle): string[] {
  if (places.length === 0) return [];
  const columns: Column[] = [
    { head: 'GIL wait', align: 'right' },
    { head: 'CPU wait', align: 'right' },
    { head: 'where', shrinkTo: 16 },
    { head: 'held mostly by', shrinkTo: 16, optional: true },
  ];
  const cells = places.map((place) => [
    cell(place.gilWait.share),
    cell(place.cpuWait.share),
    functionLabel(place.frame),
    heldText(place),
  ]);
  return [
    '',
    '  Where it waits:',
    ...tableLines(columns, cells, style),
    ...(morePlaces.count === 0
      ? []
      : [`  ${plural(morePlaces.count, 'more row')}: ${percent(morePlaces.share)}`]),
  ];
}

function sentence({ thread, whole, role }: ThreadWaits, named: boolean): string {
  const name =
    role === 'physics' && !named ? `The physics thread (${threadLabel(thread)})` : threadLabel(thread);
  const unknown =
    whole.unknown > 0 ? ` It was blocked ${percent(whole.unknown)}, of which no sample tells the kind.` : '';
  const rest = `It runs ${percent(whole.running)}, sleeps ${percent(whole.sleep)} and is blocked elsewhere ${percent(whole.blocked)}.`;
  return `${name} waits ${percent(whole['gil-wait'])} of the time for the GIL and ${percent(whole['cpu-wait'])} for a CPU. ${rest}${unknown}`;
}

function threadLines(thread: ThreadWaits, { ofWall, named }: Waits, style: TextStyle): string[] {
  const [head, ...rows] = bucketLines(thread, ofWall, style);
  const of = ofWall ? 'wall time' : 'samples';
  return [
    ...wrap(sentence(thread, named), style.width, '  '),
    ...(thread.timed === undefined ? [] : wrap(timedGilText(thread.timed), style.width, '  ')),
    '',
    ...(head === undefined ? [] : [colors(style.color).bold(head)]),
    ...rows,
    ...wrap(
      `Shares are of the ${of} of ${threadLabel(thread.thread)}; each row is split by what the thread did there.`,
      style.width,
      '  ',
    ),
    ...callerLines(thread, style),
    ...holderLines(thread, style),
    ...placeLines(thread, style),
    '',
  ];
}

/** The screen of `waits`. Ends with a newline. */
export function waitsText(waits: Waits, style: TextStyle): string {
  const seen = { weight: waits.samples, unit: 'samples', threads: waits.threadCount } as const;
  const lines = [
    ...headerLines(waits, seen, style.width),
    '',
    ...alarmLines(waits.findings, style),
    ...(waits.physicsKnown ? [] : ['  No thread was seen entering a simulation step that the rules know.']),
    ...waits.threads.flatMap((thread) => threadLines(thread, waits, style)),
    ...lostLines(waits.lost),
    ...noteLines(waits.findings, style),
    '  Next: profiler buckets · profiler threads',
  ];
  return `${lines.join('\n')}\n`;
}
