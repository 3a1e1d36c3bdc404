import { type Command, InvalidArgumentError } from 'commander';
import { decimal } from './decimal.js';
import { BUCKETS } from '../model/index.js';
import type { Bucket } from '../model/index.js';

/** Parses a number above zero, or tells commander what is wrong. */
export function positive(text: string): number {
  const value = decimal(text);
  if (!Number.isFinite(value) || value <= 0) {
    throw new InvalidArgumentError('It must be a number above 0.');
  }
  return value;
}

/** A sample in a thousand seconds, and one each nanosecond: beyond that its seconds are none that could be shown. */
const SLOWEST_HZ = 0.001;
const FASTEST_HZ = 1e9;

/** Parses the rate that a bare file was sampled at. */
export function sampledRate(text: string): number {
  const value = decimal(text);
  if (!(value >= SLOWEST_HZ && value <= FASTEST_HZ)) {
    throw new InvalidArgumentError(`It must be a number from ${SLOWEST_HZ} to ${FASTEST_HZ}.`);
  }
  return value;
}

/** Seconds of a recording. py-spy needs a while to take its first sample; a day is the longest that its slices are made for. */
const SHORTEST_S = 0.5;
const LONGEST_S = 86_400;

/** Parses the length of a recording in seconds. */
export function recordingSeconds(text: string): number {
  const value = decimal(text);
  if (!(value >= SHORTEST_S && value <= LONGEST_S)) {
    throw new InvalidArgumentError(`It must be a number of seconds from ${SHORTEST_S} to ${LONGEST_S}.`);
  }
  return value;
}

/** The last whole second that is exact in nanoseconds, as times of samples are: a file may be of more than a day. */
const LATEST_S = Math.floor(Number.MAX_SAFE_INTEGER / 1e9);

/** Parses a moment in seconds since the window began. */
export function secondsFromZero(text: string): number {
  const value = decimal(text);
  if (!(value >= 0 && value <= LATEST_S)) {
    throw new InvalidArgumentError(`It must be a number of seconds from 0 to ${LATEST_S}.`);
  }
  return value;
}

/** Takes any path but the empty one, which an unset variable leaves and which would mean the current folder. */
export function outputPath(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}

/** Parses a whole number from 1. */
export function wholeFromOne(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return Number(text);
}

export interface BucketChoice {
  readonly bucket: Bucket;
  readonly kind?: string;
}

/** Parses `BUCKET` or `BUCKET/KIND`. */
export function bucketChoice(text: string): BucketChoice {
  const slash = text.indexOf('/');
  const name = slash < 0 ? text : text.slice(0, slash);
  const bucket = BUCKETS.find((one) => one === name);
  if (bucket === undefined) throw new InvalidArgumentError(`There are: ${BUCKETS.join(', ')}.`);
  return slash < 0 ? { bucket } : { bucket, kind: text.slice(slash + 1) };
}

/** What every command that reads a source takes. */
export interface SourceFlags {
  readonly format?: string;
  readonly thread?: string;
  readonly rules?: readonly string[];
  readonly duration?: number;
  readonly rate?: number;
  readonly json?: true;
}

export const SOURCE_HELP =
  'recording (folder or label), profile file, or - for standard input; default: the newest recording';

/** Of an option that may be given several times, all that were. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** Adds the flag that names users' own rule packs. */
export function withRules(command: Command): Command {
  return command.option('--rules <file>', 'your own rule pack (YAML); may be given several times', collect);
}

/** Adds SOURCE and the flags that say how to read it. */
export function withSource(command: Command): Command {
  return withRules(
    command
      .argument('[source]', SOURCE_HELP)
      .option('--format <id>', 'format of the file, where its content is not enough')
      .option('--thread <thread>', 'NAME, TID or /regex/ of the thread to show'),
  )
    .option('--duration <seconds>', "length of a bare file's window", positive)
    .option('--rate <hz>', 'rate that a bare file was sampled at', sampledRate)
    .option('--json', 'print one JSON object');
}

/** An interval of the window, in seconds since it began. */
export interface IntervalFlags {
  readonly from?: number;
  readonly to?: number;
}

/** Adds the flags that choose an interval. */
export function withInterval(command: Command): Command {
  return command
    .option(
      '--from <seconds>',
      'only what was sampled from there on, in seconds since the window began',
      secondsFromZero,
    )
    .option('--to <seconds>', 'and only what was sampled before', secondsFromZero);
}

/** Examples under `--help`. */
export function examples(lines: readonly (readonly [line: string, meaning: string])[]): string {
  const width = Math.max(...lines.map(([line]) => line.length));
  return `\nExamples:\n${lines.map(([line, meaning]) => `  ${line.padEnd(width)}  ${meaning}`).join('\n')}\n`;
}
