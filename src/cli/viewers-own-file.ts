import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { inputText } from './input-bytes.js';
import type { Io } from './io.js';

const HEAD_BYTES = 4096;
/** More is no trace of a step, and no string. */
const MOST_BYTES = 400e6;

/** A file that speedscope reads by itself: its own, or a trace of Chrome. */
export interface ViewersOwnFile {
  readonly format: 'speedscope' | 'chrome-trace';
  readonly text: string;
}

/** Undefined for anything else, and for what is no file. */
export async function viewersOwnFile(io: Io, name: string): Promise<ViewersOwnFile | undefined> {
  if (name === '-') return undefined;
  const head = await headOf(resolve(io.cwd, name));
  const format = head === undefined ? undefined : formatOf(head);
  return format === undefined ? undefined : { format, text: await inputText(io, name) };
}

async function headOf(path: string): Promise<string | undefined> {
  try {
    const file = await open(path);
    try {
      const facts = await file.stat();
      if (!facts.isFile() || facts.size > MOST_BYTES) return undefined;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      return buffer
        .toString('utf8', 0, bytesRead)
        .replace(/^\uFEFF/, '')
        .trimStart();
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

function formatOf(head: string): ViewersOwnFile['format'] | undefined {
  if (!/^[[{]/.test(head)) return undefined;
  if (head.includes('www.speedscope.app/file-format-schema')) return 'speedscope';
  const isTrace = /"traceEvents"\s*:/.test(head) || (head.startsWith('[') && /"ph"\s*:/.test(head));
  return isTrace ? 'chrome-trace' : undefined;
}
