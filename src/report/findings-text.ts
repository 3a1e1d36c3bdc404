import type { Finding } from '../model/index.js';
import { colors } from './colors.js';
import type { TextStyle } from './table.js';
import { cleanText, displayWidth } from './terminal-text.js';

const ORDER = { blocker: 0, warning: 1, note: 2 } as const;

/** Blockers first, then warnings, then notes; equal ones keep their order. */
export function byLevel(findings: readonly Finding[]): Finding[] {
  return [...findings].sort((a, b) => ORDER[a.level] - ORDER[b.level]);
}

/** Breaks cleaned text at blanks into lines of at most `width` columns; a word that is wider stays whole, and a percent sign with its number. */
export function wrap(text: string, width: number, indent: string, hanging = indent): string[] {
  const lines: string[] = [];
  let line = indent;
  let empty = true;
  for (const word of text.split(/ (?!% )(?!%$)(?!%[,.;:)])/)) {
    if (!empty && displayWidth(line) + 1 + displayWidth(word) > width) {
      lines.push(line);
      line = hanging;
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  lines.push(line);
  return lines;
}

/** A line to type is never wrapped, because it is there to be copied; advice, which starts like a sentence, is. */
function fixLines(fix: string, width: number): string[] {
  return /^[A-Z][a-z]* /.test(fix) ? wrap(`-> ${fix}`, width, '    ', '       ') : [`    -> ${fix}`];
}

function findingLines(finding: Finding, style: TextStyle): string[] {
  const paint = colors(style.color);
  const mark = { blocker: 'Error', warning: 'Warning', note: 'Note' }[finding.level];
  const text = cleanText(`${mark}: ${finding.what} ${finding.why}`);
  const lines = wrap(text, style.width, '  ', '    ');
  if (finding.level !== 'note') {
    const color = finding.level === 'blocker' ? paint.alarm : paint.warn;
    lines[0] = (lines[0] ?? '').replace(mark, color(mark));
  }
  if (finding.fix !== undefined) lines.push(...fixLines(cleanText(finding.fix), style.width));
  return lines;
}

/** What makes the answer worth less than it looks: printed before it. */
export function alarmLines(findings: readonly Finding[], style: TextStyle): string[] {
  return byLevel(findings)
    .filter((finding) => finding.level !== 'note')
    .flatMap((finding) => findingLines(finding, style));
}

/** What is good to know: printed after the answer. */
export function noteLines(findings: readonly Finding[], style: TextStyle): string[] {
  return findings
    .filter((finding) => finding.level === 'note')
    .flatMap((finding) => findingLines(finding, style));
}

/** An error for standard error: what happened, the likeliest cause, the line to type. Not wrapped, so that it can be searched for. */
export function errorText(finding: Pick<Finding, 'what' | 'list' | 'why' | 'fix'>, color: boolean): string {
  const paint = colors(color);
  const lines = [`${paint.alarm('profiler:')} ${cleanText(finding.what)}`];
  for (const line of finding.list ?? []) lines.push(`    ${cleanText(line)}`);
  if (finding.why !== '') lines.push(`  ${cleanText(finding.why)}`);
  if (finding.fix !== undefined) lines.push(`  -> ${cleanText(finding.fix)}`);
  return `${lines.join('\n')}\n`;
}
