import type { Finding } from '../model/index.js';
import { colors } from './colors.js';
import { alarmLines, noteLines, wrap } from './findings-text.js';
import { plural } from './share-text.js';
import type { TextStyle } from './table.js';
import { cleanText } from './terminal-text.js';

/** What became of one thing that an ended run left behind. Texts are raw. */
export interface CleanupLine {
  /** `container sim-profiler-4f2a at unix:///var/run/docker.sock`. */
  readonly what: string;
  readonly kind?: string;
  /** What taking it back means: `removed`, `stopped`. */
  readonly verb: string;
  readonly state: 'done' | 'planned' | 'gone' | 'left';
  readonly because?: string;
  readonly fix?: string;
}

export interface CleanupAnswer {
  readonly items: readonly CleanupLine[];
  /** Things of profilers that still run. */
  readonly inUse: number;
  readonly dryRun: boolean;
  readonly findings: readonly Finding[];
}

/** One line a thing, what could not be done with the line to type; says so where there is nothing. */
export function cleanupText(answer: CleanupAnswer, style: TextStyle): string {
  const lines = answer.items.flatMap((item) => itemLines(item, style));
  if (lines.length === 0) lines.push('Nothing is left of earlier runs.');
  if (answer.inUse > 0)
    lines.push(`${plural(answer.inUse, 'thing')} of a profiler that still runs: left alone`);
  const planned = answer.items.filter(({ state }) => state === 'planned');
  // Without a yes an override is only asked about.
  const yes = planned.some(({ kind }) => kind === 'override') ? ' --yes' : '';
  if (planned.length > 0) lines.push(`Nothing was changed. To do it: profiler cleanup${yes}`);
  return `${[...lines, ...alarmLines(answer.findings, style), ...noteLines(answer.findings, style)].join('\n')}\n`;
}

function itemLines({ what, verb, state, because, fix }: CleanupLine, style: TextStyle): readonly string[] {
  const paint = colors(style.color);
  if (state !== 'left') {
    const said = state === 'planned' ? `would be ${verb}` : verb;
    return [`${said.padEnd(10)} ${cleanText(what)}`];
  }
  const line = `${'left'.padEnd(10)} ${cleanText(`${what}: ${because ?? ''}`)}`;
  const [first = '', ...more] = wrap(line, style.width, '', ' '.repeat(11));
  const marked = first.replace('left', paint.warn('left'));
  return [marked, ...more, ...(fix === undefined ? [] : [`    -> ${cleanText(fix)}`])];
}
