import { ProfilerError } from '../model/index.js';
import { type Target, threads } from '../target/index.js';

/**
 * TID of the thread that `--thread` names, before anything was sampled: a number is the host's or the container's id, a name is
 * the kernel's. Undefined for a name that only Python knows: the samples will tell.
 * @throws ProfilerError `no-such-thread`, `ambiguous-thread`.
 */
export function namedThread(target: Target, wanted: string): number | undefined {
  // Of one on another machine, only the samples tell.
  if (target.elsewhere !== undefined) return undefined;
  const live = threads(target);
  if (!/^\d+$/.test(wanted)) {
    const named = live.filter((thread) => thread.comm === wanted);
    return named.length === 1 ? named[0]?.tid : undefined;
  }
  const id = Number(wanted);
  const fits = live.filter((thread) => thread.tid === id || thread.nsTid === id);
  if (fits.length === 1) return fits[0]?.tid;
  const ids = live.map((thread) => thread.tid);
  throw new ProfilerError(
    fits.length === 0
      ? {
          id: 'no-such-thread',
          what: `Process ${target.pid} has no thread ${wanted}.`,
          why: `Its threads are ${ids.slice(0, 8).join(', ')}${ids.length > 8 ? ` and ${ids.length - 8} more` : ''}.`,
          fix: 'leave --thread out: the thread that steps is found by itself',
        }
      : {
          id: 'ambiguous-thread',
          what: `${wanted} is the id of ${fits.length} threads of process ${target.pid}: of one on the host, of another inside its container.`,
          why: 'Each process namespace numbers its threads for itself.',
          fix: `--thread ${fits.find((thread) => thread.nsTid === id && thread.tid !== id)?.tid ?? 'NAME'}`,
        },
    2,
  );
}
