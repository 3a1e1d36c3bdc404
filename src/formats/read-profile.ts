import { ProfilerError, totalWeight } from '../model/index.js';
import type { Profile } from '../model/index.js';
import type { Chunks, Format } from './format.js';
import { isPyspyChatter } from './pyspy-line.js';
import { dataLines, headText } from './sniff.js';
import { peek } from './source-bytes.js';
import { unknownFormat } from './unknown-format.js';

export interface ReadOptions {
  /** Id of the format, where content is not enough. */
  readonly format?: string;
  /** An input without samples is a profile without samples, not an error. With it goes a format, since nothing can be recognised. */
  readonly allowEmpty?: boolean;
}

/** The surest of the formats for a file that begins like this. */
export function sniffFormat(head: Uint8Array, formats: readonly Format[]): Format | undefined {
  const readable = formats.filter((format) => format.read !== undefined);
  const sniffed = readable.map((format) => ({ format, sure: format.sniff(head) }));
  return (sniffed.find(({ sure }) => sure === 'yes') ?? sniffed.find(({ sure }) => sure === 'unsure'))
    ?.format;
}

/**
 * Reads a profile from one of `formats`, recognised by its first 64 KiB.
 * @throws ProfilerError `unknown-format`, `wrong-format`, `no-samples`, `no-such-format` (exit code 2), and what the format throws.
 */
export async function readProfileAs(
  formats: readonly Format[],
  chunks: Chunks,
  origin: { readonly path?: string },
  options: ReadOptions,
): Promise<Profile> {
  const named = options.format === undefined ? undefined : formatById(formats, options.format);
  const peeked = await peek(chunks);
  const format = named ?? sniffFormat(peeked.head, formats);
  if (format?.read === undefined) {
    if (holdsNothing(peeked.head))
      throw noSamples(origin.path, undefined, undefined, { isEmpty: peeked.head.length === 0 });
    throw unknownFormat(peeked.head, origin.path, formats);
  }
  const path = origin.path === undefined ? {} : { path: origin.path };
  // Before it is read: the head may be a buffer that is filled again.
  const isSure = named !== undefined || format.sniff(peeked.head) === 'yes';
  const pid = format.pidOf?.(peeked.head);
  const profile = await format.read(peeked.chunks, { format: format.id, ...path });
  if (isForeign(profile)) {
    if (named !== undefined) throw wrongFormat(named, profile, origin.path);
    throw unknownFormat(peeked.head, origin.path, formats);
  }
  if (totalWeight(profile) === 0 && options.allowEmpty !== true)
    throw noSamples(origin.path, profile, format, { isSure, pid });
  return profile;
}

/** Lines that a format refuses for each stack that it takes, from which on the file is taken to be none of its own. */
const REFUSED = 10;

function isForeign({ samples, lost }: Profile): boolean {
  return samples.length > 0 && lost.lines > REFUSED * samples.length;
}

function wrongFormat(format: Format, { samples, lost }: Profile, path: string | undefined): ProfilerError {
  return new ProfilerError({
    id: 'wrong-format',
    what: `${path ?? 'The input'} is hardly a file of format ${format.id}: ${lost.lines} of its lines could not be read, ${samples.length} could.`,
    why: `--format named it; the first that could not: ${shortened(lost.examples[0] ?? '')}`,
    fix: 'leave --format out: the format is recognised by the content',
  });
}

function formatById(formats: readonly Format[], id: string): Format {
  const found = formats.find((format) => format.id === id && format.read !== undefined);
  if (found !== undefined) return found;
  const known = formats.filter((format) => format.read !== undefined).map((format) => format.id);
  throw new ProfilerError(
    {
      id: 'no-such-format',
      what: `There is no format ${JSON.stringify(id)} to read.`,
      why: `Known are ${known.join(', ')}.`,
      fix: `--format ${known.join('|')}`,
    },
    2,
  );
}

function holdsNothing(head: Uint8Array): boolean {
  return headText(head) !== undefined && dataLines(head).every(isPyspyChatter);
}

/** Columns of a line that is shown to be recognised. */
const SHOWN = 80;

function shortened(line: string): string {
  const letters = Array.from(line);
  return letters.length > SHOWN ? `${letters.slice(0, SHOWN).join('')}…` : line;
}

/** What is known of an input without samples. */
interface Known {
  readonly isEmpty?: boolean;
  readonly isSure?: boolean;
  readonly pid?: number | undefined;
}

function noSamples(
  path: string | undefined,
  profile: Profile | undefined,
  format: Format | undefined,
  { isEmpty = false, isSure = false, pid }: Known = {},
): ProfilerError {
  const record = pid === undefined ? format?.record : format?.record?.replace('PID', String(pid));
  const file = path ?? 'The input';
  const { lines = 0, samples = 0, examples = [] } = profile?.lost ?? {};
  if (lines > 0) {
    const again = record ?? 'py-spy record -f raw -o FILE --pid PID';
    return new ProfilerError({
      id: 'no-samples',
      what: `0 samples: ${file} has ${lines === 1 ? '1 line' : `${lines} lines`} that could not be read, and no other.`,
      why: `The first: ${shortened(examples[0] ?? '')}`,
      // Who named it, or has a file that says it in its first line, cannot do better.
      fix: isSure
        ? `Record again: ${again}`
        : `Name the format if it was not recognised (--format), or record again: ${again}`,
    });
  }
  if (profile?.origin.format === 'perf-script') {
    return new ProfilerError({
      id: 'no-samples',
      what: `0 samples: ${file} is what perf script prints without a single one.`,
      why: `The target was idle, or perf recorded another process.${samples > 0 ? ` perf lost ${samples} events.` : ''}`,
      fix: 'perf record -g -p PID -o perf.data -- sleep 10; perf script -i perf.data | profiler hot -',
    });
  }
  if (format !== undefined && record !== undefined) {
    return new ProfilerError({
      id: 'no-samples',
      what: `0 samples: ${file} is whole, but no time was sampled (${format.title}).`,
      why: 'The program ended before the first sample was due, or the profiler was stopped as soon as it was started.',
      fix: `Record for longer: ${record}`,
    });
  }
  const failed = samples > 0 ? ` The sampler reports ${samples} failed attempts.` : '';
  return new ProfilerError({
    id: 'no-samples',
    what: '0 samples: the target was idle, or --gil filtered everything, or it is not the process you meant.',
    why: `${file} holds no stacks.${failed}${isEmpty ? ' It is empty, as what a py-spy or perf script that failed leaves.' : ''}`,
    fix: 'Try --idle, without --gil, and check the pid: py-spy record --idle -f raw -o FILE --pid PID',
  });
}
