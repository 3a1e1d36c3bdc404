import { ProfilerError } from '../model/index.js';
import type { Chunks } from './format.js';
import { encodingOf, peek } from './source-bytes.js';

/**
 * Largest JSON that is read, in bytes. It is parsed whole: profiles of V8 are mostly under 100 MB, at this size the parsed values take
 * about 2 GB, and beyond twice of it the text would no longer fit into one string.
 */
export const MOST_JSON_BYTES = 256 * 1024 * 1024;

/** Words of a format for its errors. */
export interface JsonKind {
  /** After "is": `a .cpuprofile`. */
  readonly what: string;
  /** What cuts it short; absent for what V8 writes. */
  readonly cut?: string;
  /** The line to type for a new recording. */
  readonly record: string;
  /** The line to type for a smaller one. */
  readonly smaller: string;
}

const CUT_OF_V8 =
  'V8 writes it when the program ends by itself, so a killed program or a full disk leaves a part';

/**
 * The value of a JSON file, parsed but of unknown shape.
 * @throws ProfilerError `profile-too-large`, `bad-json`.
 */
export async function readJson(
  chunks: Chunks,
  path: string | undefined,
  kind: JsonKind,
  most = MOST_JSON_BYTES,
): Promise<unknown> {
  const file = path ?? 'The input';
  const peeked = await peek(chunks);
  const decoder = new TextDecoder(encodingOf(peeked.head));
  const parts: string[] = [];
  let bytes = 0;
  for await (const chunk of peeked.chunks) {
    bytes += chunk.length;
    if (bytes > most) throw tooLarge(file, kind, most);
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  parts.push(decoder.decode());
  try {
    return JSON.parse(parts.join(''));
  } catch (error) {
    throw new ProfilerError({
      id: 'bad-json',
      what: `${file} is no whole JSON: ${error instanceof Error ? error.message.slice(0, 200) : 'it cannot be parsed'}.`,
      why: `As ${kind.what} it was cut short: ${kind.cut ?? CUT_OF_V8}.`,
      fix: kind.record,
    });
  }
}

function tooLarge(file: string, kind: JsonKind, most: number): ProfilerError {
  return new ProfilerError({
    id: 'profile-too-large',
    what: `${file} is larger than ${Math.floor(most / 1024 / 1024)} MB, which is the most that is read of ${kind.what}.`,
    why: 'JSON is parsed whole, and its values take several times the memory of the file.',
    fix: kind.smaller,
  });
}

/** An object of unknown fields, or undefined for anything else. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isRecord(value) ? value : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A list of unknown values, or undefined for anything else. */
export function asList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A number that counts exactly. */
export function asWhole(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}
