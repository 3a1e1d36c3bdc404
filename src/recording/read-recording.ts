import { open, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { readProfile } from '../formats/index.js';
import { countedSamples, errorReason, mergeProfiles, ofThread, ProfilerError } from '../model/index.js';
import type { Finding, NativeStacks, Profile, ProgramSpan } from '../model/index.js';
import { attachSources } from './attach-sources.js';
import { labelSamples } from './label-samples.js';
import { readManifest } from './manifest-file.js';
import { readProgramSpans } from './program-spans.js';
import type { Recording, Slice, SliceThread } from './recording.js';
import { profileStart, timeOrigin } from './time-origin.js';

const CHUNK_BYTES = 1 << 20;

/** A recording folder, read. */
export interface LoadedRecording {
  /** The folder, as it was named. */
  readonly path: string;
  readonly recording: Recording;
  /** All slices together. Thread ids are the host's, files are cut at their package, hot lines carry their text. */
  readonly profile: Profile;
  /** Native stacks of the same threads over the same slices, where a second sampler took them. */
  readonly native?: NativeStacks;
  /** What the program measured of itself meanwhile, where it did. */
  readonly spans?: readonly ProgramSpan[];
  /** What was wrong with the folder itself; the findings of the capture are in `recording`. */
  readonly findings: readonly Finding[];
}

/**
 * Reads a recording folder. A slice that cannot be read is a finding, the others count.
 * @throws ProfilerError as `readManifest`.
 */
export async function readRecording(folder: string): Promise<LoadedRecording> {
  const recording = await readManifest(folder);
  return { path: folder, recording, ...(await readSlices(folder, recording)) };
}

/** The samples of a recording whose manifest is at hand, wherever that came from. */
export async function readSlices(
  folder: string,
  recording: Recording,
): Promise<Pick<LoadedRecording, 'profile' | 'native' | 'spans' | 'findings'>> {
  const profiles: Profile[] = [];
  const startsNs: number[] = [];
  const findings: Finding[] = [];
  let first: Begin | undefined;
  const originNs = timeOrigin(recording);
  for (const slice of recording.slices) {
    try {
      const read = await readSlice(folder, slice, recording.rateHz);
      const sliceNs = Number(BigInt(slice.startNs) - originNs);
      for (const { profile, startNs, startUs } of read) {
        profiles.push(profile);
        if (startUs !== undefined) first ??= { startNs: sliceNs, startUs };
        startsNs.push(
          startNs !== undefined
            ? Number(startNs - originNs)
            : startUs === undefined
              ? sliceNs
              : byOwnClock(first ?? { startNs: sliceNs, startUs }, { startNs: sliceNs, startUs }),
        );
      }
    } catch (error) {
      findings.push(unreadable(slice, error));
    }
  }
  const origin = { format: 'recording', path: folder };
  const native = await readNative(folder, recording, findings);
  const program = await readProgramSpans(recording, (file) => insideFolder(folder, file));
  findings.push(...program.findings);
  const profile = labelSamples(mergeProfiles(profiles, origin, startsNs), program.spans);
  return {
    profile: attachSources(profile, recording),
    ...(program.spans.length === 0 ? {} : { spans: program.spans }),
    ...(native === undefined
      ? {}
      : {
          native: { ...native, profile: withKernelNames(mergeProfiles(native.profiles, origin), recording) },
        }),
    findings,
  };
}

/** perf cannot tell some names from what follows them; what the kernel said of a thread goes first. */
function withKernelNames(profile: Profile, { slices }: Recording): Profile {
  const names = new Map(
    slices.flatMap(({ accounting }) =>
      accounting.flatMap(({ tid, name }) => (name === undefined ? [] : [[tid, name] as const])),
    ),
  );
  const threads = profile.threads.map((thread) => {
    const name = thread.tid === undefined ? undefined : names.get(thread.tid);
    return name === undefined ? thread : { ...thread, name };
  });
  return { ...profile, threads };
}

async function readNative(
  folder: string,
  { slices }: Recording,
  findings: Finding[],
): Promise<(Omit<NativeStacks, 'profile'> & { readonly profiles: readonly Profile[] }) | undefined> {
  const taken = slices.flatMap((slice) =>
    slice.native === undefined ? [] : [{ ...slice, ...slice.native }],
  );
  const [first] = taken;
  if (first === undefined) return undefined;
  const profiles: Profile[] = [];
  for (const slice of taken) {
    try {
      const read = await readFile(folder, slice);
      if (read.samples.length === 0) throw new Error('no sample can be found in it');
      profiles.push(read);
    } catch (error) {
      findings.push(nativeUnreadable(slice, error));
    }
  }
  return { profiles, rateHz: first.rateHz, wall: taken.every(({ wall }) => wall) };
}

async function readFile(
  folder: string,
  { file, format }: { readonly file: string; readonly format: string },
): Promise<Profile> {
  const path = await insideFolder(folder, file);
  return readProfile(chunksOf(path), { path }, { format, allowEmpty: true });
}

interface Begin {
  /** When the sampler was told to begin. */
  readonly startNs: number;
  /** When it did, by a clock of its own. */
  readonly startUs: number;
}

/** More than any sampler takes to begin: then its clock is another one. */
const SLOWEST_START_NS = 1e9;

/**
 * When a slice began, in nanoseconds since the first was told to: V8 answers some 60 ms after it has begun, by a few more or less each time, and its
 * own clock knows how far one beginning is from the other. Of recordings that do not say when its profiles began by the clock of the machine.
 */
function byOwnClock(first: Begin, { startNs, startUs }: Begin): number {
  const own = first.startNs + (startUs - first.startUs) * 1000;
  return own >= 0 && Math.abs(own - startNs) < SLOWEST_START_NS ? own : startNs;
}

interface SliceProfile {
  readonly profile: Profile;
  /** When its times begin, where that is told apart from the slice. */
  readonly startNs: bigint | undefined;
  /** The same by the sampler's own clock, in microseconds. */
  readonly startUs: number | undefined;
}

/** Its profiles: one, or one of each thread. */
async function readSlice(folder: string, slice: Slice, rateHz: number): Promise<readonly SliceProfile[]> {
  const profiles: SliceProfile[] = [];
  for (const each of slice.threads ?? [threadOf(slice)]) {
    const { file, tid, name } = each;
    const read = await readFile(folder, { file, format: slice.format });
    const { samples = 0 } = slice;
    if (samples > 0 && read.samples.length === 0 && file === slice.file) {
      const found =
        (await stat(join(folder, file))).size === 0 ? 'it is empty' : 'no sample can be found in it';
      throw new Error(`${found}, though the sampler wrote ${samples}`);
    }
    const counted = countedSamples(read, rateHz);
    const thread = { ...(tid === undefined ? {} : { tid }), ...(name === undefined ? {} : { name }) };
    profiles.push({
      profile: slice.threads === undefined ? counted : ofThread(counted, thread),
      startNs: profileStart(slice, each),
      startUs: read.startUs,
    });
  }
  return profiles;
}

function threadOf({ file }: Slice): SliceThread {
  return { file };
}

/** Opens the file only when it is asked for, and closes it however the reader ends. */
async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES);
      if (bytesRead === 0) return;
      // A copy: the reader may hold on to it.
      yield new Uint8Array(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

/** A manifest may come from anyone: its slices are files of its own folder, whatever names and links say. */
async function insideFolder(folder: string, file: string): Promise<string> {
  const [root, path] = await Promise.all([realpath(folder), realpath(join(folder, file))]);
  const inner = relative(root, path);
  if (isAbsolute(file) || isAbsolute(inner) || inner === '' || inner.split(sep)[0] === '..') {
    throw new Error('it lies outside of the recording');
  }
  if (!(await stat(path)).isFile()) throw new Error('it is not a file');
  return path;
}

function reasonOf(error: unknown): string {
  const reason = error instanceof ProfilerError ? error.finding.what : errorReason(error);
  return reason.replace(/\.$/, '');
}

function nativeUnreadable({ file }: Pick<Slice, 'file'>, error: unknown): Finding {
  return {
    level: 'warning',
    id: 'native-unreadable',
    what: `What perf saw beside a slice (${file}) could not be read: ${reasonOf(error)}.`,
    why: 'Native frames and threads without Python are missing there; lines and buckets do not depend on it.',
  };
}

function unreadable(slice: Slice, error: unknown): Finding {
  const seconds = Number(BigInt(slice.endNs) - BigInt(slice.startNs)) / 1e9;
  return {
    level: 'warning',
    id: 'slice-unreadable',
    what: `Slice ${slice.file} (${seconds.toFixed(1)} s) could not be read: ${reasonOf(error)}.`,
    why: 'Its samples are missing from the answer; the kernel accounting of its time is not.',
  };
}
