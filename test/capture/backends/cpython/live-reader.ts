import { openReader, type CpythonReader } from '../../../../src/capture/backends/cpython/cpython-reader.js';
import { findGilRange } from '../../../../src/target/python/gil-range.js';
import { start, type Python, type Started } from '../../../target/pythons.js';
import { path } from '../../live.js';

export interface Read {
  readonly program: Started;
  readonly reader: CpythonReader;
}

/** Starts a program of test/capture/targets/ and opens a reader on it. */
export async function startRead(
  { path: python, version }: Python,
  program: string,
  args: readonly string[] = [],
  options: Parameters<typeof start>[2] = {},
): Promise<Read> {
  const started = await start(python, [path(program), ...args], options);
  const runtime = findGilRange({ pid: started.pid } as Parameters<typeof findGilRange>[0]);
  if (runtime === undefined) throw new Error(`no _PyRuntime in process ${started.pid}`);
  const reader = openReader({
    pid: started.pid,
    runtime: Number(runtime.start),
    runtimeSize: Number(runtime.end - runtime.start),
    version,
  });
  return { program: started, reader };
}
