import type { Frame, FrameKind, Thread, WeightUnit } from '../model/index.js';
import { asList, asRecord, asText, asWhole } from './json-file.js';

/**
 * What this tool adds to a .cpuprofile, under a key that other readers pass over: the format has no place for threads, for a unit
 * other than time, and for frames of other languages.
 */
export const OWN_KEY = 'simProfiler';

/** Weight of one sample where samples are counted, not timed: 1 ms in the file. */
export const SAMPLE_NS = 1_000_000;

/** Name of the node for stretches of time in which the profile has no sample. */
export const NO_SAMPLE = '(no sample)';

/** The addition to the file as a whole. */
export interface OwnFile {
  readonly unit: WeightUnit;
  /** By node id: everything below belongs to that thread, and the node itself is no frame. */
  readonly threads: ReadonlyMap<number, Thread>;
}

/** The addition to a file, if it has one. Unknown fields and wrong ones are left out: it may be of anyone's making. */
export function ownFile(value: unknown): OwnFile | undefined {
  const own = asRecord(value);
  if (own === undefined) return undefined;
  const threads = new Map<number, Thread>();
  for (const pair of asList(own['threads']) ?? []) {
    const [id, thread] = asList(pair) ?? [];
    const node = asWhole(id);
    const fields = asRecord(thread);
    if (node !== undefined && fields !== undefined) threads.set(node, threadOf(fields));
  }
  return { unit: own['unit'] === 'samples' ? 'samples' : 'nanoseconds', threads };
}

function threadOf(fields: Readonly<Record<string, unknown>>): Thread {
  const tid = asWhole(fields['tid']);
  const nsTid = asWhole(fields['nsTid']);
  const pid = asWhole(fields['pid']);
  const name = asText(fields['name']);
  const command = asText(fields['command']);
  return {
    ...(tid !== undefined && { tid }),
    ...(nsTid !== undefined && { nsTid }),
    ...(name !== undefined && { name }),
    ...(pid !== undefined && { pid }),
    ...(command !== undefined && { command }),
  };
}

const KINDS: Readonly<Record<FrameKind, true>> = {
  python: true,
  js: true,
  native: true,
  kernel: true,
  gpu: true,
  marker: true,
  unknown: true,
};

function isKind(text: string): text is FrameKind {
  return Object.hasOwn(KINDS, text);
}

/** The addition to one node: the frame as it was, where V8's fields would say another. */
export function ownFrame(value: unknown): Frame | undefined {
  const fields = asRecord(value);
  const name = asText(fields?.['name']);
  const kind = asText(fields?.['kind']);
  if (fields === undefined || name === undefined || name === '' || kind === undefined || !isKind(kind)) {
    return undefined;
  }
  const file = asText(fields['file']);
  const line = asWhole(fields['line']);
  const module = asText(fields['module']);
  const sourceText = asText(fields['sourceText']);
  return {
    name,
    kind,
    ...(file !== undefined && { file }),
    ...(line !== undefined && line > 0 && { line }),
    ...(module !== undefined && { module }),
    ...(sourceText !== undefined && { sourceText }),
    ...(fields['corrupt'] === true && { corrupt: true }),
  };
}
