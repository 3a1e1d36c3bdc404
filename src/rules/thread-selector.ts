import { type Profile, ProfilerError, type Thread } from '../model/index.js';

/** Which thread a user means by `--thread`. Fields given together must all fit. */
export interface ThreadSelector {
  readonly name?: string;
  /** Of the host or of the target's own pid namespace. */
  readonly tid?: number;
  readonly regex?: RegExp;
}

/** `48211` is a TID, `/spin/` a regular expression over names, anything else a name. Throws ProfilerError `bad-thread`. */
export function parseThreadSelector(text: string): ThreadSelector {
  if (/^\d+$/.test(text)) return { tid: Number(text) };
  const pattern = /^\/(.+)\/(i?)$/.exec(text);
  if (pattern === null) return { name: text };
  try {
    return { regex: new RegExp(pattern[1] ?? '', pattern[2]) };
  } catch (error) {
    throw new ProfilerError(
      {
        id: 'bad-thread',
        what: `--thread ${text} is not a regular expression.`,
        why: error instanceof Error ? error.message : String(error),
        fix: 'profiler threads',
      },
      2,
    );
  }
}

/** Index of the one thread that a selector means. Throws ProfilerError `no-such-thread` or `ambiguous-thread`. */
export function selectThread(profile: Profile, selector: ThreadSelector): number {
  const fitting = [...profile.threads.keys()].filter((i) => fits(profile.threads[i], selector));
  const [first, second] = fitting;
  if (first === undefined) {
    throw new ProfilerError({
      id: 'no-such-thread',
      what: `No thread of ${profile.threads.length} fits ${selectorText(selector)}.`,
      why: `The threads are ${threadList(profile, [...profile.threads.keys()])}.`,
      fix: 'profiler threads',
    });
  }
  if (second === undefined) return first;
  const exact = fitting.find((i) => profile.threads[i]?.tid !== undefined);
  throw new ProfilerError(
    {
      id: 'ambiguous-thread',
      what: `${fitting.length} threads fit ${selectorText(selector)}: ${threadList(profile, fitting)}.`,
      why: 'One thread is needed; none was guessed.',
      fix: `--thread ${exact === undefined ? 'NAME' : profile.threads[exact]?.tid}`,
    },
    2,
  );
}

function fits(thread: Thread | undefined, { name, tid, regex }: ThreadSelector): boolean {
  if (thread === undefined) return false;
  if (name !== undefined && thread.name !== name) return false;
  if (tid !== undefined && thread.tid !== tid && thread.nsTid !== tid) return false;
  return regex === undefined || (thread.name !== undefined && regex.test(thread.name));
}

function selectorText({ name, tid, regex }: ThreadSelector): string {
  return [
    name === undefined ? '' : `the name ${name}`,
    tid === undefined ? '' : `the TID ${tid}`,
    regex === undefined ? '' : String(regex),
  ]
    .filter((part) => part !== '')
    .join(' and ');
}

/** Most threads that an error lists. */
const MOST_LISTED = 10;

function threadList(profile: Profile, indexes: readonly number[]): string {
  const shown = indexes.slice(0, MOST_LISTED).map((i) => threadText(profile.threads[i]));
  if (shown.length === 0) return 'none';
  const more = indexes.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** `MainThread (48211)`. Raw: the name is the target's. */
export function threadText(thread: Thread | undefined): string {
  const tid =
    thread?.tid === undefined
      ? ''
      : `${thread.tid}${thread.nsTid === undefined ? '' : `, ${thread.nsTid} inside`}`;
  if (thread?.name === undefined) return tid === '' ? 'a thread without a name' : `thread ${tid}`;
  return tid === '' ? thread.name : `${thread.name} (${tid})`;
}
