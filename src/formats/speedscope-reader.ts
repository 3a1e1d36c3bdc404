import { ProfileBuilder, ProfilerError } from '../model/index.js';
import type { Origin, Profile, Thread } from '../model/index.js';
import { asList, asRecord, asText, asWhole } from './json-file.js';
import { bareFrame, placedFrame } from './pyspy-frame.js';
import { PYSPY_GRAMMAR } from './pyspy-line.js';
import { speedscopeSpans } from './speedscope-spans.js';
import type { FoundSpan } from './speedscope-spans.js';

type Fields = Readonly<Record<string, unknown>>;

/** Nanoseconds of what a weight may be. */
const NANOSECONDS: ReadonlyMap<string, number> = new Map([
  ['nanoseconds', 1],
  ['microseconds', 1e3],
  ['milliseconds', 1e6],
  ['seconds', 1e9],
]);

/**
 * The profile that a parsed file of speedscope holds. Weights in time are time; those of py-spy are counted, one for each, since it gives
 * each sample the interval that it was asked for, whatever time passed.
 * @throws ProfilerError `not-a-speedscope-file`, `drawn-for-viewer`, `no-time`.
 */
export function speedscopeProfile(value: unknown, origin: Origin): Profile {
  const file = origin.path ?? 'The input';
  const fields = asRecord(value);
  const frames = asList(asRecord(fields?.['shared'])?.['frames']);
  const profiles = asList(fields?.['profiles'])?.map((one) => asRecord(one) ?? {});
  if (fields === undefined || frames === undefined || profiles === undefined) throw notSpeedscope(file);
  const exporter = asText(fields['exporter']) ?? '';
  if (exporter.startsWith('sim-profiler@')) throw drawnForViewer(file);
  // What a program measured of itself may stand beside its samples: both would count the same time twice.
  const sampled = profiles.filter(({ type }) => type === 'sampled');
  const shown = sampled.length > 0 ? sampled : profiles.filter(({ type }) => type === 'evented');
  const isCounted = exporter.startsWith('py-spy');
  const unit = asText(shown[0]?.['unit']) ?? 'none';
  const worth = isCounted || unit === 'none' ? undefined : NANOSECONDS.get(unit);
  if (!isCounted && unit !== 'none' && worth === undefined) throw noTime(file, unit);
  const builder = new ProfileBuilder(worth === undefined ? 'samples' : 'nanoseconds', origin);
  const stackOf = stackMaker(builder, frames);
  shown.forEach((profile, place) => {
    const where = `profile ${place + 1}`;
    if (!isCounted && profile['unit'] !== shown[0]?.['unit']) {
      builder.lostLine(place + 1, `${where} is not in ${unit}, as the first one is`, String(profile['unit']));
      return;
    }
    const thread = builder.thread(threadOf(profile));
    for (const { stack, weight, at } of spansOf(profile)) {
      const faulty = faultOf(stack, weight, worth !== undefined || isCounted);
      const row = faulty === undefined ? stackOf(stack) : undefined;
      if (row === undefined) {
        const text = JSON.stringify({ stack, weight });
        builder.lostLine(at + 1, `${where}: ${faulty ?? 'frame that is not in the file'}`, text);
      } else if (weight !== 0) builder.sample(row, thread, amount(weight, isCounted, worth));
    }
  });
  return builder.build();
}

function spansOf(profile: Fields): Iterable<FoundSpan> {
  if (profile['type'] === 'evented') return speedscopeSpans(asList(profile['events']) ?? []);
  const weights = asList(profile['weights']) ?? [];
  return (asList(profile['samples']) ?? []).map((stack, at) => ({ stack, weight: weights[at], at }));
}

function faultOf(stack: unknown, weight: unknown, isTime: boolean): string | undefined {
  if (asList(stack) === undefined) return 'stack that is no list of frames';
  if (typeof weight !== 'number' || !Number.isFinite(weight)) return 'weight that is no number';
  if (weight < 0) return 'weight is negative';
  return isTime || Number.isSafeInteger(weight) ? undefined : 'weight is not a whole number';
}

function amount(weight: unknown, isCounted: boolean, worth: number | undefined): number {
  return isCounted ? 1 : Math.round(Number(weight) * (worth ?? 1));
}

/** The row of a list of indexes, root first; -1 for an empty one, undefined where a frame is missing. */
function stackMaker(
  builder: ProfileBuilder,
  frames: readonly unknown[],
): (stack: unknown) => number | undefined {
  const known = new Map<number, number>();
  const frameAt = (index: number): number | undefined => {
    const found = known.get(index);
    if (found !== undefined) return found;
    const fields = asRecord(frames[index]);
    if (fields === undefined) return undefined;
    const made = builder.frame(frameOf(fields));
    known.set(index, made);
    return made;
  };
  return (stack) => {
    let row = -1;
    for (const index of asList(stack) ?? []) {
      const frame = frameAt(asWhole(index) ?? -1);
      if (frame === undefined) return undefined;
      row = builder.stack(row, frame);
    }
    return row;
  };
}

function frameOf(fields: Fields): ReturnType<typeof placedFrame> {
  const name = asText(fields['name']) ?? '';
  const file = asText(fields['file']) ?? '';
  if (file === '') return bareFrame(name);
  const line = asWhole(fields['line']) ?? 0;
  return placedFrame(name, line > 0 ? `${file}:${line}` : file);
}

/** py-spy: `Thread 4711 "MainThread"`, below `Process 4700` where it follows children; before 0.3.4 all were `py-spy`. */
const PY_SPY_THREAD = /^(?:Process (\d+) )?Thread (0[xX][\da-fA-F]+|\d+)(?: "(.*)")?$/s;

function threadOf({ name }: Fields): Thread {
  const text = asText(name) ?? '';
  const [match, pid, id, called] = PY_SPY_THREAD.exec(text) ?? [];
  if (match === undefined) {
    if (text === '' || text === 'py-spy') return {};
    return text.startsWith('thread (') ? (PYSPY_GRAMMAR.root(undefined, text) ?? {}) : { name: text };
  }
  const tid = Number(id);
  return {
    ...(pid === undefined ? {} : { pid: Number(pid) }),
    ...(Number.isSafeInteger(tid) && { tid }),
    ...(called === undefined || called === '' ? {} : { name: called }),
  };
}

function notSpeedscope(file: string): ProfilerError {
  return new ProfilerError({
    id: 'not-a-speedscope-file',
    what: `${file} is JSON, but has no list of profiles with shared frames, which every file of speedscope has.`,
    why: 'It is another kind of JSON, or the program that made it failed.',
    fix: 'Record again: py-spy record --idle -f raw -o FILE --pid PID',
  });
}

function drawnForViewer(file: string): ProfilerError {
  return new ProfilerError({
    id: 'drawn-for-viewer',
    what: `${file} is what profiler view drew: its names have buckets in them, and waiting is spread over its stacks.`,
    why: 'Sorted again, each of them would be a name that no rule knows.',
    fix: 'profiler export --to speedscope -o FILE, or name the recording itself',
  });
}

function noTime(file: string, unit: string): ProfilerError {
  return new ProfilerError({
    id: 'no-time',
    what: `${file} is a profile in ${unit}, not of time and not of samples.`,
    why: 'What memory was taken for is no share of what a thread was busy with.',
    fix: 'py-spy record --idle -f raw -o FILE --pid PID',
  });
}
