import { TOO_DEEP } from '../../../model/index.js';
import { NO_FRAMES, type CpythonReader } from './cpython-reader.js';

/** Outermost functions of main threads: a script, `python -m`, the end of a program. */
const MAIN_ROOTS = new Set(['<module>', '_run_module_as_main', '_shutdown']);
/** Outermost function of a `threading.Thread`. */
const THREAD_ROOT = /(?:^|\.)_bootstrap$/;
const TRIES = 20;
/** Readings that have to agree: one may be torn, of a loop that never rests now and then, and each time another way. */
const ALIKE = 3;

/**
 * Why a reader must not be used for its target, before anything is recorded: stacks must be readable, names must be text, and the
 * main thread's stack must end in `<module>` (or what else Python begins with). Undefined: it may be used, after `beginFile`.
 */
export function selfTest(reader: CpythonReader): string | undefined {
  let threads;
  try {
    threads = reader.threads();
  } catch (error) {
    return `the threads of the interpreter cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (threads.length === 0) return 'the interpreter has no threads: it is not ready yet, or at its end';
  // New threads are put at the front: the one that began the interpreter is the last.
  for (const [index, { address }] of threads.toReversed().entries()) {
    const outermost = settledName(reader, address);
    if (outermost === undefined) return 'no readable stack in 20 tries';
    if (outermost === NO_FRAMES) continue;
    // Thousands of frames in a row, the innermost of Python code, are nothing else.
    if (outermost === TOO_DEEP) return undefined;
    // eslint-disable-next-line no-control-regex
    if (!/^[^\u0000-\u001f]+$/u.test(outermost)) return `a function is called ${JSON.stringify(outermost)}`;
    if (index === 0 && !MAIN_ROOTS.has(outermost))
      return `the stack of the main thread ends in ${outermost}, not in <module>`;
    if (index === 0 || THREAD_ROOT.test(outermost)) return undefined;
  }
  return 'no thread runs Python code that tells whether stacks are read rightly';
}

/** What first comes out of so many readings alike; undefined where nothing can be read. */
function settledName(reader: CpythonReader, address: number): ReturnType<typeof outermostName> {
  const seen = new Map<ReturnType<typeof outermostName>, number>();
  for (let reading = 0; reading < TRIES; reading += 1) {
    const name = outermostName(reader, address);
    const times = (seen.get(name) ?? 0) + 1;
    if (name === undefined || times === ALIKE) return name;
    seen.set(name, times);
  }
  return [...seen].toSorted((a, b) => b[1] - a[1])[0]?.[0];
}

function outermostName(reader: CpythonReader, address: number): string | typeof NO_FRAMES | undefined {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    reader.beginFile();
    const id = reader.sample(address, false, performance.now());
    if (id === NO_FRAMES) return NO_FRAMES;
    if (id < 0) continue;
    const lines = reader.drain().split('\n');
    const code = /^f \d+ -1 (\d+) /.exec(lines.find((line) => line.startsWith('f ')) ?? '')?.[1];
    const text = lines.find((line) => line.startsWith(`c ${code} `));
    if (text === undefined) return undefined;
    return (JSON.parse(text.slice(text.indexOf('['))) as [string, string])[0];
  }
  return undefined;
}
