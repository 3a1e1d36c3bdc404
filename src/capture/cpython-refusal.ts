import type { Finding } from '../model/index.js';
import { shownPid, type Target } from '../target/index.js';
import type { RefusalReason } from './backends/cpython/protocol.js';

/** What may also be `start`: it could not be started, or ended without a word. */
export type CpythonRefusal = RefusalReason | 'elsewhere' | 'not-python' | 'start';

const WHY: Readonly<Record<CpythonRefusal, (target: Target, detail: string) => string>> = {
  machine: (_, detail) => `The system call numbers of this machine (${detail}) are not known.`,
  kernel: () =>
    'The kernel counts no switches of threads (built without SCHED_INFO, or a sandbox such as gVisor): who runs and who waits cannot be told apart.',
  permission: (_, detail) => `Its memory may not be read (${detail}).`,
  layout: ({ runtimeVersion }, detail) =>
    `Its memory is not laid out as that of a Python ${runtimeVersion ?? 'that we know'} (${detail}).`,
  'target-ended': () => 'It has ended.',
  elsewhere: () => 'It is on another machine.',
  'not-python': () => 'It is no CPython.',
  'free-threaded': () => 'It is a free-threaded build, which has other objects, and no lock to wait for.',
  'no-runtime': () =>
    'No interpreter could be found in its memory: it may not be read, or the Python is built into a stripped program.',
  start: (_, detail) => `The sampler did not start (${detail}).`,
};

/** Why our own sampler does not serve a target. A note: py-spy takes over. */
export function cpythonRefused(target: Target, because: CpythonRefusal, detail = ''): Finding {
  return {
    level: 'note',
    id: `cpython-${because}`,
    what: `Our own sampler cannot be used for process ${shownPid(target)}; py-spy is.`,
    why: WHY[because](target, detail.slice(0, 200)),
  };
}
