import type { GilRange } from '../target/index.js';
import type { ReaderPlan } from './backends/cpython/cpython-reader.js';

/** `python3.11d`, `libpython3.11d.so.1.0`: every object there has more in front. */
const DEBUG_BUILD = /python3\.\d+t?d(?:m|u)*(?:\.so[.\d]*)?$/;

/** What the sampler has to know of an interpreter. */
export function readerPlan(pid: number, version: string | undefined, runtime: GilRange): ReaderPlan {
  const { start, end, file } = runtime;
  return {
    pid,
    runtime: Number(start),
    runtimeSize: Number(end - start),
    version: version ?? '',
    ...(DEBUG_BUILD.test(file) ? { debug: true } : {}),
  };
}
