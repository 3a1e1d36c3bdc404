import { shellLine } from '../model/index.js';
import { cleanText, plural, weightText } from '../report/index.js';
import type { View } from './view-profile.js';

/** What is shown, in a few words: `MainThread (physics), 20.003 s, and 2 more threads`. Cleaned. */
export function viewedText({ threads }: Pick<View, 'threads'>): string {
  const [first, ...more] = threads;
  if (first === undefined) return 'no threads';
  const { name, unit, total } = first;
  const amount = unit === 'seconds' ? weightText(total * 1e9, 'nanoseconds') : weightText(total, 'samples');
  const rest = more.length === 0 ? '' : `, and ${plural(more.length, 'more thread')}`;
  return `${cleanText(name)}, ${amount}${rest}`;
}

/** Flags that say what is shown, as they were given. */
export interface ShownFlags {
  readonly from?: number;
  readonly to?: number;
  readonly thread?: string;
  readonly format?: string;
  readonly rate?: number;
  readonly rules?: readonly string[];
  readonly once?: true;
}

/** The same flags for a line to type. */
function typed({ from, to, thread, format, rate, rules = [], once }: ShownFlags): string[] {
  const valued = Object.entries({ from, to, thread, format, rate }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)],
  );
  return [
    ...valued,
    ...rules.flatMap((file) => ['--rules', file]),
    ...(once === undefined ? [] : ['--once']),
  ];
}

/** How a written view is looked at, for standard error. */
export function howToOpen(path: string, sources: readonly string[], flags: ShownFlags): string {
  const lines = [`  -> ${cleanText(shellLine(['npx', 'speedscope', path]))}  (on a machine with a browser)`];
  // What came from standard input is gone.
  if (!sources.includes('-')) {
    const again = shellLine(['profiler', 'view', '--no-open', ...typed(flags), ...sources]);
    lines.push(`  -> ${cleanText(again)}  (serves it here, and says what to open)`);
  }
  return `${lines.join('\n')}\n`;
}
