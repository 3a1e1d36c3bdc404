import type { Bucket, Frame, Thread } from '../model/index.js';
import { cleanText } from './terminal-text.js';

const BUCKET_TEXT: Readonly<Partial<Record<Bucket, string>>> = {
  'gil-wait': 'waiting for the GIL',
  'cpu-wait': 'waiting for a CPU',
};

/** How a bucket is called on screen; ids that already are words stay. */
export function bucketText(bucket: Bucket, kind?: string): string {
  const base = BUCKET_TEXT[bucket] ?? bucket;
  return kind === undefined ? base : `${base}/${cleanText(kind)}`;
}

/** A frame as py-spy spells it: `step (engine.py:278)`, `mj_step (libmujoco.so.3.14.0)`. Cleaned. */
export function frameText(frame: Frame): string {
  return cleanText(rawFrameText(frame));
}

/** The same, raw: for JSON, where data stays as it is. */
export function rawFrameText(frame: Frame): string {
  const where = frame.file ?? frame.module;
  if (where === undefined) return frame.name;
  return frame.line === undefined ? `${frame.name} (${where})` : `${frame.name} (${where}:${frame.line})`;
}

/** Name of a thread for a reader: its name, else its id. Cleaned. */
export function threadText(thread: Thread): string {
  return cleanText(rawThreadText(thread));
}

/** The same, raw. */
export function rawThreadText(thread: Thread): string {
  if (thread.name !== undefined && thread.name !== '') return thread.name;
  if (thread.tid !== undefined) return `thread ${thread.tid}`;
  if (thread.command !== undefined) return thread.command;
  return thread.pid === undefined ? 'all threads' : `process ${thread.pid}`;
}
