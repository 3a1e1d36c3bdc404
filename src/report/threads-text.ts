import type { Breakdown, ThreadAnswer } from './answer.js';
import { colors } from './colors.js';
import { alarmLines, noteLines, wrap } from './findings-text.js';
import { headerLines, lostLines } from './header-text.js';
import { threadLabel } from './names.js';
import { percent, plural, weightText } from './share-text.js';
import { type Column, type TextStyle, tableLines } from './table.js';
import { cleanText } from './terminal-text.js';

/** Below this neither of two threads can be in the other's way. */
const OVERLAP_MATTERS = 0.03;

/** Below this many columns the id inside the container is left out. */
const ROOMY = 90;

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

function threadsTable(answer: Breakdown, style: TextStyle): string[] {
  const exact = answer.threads.some((thread) => thread.totals !== undefined);
  const gil = answer.threads.some((thread) => thread.totals?.gilWait !== undefined);
  const seen = !exact && answer.window.ticks !== undefined;
  const columns: Column[] = [
    { head: 'thread', shrinkTo: 10 },
    { head: 'tid', align: 'right', optional: true },
    { head: 'role', shrinkTo: 8 },
    { head: answer.unit === 'samples' ? 'samples' : 'time', align: 'right' },
    ...(seen ? [{ head: 'seen in', align: 'right' } as const] : []),
    ...(exact
      ? ([
          { head: 'on CPU', align: 'right' },
          { head: 'waits CPU', align: 'right' },
          { head: 'blocked', align: 'right' },
        ] as const)
      : []),
    ...(gil ? [{ head: 'of it GIL', align: 'right' } as const] : []),
  ];
  const rows = answer.threads.map((thread) => [
    threadLabel(thread.thread),
    idText(thread, style),
    cleanText(thread.role),
    answer.unit === 'samples'
      ? String(thread.estimate.samples)
      : weightText(thread.estimate.samples, answer.unit),
    ...(seen ? [seenShare(thread, answer)] : []),
    ...(exact
      ? [optional(thread.totals?.onCpu), optional(thread.totals?.cpuWait), optional(thread.totals?.blocked)]
      : []),
    ...(gil ? [optional(thread.totals?.gilWait)] : []),
  ]);
  return tableLines(columns, rows, style);
}

/** Who else is on a CPU while the physics thread is; said only where the kernel's totals allow it. */
function overlapSentences(answer: Breakdown): string[] {
  const physics = answer.physicsKnown ? answer.threads[0] : undefined;
  if (physics?.totals === undefined) return [];
  const near = answer.threads.filter((thread) => (thread.overlap?.atMost ?? 0) >= OVERLAP_MATTERS);
  if (near.length === 0) return ['No other thread is on a CPU enough to overlap the physics thread.'];
  return near.map((thread) => {
    const { atLeast, atMost } = thread.overlap ?? { atLeast: 0, atMost: 0 };
    const range =
      atLeast > 0 ? `between ${percent(atLeast)} and ${percent(atMost)}` : `at most ${percent(atMost)}`;
    return `${threadLabel(thread.thread)} (${cleanText(thread.role)}) and the physics thread are on a CPU at the same time for ${range} of the window.`;
  });
}

/** The screen of `threads`. Ends with a newline. */
export function threadsText(answer: Breakdown, style: TextStyle): string {
  const paint = colors(style.color);
  const weight = answer.threads.reduce((sum, thread) => sum + thread.estimate.samples, 0);
  const exact = answer.threads.some((thread) => thread.totals !== undefined);
  const basis = exact
    ? 'Each thread against its own wall time, from the kernel: exact.'
    : 'There are no kernel times: only how often each thread was seen.';
  const [head, ...rows] = threadsTable(answer, style);
  const lines = [
    ...headerLines(answer, { weight, unit: answer.unit, threads: answer.threads.length }, style.width),
    '',
    ...alarmLines(answer.findings, style),
    ...(head === undefined ? [] : [paint.bold(head)]),
    ...rows,
    `  ${basis}`,
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
