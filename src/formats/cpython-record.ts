import type { Frame, Thread } from '../model/index.js';
import { asList, asRecord, asText, asWhole } from './json-file.js';

/** First words of a file; its version follows. */
export const CPYTHON_KIND = 'sim-profiler cpython samples';
export const CPYTHON_VERSION = '1';

/** States in the file's letters, as places in `SAMPLE_STATES`. `P` is a thread displaced by the sampler at this very moment. */
const STATES: Readonly<Record<string, number>> = { U: 0, R: 1, P: 1, W: 2, G: 3, S: 4, B: 5 };

/** By byte; 255: no state. */
export const STATE_OF_BYTE: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  const letter = String.fromCharCode(byte);
  return Object.hasOwn(STATES, letter) ? (STATES[letter] ?? 255) : 255;
});

/** `["Engine.step","/app/engine.py"]`; undefined for anything else. */
export function codeOf(text: string): Omit<Frame, 'line'> | undefined {
  const pair = asList(parsed(text));
  const [name, file] = [asText(pair?.[0]), asText(pair?.[1])];
  if (name === undefined || file === undefined) return undefined;
  return { name: name === '' ? '?' : name, kind: 'python', ...(file === '' ? {} : { file }) };
}

/** `{"tid":4711,"nsTid":27,"name":"MainThread"}`; undefined for anything without a thread id. */
export function threadOf(text: string): Thread | undefined {
  const fields = asRecord(parsed(text));
  const tid = asWhole(fields?.['tid']);
  if (tid === undefined || tid < 0) return undefined;
  const nsTid = asWhole(fields?.['nsTid']);
  const name = asText(fields?.['name']) ?? '';
  return {
    tid,
    ...(nsTid === undefined || nsTid < 0 ? {} : { nsTid }),
    ...(name === '' ? {} : { name }),
  };
}

/** A label is a JSON string; one without quotes is taken as it stands. */
export function labelOf(text: string): string | undefined {
  const label = text.startsWith('"') ? asText(parsed(text)) : text;
  return label === '' ? undefined : label;
}

/** CLOCK_MONOTONIC when a file began, from `{"startNs":"123", …}`. */
export function startOf(text: string): bigint | undefined {
  const startNs = asText(asRecord(parsed(text))?.['startNs']) ?? '';
  return /^\d{1,20}$/.test(startNs) ? BigInt(startNs) : undefined;
}

/** How often the sampler looked and should have, from `{"ticks":9980,"dueTicks":10000, …}`. */
export function ticksOf(text: string): { readonly taken: number; readonly due: number } | undefined {
  const fields = asRecord(parsed(text));
  const [taken, due] = [asWhole(fields?.['ticks']), asWhole(fields?.['dueTicks'])];
  return taken === undefined || due === undefined || taken < 0 || due < 0 ? undefined : { taken, due };
}

/** Whether a line holds an object at all. */
export function isObject(text: string): boolean {
  return asRecord(parsed(text)) !== undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
