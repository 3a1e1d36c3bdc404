import { ProfileBuilder } from '../model/index.js';
import type { Frame, Profile, Thread } from '../model/index.js';
import type { Recording } from './recording.js';

/** What a recording knows of its frames and threads. */
type Known = Pick<Recording, 'sources' | 'threadIds' | 'slices'>;

/**
 * The profile of a recording in the recording's own terms: files cut at their package, the text of the executed line
 * beside each frame, threads by the host's thread id. Frames and threads that become equal by it are one.
 */
export function attachSources(profile: Profile, recording: Known): Profile {
  const builder = new ProfileBuilder(profile.unit, profile.origin);
  const threadOf = threadReader(recording);
  const frames = profile.frames.map((frame) => builder.frame(withSource(frame, recording)));
  const threads = profile.threads.map((thread) => builder.thread(threadOf(thread)));
  const { stacks, samples } = profile;
  const rows = new Int32Array(stacks.length);
  for (let i = 0; i < stacks.length; i++) {
    const parent = at(stacks.parent, i);
    const copied = builder.stack(parent < 0 ? -1 : at(rows, parent), frames[at(stacks.frame, i)] ?? -1);
    rows[i] = copied;
    if (stacks.verified !== undefined) builder.verify(copied, stacks.verified[i] === 1);
  }
  for (let i = 0; i < samples.length; i++) {
    const stack = at(samples.stack, i);
    const thread = threads[at(samples.thread, i)] ?? -1;
    const holder = samples.holder?.[i] ?? -1;
    builder.sample(
      stack < 0 ? -1 : at(rows, stack),
      thread,
      at(samples.weight, i),
      samples.timeNs?.[i],
      samples.state?.[i],
      holder < 0 ? -1 : (threads[holder] ?? -1),
    );
  }
  builder.lost(profile.lost);
  if (profile.ticks !== undefined) builder.ticks(profile.ticks);
  for (const finding of profile.findings ?? []) builder.finding(finding);
  return builder.build();
}

function withSource(frame: Frame, { sources }: Known): Frame {
  if (frame.file === undefined || !Object.hasOwn(sources, frame.file)) return frame;
  const source = sources[frame.file];
  if (source === undefined) return frame;
  const line = frame.line === undefined ? undefined : String(frame.line);
  const text =
    line !== undefined && Object.hasOwn(source.lines, line) ? source.lines[line]?.trim() : undefined;
  return { ...frame, file: source.short, ...(text === undefined || text === '' ? {} : { sourceText: text }) };
}

function threadReader({ threadIds, slices }: Known): (thread: Thread) => Thread {
  const known = new Map(slices.flatMap((slice) => slice.accounting.map((thread) => [thread.tid, thread])));
  return (thread) => {
    if (thread.tid === undefined) return thread;
    const printed = String(thread.tid);
    const mapped =
      threadIds !== undefined && Object.hasOwn(threadIds, printed) ? threadIds[printed] : undefined;
    const tid = mapped ?? thread.tid;
    const { nsTid, name } = known.get(tid) ?? {};
    return {
      ...thread,
      tid,
      ...(nsTid === undefined || nsTid === tid ? {} : { nsTid }),
      // An empty name is a name that could not be read.
      ...((thread.name ?? '') === '' && name !== undefined ? { name } : {}),
    };
  };
}

function at(column: Int32Array | Float64Array, index: number): number {
  return column[index] ?? -1;
}
