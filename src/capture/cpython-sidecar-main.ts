/**
 * The sampler of CPython as a container beside the target runs it: `main.mjs PID`, the target's number in there. Nobody else may read the
 * target, so it looks for the interpreter itself; samples go to standard output, among its messages. The build makes one file of it.
 * `main.mjs PID - HZ SECONDS` records one window, for a person.
 */
import { once } from 'node:events';
import { interpreterOf } from '../target/index.js';
import type { ReaderPlan } from './backends/cpython/cpython-reader.js';
import { Refusal, runSampler } from './backends/cpython/sampler.js';
import { readerPlan } from './cpython-plan.js';

const [, , pid, ...args] = process.argv;

function findPlan(): ReaderPlan {
  const found = interpreterOf(Number(pid));
  if (found === undefined) throw new Refusal('permission', `/proc/${pid}/maps`);
  if (found.freeThreaded === true) throw new Refusal('free-threaded', '');
  if (found.runtime === undefined) throw new Refusal('no-runtime', '');
  return readerPlan(Number(pid), found.version, found.runtime);
}

// Nobody may listen before the first word, which is an empty line, or the end.
if (args.length === 0) await once(process.stdin, 'readable');
await runSampler(findPlan, args, { among: true });
