import type { Breakdown, ThreadAnswer } from './answer.js';
import { bar, partMarks, stackedBar } from './bar.js';
import { colors } from './colors.js';
import { alarmLines, noteLines, wrap } from './findings-text.js';
import { headerLines, lostLines } from './header-text.js';
import { threadLabel } from './names.js';
import { count, interval, percent, plural, weightText } from './share-text.js';
import { type Column, type Table, type TextStyle, table } from './table.js';
import { cleanText } from './terminal-text.js';
import { seenWeight } from './seen-weight.js';

/** Below this neither of two threads can be in the other's way. */
const OVERLAP_MATTERS = 0.03;

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

/** Who else is on a CPU while the physics thread is; said only where the kernel's totals allow it. */
function overlapSentences(answer: Breakdown): string[] {
  const physics = answer.physicsKnown ? answer.threads[0] : undefined;
  if (physics === undefined) return [];
  if (physics.estimate.states !== undefined) return besideSentences(answer);
  if (physics.totals === undefined) return [];
  const near = answer.threads.filter((thread) => (thread.overlap?.atMost ?? 0) >= OVERLAP_MATTERS);
  if (near.length === 0) return ['No other thread is on a CPU enough to overlap the physics thread.'];
  return near.map((thread) => {
    const { atLeast, atMost } = thread.overlap ?? { atLeast: 0, atMost: 0 };
    const range =
      atLeast > 0 ? `between ${percent(atLeast)} and ${percent(atMost)}` : `at most ${percent(atMost)}`;
    return `${threadLabel(thread.thread)} (${cleanText(thread.role)}) and the physics thread are on a CPU at the same time for ${range} of the window.`;
  });
}

/** What others did at the looks at which the physics thread was on a CPU. */
function besideSentences(answer: Breakdown): string[] {
  const others = answer.threads.filter(({ beside }) => beside !== undefined);
  if (others.length === 0) return [];
  const near = others.filter(
    ({ beside }) =>
      (beside?.states.running.share ?? 0) >= OVERLAP_MATTERS ||
      (beside?.states['gil-wait'].share ?? 0) >= OVERLAP_MATTERS ||
      (beside?.states['cpu-wait'].share ?? 0) >= OVERLAP_MATTERS,
  );
  if (near.length === 0)
    return ['While the physics thread was on a CPU, hardly any other thread of Python ran or wanted to.'];
  return near.flatMap(({ thread, role, beside }) => {
    if (beside === undefined) return [];
    const { states, absent, looks } = beside;
    const rest = states.sleep.share + states.blocked.share + absent.share;
    const ran = `ran ${percent(states.running.share)} (${interval(states.running.low, states.running.high)})`;
    return `While the physics thread was on a CPU (${count(looks)} looks), ${threadLabel(thread)} (${cleanText(role)}) ${ran}, waited for the GIL ${percent(states['gil-wait'].share)} and for a CPU ${percent(states['cpu-wait'].share)}, and rested ${percent(rest)}.`;
  });
}

/** The screen of `threads`. Ends with a newline. */
export function threadsText(answer: Breakdown, style: TextStyle): string {
  const paint = colors(style.color);
  const weight = seenWeight(answer.threads);
  const exact = answer.threads.some((thread) => thread.totals !== undefined);
  const basis = exact
    ? 'Each thread against its own wall time, from the kernel: exact.'
    : 'There are no kernel times: only how often each thread was seen.';
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
      `  next: profiler buckets (${plural(answer.threads.length, 'thread')}) · profiler hot --thread NAME`,
    );
  return `${lines.join('\n')}\n`;
}
