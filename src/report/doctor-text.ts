import type { Finding } from '../model/index.js';
import { colors } from './colors.js';
import { wrap } from './findings-text.js';
import type { TextStyle } from './table.js';
import { cleanText, displayWidth } from './terminal-text.js';

/** One answer of `profiler doctor`. Texts are raw. */
export interface DoctorLine {
  readonly group: 'target' | 'containers' | 'samplers' | 'kernel' | 'routes' | 'backends' | 'leftovers';
  readonly id: string;
  readonly name: string;
  readonly state: 'works' | 'limited' | 'fails' | 'note';
  readonly what: string;
  readonly fix?: string;
}

export interface DoctorAnswer {
  readonly checks: readonly DoctorLine[];
  readonly findings: readonly Finding[];
}

const TITLES: readonly (readonly [DoctorLine['group'], string])[] = [
  ['target', 'Target'],
  ['routes', 'Routes to it, the least invasive first'],
  ['backends', 'Samplers that can read it'],
  ['containers', 'Containers'],
  ['samplers', 'Samplers'],
  ['kernel', 'Kernel'],
  ['leftovers', 'Earlier runs'],
];

const MARKS: Readonly<Record<DoctorLine['state'], string>> = {
  works: 'works',
  limited: 'limits',
  fails: 'fails',
  note: '',
};

/** Columns of the mark and the blanks behind it. */
const MARK_WIDTH = 8;
const LONGEST_NAME = 22;

/** Every answer under its heading, the line to type under what does not work as well as it could. */
export function doctorText({ checks }: DoctorAnswer, style: TextStyle): string {
  const nameWidth = Math.min(
    LONGEST_NAME,
    Math.max(0, ...checks.map(({ name }) => displayWidth(cleanText(name)))),
  );
  const parts = TITLES.flatMap(([group, title]) => {
    const own = checks.filter((check) => check.group === group);
    if (own.length === 0) return [];
    return [
      [colors(style.color).bold(title), ...own.flatMap((check) => checkLines(check, nameWidth, style))].join(
        '\n',
      ),
    ];
  });
  return `${parts.join('\n\n')}\n`;
}

function checkLines(
  { name, state, what, fix }: DoctorLine,
  nameWidth: number,
  style: TextStyle,
): readonly string[] {
  const paint = colors(style.color);
  const mark = MARKS[state].padEnd(MARK_WIDTH);
  const label = cleanText(name).padEnd(nameWidth);
  const indent = ' '.repeat(2 + MARK_WIDTH + nameWidth + 2);
  const [first = '', ...more] = wrap(cleanText(what), style.width, indent);
  const painted = state === 'fails' ? paint.alarm(mark) : state === 'limited' ? paint.warn(mark) : mark;
  const head = `  ${painted}${label}  ${first.slice(indent.length)}`;
  return [head, ...more, ...(fix === undefined ? [] : [`${indent}-> ${cleanText(fix)}`])];
}
