import { ProfilerError } from '../model/index.js';
import type { Profile, Thread } from '../model/index.js';
import { threadName } from '../report/index.js';
import { parseThreadSelector } from '../rules/index.js';

const MOST_NAMED = 8;

/**
 * Indexes of the threads that `--thread` names: `/regex/` against names, a number against thread ids (the host's or the
 * target's own), else a name, exactly.
 * @throws ProfilerError for a broken pattern, for nothing that fits, and for a number that is the id of two threads.
 */
export function chooseThreads(profile: Profile, wanted: string): ReadonlySet<number> {
  const fits = matcher(wanted);
  const found = new Set<number>();
  profile.threads.forEach((thread, index) => {
    if (fits(thread)) found.add(index);
  });
  if (found.size === 0) throw noSuchThread(profile, wanted);
  const hosts = new Set([...found].map((index) => profile.threads[index]?.tid));
  if (/^\d+$/.test(wanted) && hosts.size > 1) {
    throw new ProfilerError(
      {
        id: 'ambiguous-thread',
        what: `${wanted} is the id of ${hosts.size} threads: of one on the host, of another inside the container.`,
        why: 'Each process namespace numbers its threads for itself.',
        fix: `name it by its name: ${[...found].map((index) => nameAt(profile, index)).join(' or ')}`,
      },
      2,
    );
  }
  return found;
}

function matcher(wanted: string): (thread: Thread) => boolean {
  const { name, tid, regex } = parseThreadSelector(wanted);
  return (thread) =>
    (name !== undefined && thread.name === name) ||
    (tid !== undefined && (thread.tid === tid || thread.nsTid === tid || thread.name === wanted)) ||
    (regex !== undefined && regex.test(thread.name ?? ''));
}

function nameAt(profile: Profile, index: number): string {
  const thread = profile.threads[index];
  return thread === undefined ? '' : threadName(thread);
}

function noSuchThread(profile: Profile, wanted: string): ProfilerError {
  const names = [...new Set(profile.threads.map(threadName))];
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return new ProfilerError(
    {
      id: 'no-such-thread',
      what: `No thread is called ${wanted}.`,
      why: `There are: ${names.slice(0, MOST_NAMED).join(', ')}${more}.`,
      fix: 'profiler threads',
    },
    2,
  );
}
