import { type Bucket, type Frame, type Thread, frameText } from '../model/index.js';
import { cleanText, truncateMiddle } from './terminal-text.js';

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
export function frameLabel(frame: Frame): string {
  // Code without a symbol is called by its library already.
  return cleanText(marked(frame, frame.name === `[${frame.module}]` ? frame.name : frameText(frame)));
}

/** In front, where no cut takes it: a name that is some other string of the target may say anything, and looks like a function. */
export function marked({ corrupt }: Pick<Frame, 'corrupt'>, text: string): string {
  return corrupt === true ? `[corrupt] ${text}` : text;
}

/** A function without the line that is executed in it: `step (engine.py)`. Raw. */
export function functionText({ name, file, module, kind }: Frame): string {
  const where = file ?? module ?? (kind === 'native' ? '?' : undefined);
  return where === undefined || name === `[${where}]` ? name : `${name} (${where})`;
}

/** The same, cleaned. */
export function functionLabel(frame: Frame): string {
  return cleanText(marked(frame, functionText(frame)));
}

/** Columns of a thread's name in a sentence; a real one has 15 bytes in the kernel and few more in Python. */
const LONGEST_NAME = 40;

/** Name of a thread for a reader: its name, else its id. Cleaned and cut. */
export function threadLabel(thread: Thread): string {
  return truncateMiddle(cleanText(threadName(thread)), LONGEST_NAME);
}

/** The same, raw. */
export function threadName(thread: Thread): string {
  if (thread.name !== undefined && thread.name !== '') return thread.name;
  if (thread.tid !== undefined) return `thread ${thread.tid}`;
  if (thread.command !== undefined) return thread.command;
  return thread.pid === undefined ? '(unnamed)' : `process ${thread.pid}`;
}
