import type { Breakdown, ThreadAnswer } from './answer.js';
import { bar, partMarks, stackedBar } from './bar.js';
import { colors } from './colors.js';
import { alarmLines, noteLines, wrap } from './findings-text.js';
import { headerLines, lostLines } from './header-text.js';
import { threadLabel } from './names.js';
import { overlapSentences } from './overlap-text.js';
import { percent, plural, weightText } from './share-text.js';
import { type Column, type Table, type TextStyle, table } from './table.js';
import { cleanText } from './terminal-text.js';
import { seenWeight } from './seen-weight.js';

/** Below this many columns the id inside the container is left out, and of exact times the number of samples. */
const ROOMY = 110;

const optional = (share: number | undefined): string => (share === undefined ? '' : percent(share));

function idText(thread: ThreadAnswer, style: TextStyle): string {
  const { tid, nsTid } = thread.thread;
  if (tid === undefined) return '';
  return nsTid === undefined || nsTid === tid || style.width < ROOMY
    ? String(tid)
    : `${tid} (${nsTid} inside)`;
}

function seenShare(thread: ThreadAnswer, answer: Breakdown): string {
  const { ticks } = answer.window;
  if (ticks === undefined || ticks <= 0) return '';
  return percent(Math.min(1, thread.estimate.samples / ticks));
}

/** What the bars show: the kernel's totals, else how often each thread was seen, against all looks or the thread that was seen most. */
function barOf(
  answer: Breakdown,
  exact: boolean,
  style: TextStyle,
): (thread: ThreadAnswer, room: number) => string {
  if (exact) {
    return ({ totals }, room) =>
      totals === undefined ? '' : stackedBar([totals.onCpu, totals.cpuWait, totals.blocked], room, style);
  }
  const most = Math.max(...answer.threads.map(({ estimate }) => estimate.samples));
  const whole = answer.window.ticks ?? most;
  return ({ estimate }, room) => bar(estimate.samples / whole, room, style);
}

function barLegend(answer: Breakdown, exact: boolean, style: TextStyle): string {
  const [onCpu, waiting, blocked] = partMarks(style);
  if (exact)
    return ` Bars: ${onCpu} on a CPU, ${waiting} waiting for one, ${blocked} blocked; thin marks are less than half a column.`;
  return answer.window.ticks === undefined ? ' The longest bar was seen most.' : ' A full bar is every look.';
}

function threadsTable(answer: Breakdown, exact: boolean, style: TextStyle): Table {
  const gil = answer.threads.some((thread) => thread.totals?.gilWait !== undefined);
  const seen = !exact && answer.window.ticks !== undefined;
  const roomy = style.width >= ROOMY;
  const counted = roomy || !exact;
  const drawn = barOf(answer, exact, style);
  const columns: Column[] = [
    { head: 'thread', shrinkTo: 10, besideBar: 16 },
    { head: 'tid', align: 'right', optional: true },
    { head: 'role', shrinkTo: 8, besideBar: 16 },
    ...(counted ? [{ head: answer.unit === 'samples' ? 'samples' : 'time', align: 'right' } as const] : []),
    {
      head: '',
      bar: (at, room) => {
        const thread = answer.threads[at];
        return thread === undefined ? '' : drawn(thread, room);
      },
    },
    ...(seen ? [{ head: 'seen in', align: 'right' } as const] : []),
    ...(exact
      ? ([
          { head: 'on CPU', align: 'right' },
          { head: roomy ? 'waits CPU' : 'waits', align: 'right' },
          { head: 'blocked', align: 'right' },
        ] as const)
      : []),
    ...(gil ? [{ head: roomy ? 'of it GIL' : 'GIL', align: 'right' } as const] : []),
  ];
  const rows = answer.threads.map((thread) => [
    threadLabel(thread.thread),
    idText(thread, style),
    cleanText(thread.role),
    ...(counted
      ? [
          answer.unit === 'samples'
            ? String(thread.estimate.samples)
            : weightText(thread.estimate.samples, answer.unit),
        ]
      : []),
    '',
    ...(seen ? [seenShare(thread, answer)] : []),
    ...(exact
      ? [optional(thread.totals?.onCpu), optional(thread.totals?.cpuWait), optional(thread.totals?.blocked)]
      : []),
    ...(gil ? [optional(thread.totals?.gilWait)] : []),
  ]);
  return table(columns, rows, style);
}

/** The screen of `threads`. Ends with a newline. */
export function threadsText(answer: Breakdown, style: TextStyle): string {
  const paint = colors(style.color);
  const weight = seenWeight(answer.threads);
  const exact = answer.threads.some((thread) => thread.totals !== undefined);
  const basis = exact
    ? 'Each thread against its own wall time, from the kernel: exact.'
    : 'There are no kernel times: only how often each thread was seen. Of one that is missing nothing is known.';
  const { lines: tabled, bars } = threadsTable(answer, exact, style);
  const [head, ...rows] = tabled;
  const lines = [
    ...headerLines(answer, { weight, unit: answer.unit, threads: answer.threads.length }, style.width),
    '',
    ...alarmLines(answer.findings, style),
    ...(head === undefined ? [] : [paint.bold(head)]),
    ...rows,
    ...wrap(`${basis}${bars ? barLegend(answer, exact, style) : ''}`, style.width, '  '),
    ...overlapSentences(answer).flatMap((sentence) => wrap(sentence, style.width, '  ')),
    ...(answer.physicsKnown ? [] : ['  No thread was seen entering a simulation step that the rules know.']),
    ...lostLines(answer.lost),
    ...noteLines(answer.findings, style),
  ];
  if (answer.threads.length > 0)
    lines.push(
      `  Next: profiler buckets (${plural(answer.threads.length, 'thread')}) · profiler hot --thread NAME`,
    );
  return `${lines.join('\n')}\n`;
}
