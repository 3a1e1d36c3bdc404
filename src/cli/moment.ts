import { StringDecoder } from 'node:string_decoder';
import { InvalidArgumentError } from 'commander';
import { decimal } from './decimal.js';

/** A moment of a program: so many seconds after its start, or the first line of its output that holds something. */
export type Moment =
  | { readonly kind: 'seconds'; readonly seconds: number; readonly text: string }
  | { readonly kind: 'output'; readonly holds: (line: string) => boolean; readonly text: string };

const LONGEST_S = 86_400;
/** Where a line is longer, its end is not looked at: a pattern of the user may take its time. */
const LONGEST_LINE = 4096;

/** Parses PATTERN or SECONDS: a number, `/regular expression/`, or text that is looked for as it is. */
export function moment(text: string): Moment {
  if (text === '') throw new InvalidArgumentError('It must not be empty.');
  const seconds = decimal(text);
  // What is a number in other words (-1, 1e3) is no text that anybody waits for; if it is, slashes say so.
  if (!Number.isNaN(seconds) || (text.trim() !== '' && Number.isFinite(Number(text)))) {
    if (!(seconds <= LONGEST_S))
      throw new InvalidArgumentError(`It must be a number of seconds from 0 to ${LONGEST_S}.`);
    return { kind: 'seconds', seconds, text };
  }
  const inner = /^\/(.+)\/$/s.exec(text)?.[1];
  if (inner === undefined) return { kind: 'output', holds: (line) => line.includes(text), text };
  try {
    const regex = new RegExp(inner, 'u');
    return { kind: 'output', holds: (line) => regex.test(line), text };
  } catch {
    throw new InvalidArgumentError('It is no regular expression.');
  }
}

/** Splits output into lines as it comes; a line that is not finished yet is given as far as it goes, since a prompt never ends one. */
export function lineReader(onLine: (line: string) => void): (chunk: Uint8Array) => void {
  const decoder = new StringDecoder('utf8');
  let pending = '';
  return (chunk) => {
    const lines = (pending + decoder.write(Buffer.from(chunk))).split(/\r?\n|\r/);
    pending = (lines.at(-1) ?? '').slice(0, LONGEST_LINE);
    for (const line of lines) if (line !== '') onLine(line.slice(0, LONGEST_LINE));
  };
}
