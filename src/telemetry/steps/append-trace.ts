/** What it needs of `node:fs`. */
export interface TraceFiles {
  readonly mkdirSync: (path: string, options: { readonly recursive: true }) => unknown;
  readonly openSync: (path: string, flags: string) => number;
  readonly writeSync: (
    fd: number,
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ) => number;
  readonly ftruncateSync: (fd: number, length: number) => void;
  readonly closeSync: (fd: number) => void;
}

/** Events to be put at the end of a trace. */
export interface TraceAppend {
  readonly path: string;
  /** How long the file is: 0 begins a new one. */
  readonly at: number;
  /** Events as JSON, with commas between them. */
  readonly text: string;
}

/**
 * Puts events into the list of a Chrome trace, and answers how long the file is then. The end of the list is written anew with every call, so
 * that the file is valid JSON from the first call on, also where no other follows. A call may be made again, since it says where it writes:
 * what another one left there half-way is written over. Where it fails, the file is what it was before.
 *
 * Its text is the program of the worker, so it must not use anything from outside itself, nor functions within.
 */
export function appendTrace(fs: TraceFiles, { path, at, text }: TraceAppend): number {
  const head = '{"displayTimeUnit": "ms", "traceEvents": [\n';
  const tail = '\n]}';
  const from = at === 0 ? 0 : at - tail.length;
  const bytes = new TextEncoder().encode(at === 0 ? `${head}${text}${tail}` : `,\n${text}${tail}`);
  const folder = /^(.+)[\\/]/.exec(path)?.[1];
  if (at === 0 && folder !== undefined) fs.mkdirSync(folder, { recursive: true });
  const fd = fs.openSync(path, at === 0 ? 'w' : 'r+');
  try {
    let done = 0;
    while (done < bytes.length) {
      const written = fs.writeSync(fd, bytes, done, bytes.length - done, from + done);
      if (written === 0) throw new Error(`${path}: nothing could be written`);
      done += written;
    }
    fs.ftruncateSync(fd, from + bytes.length);
  } catch (error) {
    try {
      if (at > 0) fs.writeSync(fd, new TextEncoder().encode(tail), 0, tail.length, from);
      fs.ftruncateSync(fd, at);
    } catch {
      // The first error is the one to tell.
    }
    throw error;
  } finally {
    fs.closeSync(fd);
  }
  return from + bytes.length;
}
