import { execa } from 'execa';
import type { Frame } from '../model/index.js';
import type { SourceFile } from '../recording/index.js';
import { readSources } from './source-text.js';

/** Stack of one Python thread at one moment, root first. */
export interface DumpedStack {
  readonly tid: number;
  readonly name?: string;
  readonly frames: readonly Frame[];
}

export interface StackDump {
  readonly stacks: readonly DumpedStack[];
  /** What is known of the target's source files by now: for the next dump. */
  readonly sources: Readonly<Record<string, SourceFile>>;
}

/** A hung sampler must not keep us. */
const PATIENCE_MS = 10_000;

interface PrintedFrame {
  readonly name: string;
  readonly filename: string;
  readonly line: number;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function printedFrame(value: unknown): PrintedFrame | undefined {
  if (!isObject(value)) return undefined;
  const { name, filename, line } = value;
  return typeof name === 'string' && name !== '' && typeof filename === 'string'
    ? { name, filename, line: typeof line === 'number' ? line : 0 }
    : undefined;
}

interface PrintedThread {
  readonly tid: number;
  readonly name: string | undefined;
  /** Root first. */
  readonly frames: readonly PrintedFrame[];
}

/** The threads of `py-spy dump --json`; empty for a text that is none. */
export function parseDump(text: string): readonly PrintedThread[] {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return [];
  }
  if (!Array.isArray(data)) return [];
  return data.flatMap((thread: unknown) => {
    if (!isObject(thread) || !Array.isArray(thread['frames'])) return [];
    const { os_thread_id: tid, thread_name: name, frames } = thread;
    if (typeof tid !== 'number' || !Array.isArray(frames)) return [];
    const printed = frames.flatMap((frame: unknown) => printedFrame(frame) ?? []);
    return [{ tid, name: typeof name === 'string' ? name : undefined, frames: printed.toReversed() }];
  });
}

/** Reads the stack of every Python thread of a process once, without stopping it. Undefined where that cannot be done (yet). */
export async function dumpStacks(
  pyspy: string,
  pid: number,
  known: StackDump['sources'],
): Promise<StackDump | undefined> {
  const args = ['dump', '--nonblocking', '--json', '--pid', String(pid)];
  const dump = await execa(pyspy, args, { reject: false, stdin: 'ignore', timeout: PATIENCE_MS });
  const threads = dump.exitCode === 0 ? parseDump(dump.stdout) : [];
  if (threads.length === 0) return undefined;
  const hot = new Map<string, Set<number>>();
  for (const { filename, line } of threads.flatMap(({ frames }) => frames))
    if (!filename.startsWith('<') && line > 0) hot.set(filename, (hot.get(filename) ?? new Set()).add(line));
  const sources = readSources(pid, hot, known);
  const frame = ({ name, filename, line }: PrintedFrame): Frame => {
    const source = Object.hasOwn(sources, filename) ? sources[filename] : undefined;
    const text = source?.lines[line]?.trim() ?? '';
    return {
      name,
      kind: 'python',
      ...(filename === '' ? {} : { file: source?.short ?? filename }),
      ...(line > 0 ? { line } : {}),
      ...(text === '' ? {} : { sourceText: text }),
    };
  };
  return {
    stacks: threads.map(({ tid, name, frames }) => ({
      tid,
      ...(name === undefined ? {} : { name }),
      frames: frames.map(frame),
    })),
    sources,
  };
}
