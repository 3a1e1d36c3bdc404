import type { Origin, Profile } from '../model/index.js';

/** A file in pieces of any size, as it comes from disk or a pipe. */
export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** How sure a format is that a file is its own. `unsure`: readable, but a surer format goes first. */
export type Sniffed = 'yes' | 'no' | 'unsure';

/** One file format: recognised, read and written. */
export interface Format {
  /** Kebab case, stable: users name it with `--format`. */
  readonly id: string;
  /** For people: `py-spy raw (record -f raw)`. */
  readonly title: string;
  /** The line to type for a new recording in this format; absent where py-spy makes it. */
  readonly record?: string;
  /** @param head the first 64 KiB of the file, or all of a shorter one. */
  readonly sniff: (head: Uint8Array) => Sniffed;
  /**
   * Reads to the end. What cannot be read is counted in `lost`; an input without samples gives a profile without samples.
   * @throws ProfilerError where reading on would give wrong numbers.
   */
  readonly read?: (chunks: Chunks, origin: Origin) => Promise<Profile>;
  /** Pieces of text that make the file when put together. */
  readonly write?: (profile: Profile) => Iterable<string>;
}
