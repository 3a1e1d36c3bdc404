import { openReader, type CpythonReader } from '../../../../src/capture/backends/cpython/cpython-reader.js';
import { findGilRange } from '../../../../src/target/python/gil-range.js';
import { start, type Python, type Started } from '../../../target/pythons.js';
import { path } from '../../live.js';

export interface Read {
  readonly program: Started;
  readonly reader: CpythonReader;
}

/** Opens a reader on a process. */
export function openOn(pid: number, version: string, open?: Parameters<typeof openReader>[1]): CpythonReader {
  const runtime = findGilRange({ pid } as Parameters<typeof findGilRange>[0]);
  if (runtime === undefined) throw new Error(`no _PyRuntime in process ${pid}`);
  const plan = {
    pid,
    runtime: Number(runtime.start),
    runtimeSize: Number(runtime.end - runtime.start),
    version,
  };
  return openReader(plan, open);
}

/** Starts a program, of test/capture/targets/ where it is only a name, and opens a reader on it. */
export async function startRead(
  { path: python, version }: Python,
  program: string,
  args: readonly string[] = [],
  options: Parameters<typeof start>[2] = {},
): Promise<Read> {
  const file = program.includes('/') ? program : path(program);
  const started = await start(python, [file, ...args], options);
  return { program: started, reader: openOn(started.pid, version) };
}
