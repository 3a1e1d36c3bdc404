import { dirname } from 'node:path';
import type { Finding } from '../../model/index.js';
import type { Journal, Trace } from './journal.js';

/** A sampler of this machine alone ends by itself, and is found by its mark. */
const LASTING: ReadonlySet<Trace['kind']> = new Set(['container', 'image', 'file', 'probed']);

/** What is to be said where the disk does not know of something that a crash would leave. */
export function notWritten({ path, failed, traces }: Journal): readonly Finding[] {
  const code = failed();
  if (code === undefined || !traces().some(({ kind }) => LASTING.has(kind))) return [];
  return [
    {
      level: 'note',
      id: 'journal-not-written',
      what: `What this run made could not be written down in ${dirname(path)} (${code}).`,
      why: 'After a crash, cleanup finds only what has a label or a mark of ours: containers, images and samplers, but no copied file and no target that was left stopped.',
      fix: 'XDG_STATE_HOME=/tmp/state profiler attach …',
    },
  ];
}
