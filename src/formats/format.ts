import type { Bucket, Finding, Origin, Profile, ProgramSpan } from '../model/index.js';

/** A file in pieces of any size, as it comes from disk or a pipe. */
export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** How sure a format is that a file is its own. `unsure`: readable, but a surer format goes first. */
export type Sniffed = 'yes' | 'no' | 'unsure';

/** Bucket of a stack. */
export interface StackMark {
  readonly bucket: Bucket;
  readonly kind?: string;
}

/** What a writer may tell beside the profile; each where it is known. */
export interface WriteFacts {
  /** By row of the stack table; made when a writer asks for them. */
  readonly marks?: () => readonly StackMark[];
  /** Process that the threads belong to which name none. */
  readonly process?: { readonly pid: number; readonly name: string };
  /** Samples of a thread per second: how long a counted one lasts where it has no time. */
  readonly rateHz?: number;
  /** When the window began, in milliseconds since 1970. */
  readonly startMs?: number;
  /** What the program measured of itself, on the times of the samples. */
  readonly spans?: readonly ProgramSpan[];
}

/** One file format: recognised, read and written. */
export interface Format {
  /** Kebab case, stable: users name it with `--format`. */
  readonly id: string;
  /** For people: `py-spy raw (record -f raw)`. */
  readonly title: string;
  /** The line to type for a new recording in this format; absent where py-spy makes it. */
  readonly record?: string;
  /** The process that a file of this beginning is of, where it says so: stands for PID in `record`. */
  readonly pidOf?: (head: Uint8Array) => number | undefined;
  /** @param head the first 64 KiB of the file, or all of a shorter one. */
  readonly sniff: (head: Uint8Array) => Sniffed;
  /**
   * Reads to the end. What cannot be read is counted in `lost`; an input without samples gives a profile without samples.
   * @throws ProfilerError where reading on would give wrong numbers.
   */
  readonly read?: (chunks: Chunks, origin: Origin) => Promise<Profile>;
  /** Pieces of text that make the file when put together. */
  readonly write?: (profile: Profile, facts?: WriteFacts) => Iterable<string>;
  /** What is in the profile and not so in the file; absent where the file holds everything that it can show. */
  readonly writeNotes?: (profile: Profile) => readonly Finding[];
}
