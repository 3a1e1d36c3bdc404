import { ProfilerError } from '../model/index.js';
import type { Format } from './format.js';
import { headText } from './sniff.js';

interface Likeness {
  /** After "it looks like". */
  readonly what: string;
  /** The line to type instead. */
  readonly fix?: string;
}

/** The error for a file that no format claims: what was looked for, and what it looks like instead. */
export function unknownFormat(
  head: Uint8Array,
  path: string | undefined,
  formats: readonly Format[],
): ProfilerError {
  const file = path ?? 'The input';
  const named = path === undefined || path === '-' ? 'FILE' : path;
  const readable = formats.filter((format) => format.read !== undefined);
  const { what, fix } = likeness(head, named);
  return new ProfilerError({
    id: 'unknown-format',
    what: `${file} is in none of the formats that can be read: ${readable.map((format) => format.title).join(', ')}.`,
    why: `It looks like ${what}.`,
    fix:
      fix ??
      `If it is one of them after all, name it: --format ${readable.map((format) => format.id).join('|')}`,
  });
}

function likeness(head: Uint8Array, file: string): Likeness {
  const begins = (...bytes: readonly number[]): boolean => bytes.every((byte, at) => head[at] === byte);
  const ascii = String.fromCharCode(...head.subarray(0, 16));
  if (begins(0x1f, 0x8b)) {
    return { what: 'gzip data', fix: `gunzip -c ${file} | profiler hot -` };
  }
  if (begins(0x28, 0xb5, 0x2f, 0xfd)) return { what: 'zstd data', fix: `zstd -dc ${file} | profiler hot -` };
  if (begins(0x50, 0x4b, 3, 4)) return { what: 'a zip archive', fix: `unzip -p ${file} | profiler hot -` };
  if (ascii.startsWith('PERFILE2') || ascii.startsWith('2ELIFREP')) {
    return {
      what: 'perf.data, the binary recording of perf',
      fix: `perf script -i ${file} | profiler hot -`,
    };
  }
  if (ascii.startsWith('MOJ')) {
    return { what: 'a binary Austin recording (MOJO)', fix: `mojo2austin ${file} ${file}.austin` };
  }
  if (begins(0x7f, 0x45, 0x4c, 0x46)) return { what: 'a program or library (ELF)' };
  const text = headText(head);
  if (text === undefined) return { what: `binary data (it begins with ${hex(head)})` };
  return textLikeness(text, file);
}

function textLikeness(text: string, file: string): Likeness {
  const start = text.trimStart().slice(0, 4096);
  if (/^[[{]/.test(start)) {
    if (start.includes('"traceEvents"') || (start.startsWith('[') && /"ph"\s*:/.test(start)))
      return { what: 'JSON, a Chrome trace: durations, not samples', fix: `profiler tables ${file}` };
    return { what: 'JSON', fix: 'Record as text instead: py-spy record -f raw -o FILE --pid PID' };
  }
  if (text.startsWith('v8-version,')) {
    return {
      what: 'the raw log of V8 (node --prof), which only the same version of Node can process',
      fix: `node --prof-process --preprocess ${file} > ${file}.json && profiler hot ${file}.json`,
    };
  }
  if (/^<(?:\?xml|svg|!doctype|html)/i.test(start)) {
    return {
      what: 'SVG or HTML, a picture of a profile rather than its data',
      fix: 'Record as text instead: py-spy record -f raw -o FILE --pid PID',
    };
  }
  const first = start.split('\n', 1)[0]?.slice(0, 80) ?? '';
  return { what: `text without stacks and counts (it begins with ${JSON.stringify(first)})` };
}

function hex(head: Uint8Array): string {
  return [...head.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
}
