import type { Command } from 'commander';
import { type MakeHelp, commandHelp } from './command-help.js';

/** Characters that roff reads, or prints as something else than what is typed. */
const ROFF: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  '`': '\\(ga',
  "'": '\\(aq',
  '^': '\\(ha',
  '~': '\\(ti',
  '"': '\\(dq',
};

/** Text as roff prints it: whatever is in it, no line of it is a request. ASCII alone, so that no locale matters. */
export function roffText(text: string): string {
  const escaped = text.replaceAll(/[\\`'^~"-]/g, (character) => ROFF[character] ?? character);
  const ascii = escaped.replaceAll(
    /[^\u0020-\u007e]/gu,
    (character) => `\\[u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
  );
  return ascii.startsWith('.') ? `\\&${ascii}` : ascii;
}

/** A term and what it means. */
function tagged(term: string, meaning: string): string[] {
  return ['.TP', `.B ${roffText(term)}`, ...(meaning === '' ? ['\\&'] : [roffText(meaning)])];
}

/** Terms of a list; of one that goes on, `.PP` ends it. */
function list(terms: readonly (readonly [term: string, meaning: string])[]): string[] {
  return terms.flatMap(([term, meaning]) => tagged(term, meaning));
}

/** The lines after the options: a heading, and lines to type with their meaning, or sentences. */
function afterText(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    if (line.trim() === '') return [];
    const typed = /^ {2}(?:\$ )?(.+?)(?: {2,}(\S.*))?$/.exec(line);
    if (typed !== null) return tagged(typed[1] ?? '', typed[2] ?? '');
    return ['.PP', roffText(line)];
  });
}

function section(command: Command, makeHelp: MakeHelp): string[] {
  const help = commandHelp(command, makeHelp);
  return [
    `.SS ${roffText(help.usage)}`,
    roffText(help.description),
    ...list(help.arguments),
    ...list(help.options),
    ...afterText(help.after),
    ...command.commands.flatMap((child) => section(child, makeHelp)),
  ];
}

export interface ManPage {
  readonly version: string;
  /** The program with every command loaded, whose output goes to `makeHelp`. */
  readonly program: Command;
  readonly makeHelp: MakeHelp;
  /** What people ask, with the line to type, under headings. */
  readonly questions: readonly (readonly [
    heading: string,
    questions: readonly (readonly [question: string, line: string])[],
  ])[];
}

const EXIT_STATUS = [
  ['0', 'The answer was given.'],
  ['1', 'It could not be done; standard error says why, and what to type.'],
  ['2', 'Wrong usage.'],
  ['3', 'With --strict: an answer was given, and a warning says not to trust it.'],
  ['130', 'Interrupted; what was recorded is kept and named.'],
] as const;

const ENVIRONMENT = [
  ['NO_COLOR', 'Not empty: no colour, whatever else is set.'],
  ['FORCE_COLOR', 'Not empty: colour also where standard output is no terminal.'],
  ['COLUMNS', 'Width of the text where standard output is no terminal (80).'],
  ['TERM', 'dumb: no colour, nothing is drawn twice, bars in ASCII. linux: bars in ASCII.'],
  ['LC_ALL, LC_CTYPE, LANG', 'Bars and trees are drawn in ASCII unless the locale is one of UTF-8.'],
  ['CI', 'Not empty: nothing is drawn twice.'],
  ['PROFILER_PY_SPY', 'The py-spy to use.'],
  ['PROFILER_DEBUG', 'Not empty: a fault in profiler itself is told with its stack.'],
] as const;

/** The page that `man profiler` shows, made of what `--help` says. */
export function manPage({ version, program, makeHelp, questions }: ManPage): string {
  return [
    '.\\" Made by `npm run man` of what --help says. Change that, not this.',
    `.TH PROFILER 1 "" "sim\\-profiler ${roffText(version)}" "User Commands"`,
    // Words to type are never broken.
    '.nh',
    '.ad l',
    '.SH NAME',
    `profiler \\- ${roffText(program.description().replace(/^\w/, (letter) => letter.toLowerCase()))}`,
    '.SH SYNOPSIS',
    '.B profiler',
    '.I COMMAND',
    '[options]',
    '.SH WHAT TO TYPE',
    ...questions.flatMap(([heading, asked]) => [
      '.PP',
      roffText(heading),
      ...list(asked.map(([q, line]) => [line, q])),
    ]),
    '.SH COMMANDS',
    ...program.commands.flatMap((command) => section(command, makeHelp)),
    '.SH EXIT STATUS',
    ...list(EXIT_STATUS),
    '.PP',
    roffText('run ends with the exit code of the program that it started.'),
    '.SH ENVIRONMENT',
    ...list(ENVIRONMENT),
    '.SH FILES',
    ...list([
      ['./recordings', 'Recordings made in this folder; the newest is what commands without SOURCE read.'],
    ]),
    '',
  ].join('\n');
}
