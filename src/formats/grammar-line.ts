import type { Frame, Thread } from '../model/index.js';

/**
 * What the text between two `;` is by itself. `root`: names process or thread. `hidden`: nothing to show. `bare`: a frame without
 * location, or part of a name. `hard`: only the whole line tells.
 */
export type Piece =
  | { readonly role: 'frame' | 'bare'; readonly frame: Frame }
  | { readonly role: 'root' | 'hidden' | 'hard' };

/**
 * A stack read as a whole. `leaf`: its last frame is complete; has no location; looks like the first part of a name that goes on;
 * is surely cut within a parenthesis or a command line.
 */
export interface ParsedStack {
  readonly thread: Thread | undefined;
  readonly frames: readonly Frame[];
  readonly leaf: 'closed' | 'bare' | 'open' | 'cut';
}

/** One dialect of folded text. */
export interface Grammar {
  /** The first piece is a thread: always, never, or `plain`: if it is bare and a frame with a location follows. */
  readonly first: 'always' | 'never' | 'plain';
  /** Names may hold line ends: a line that breaks off in one is continued by the next. */
  readonly continues: boolean;
  readonly piece: (text: string) => Piece;
  /** The thread that a root piece makes of what the roots before it told. */
  readonly root: (outer: Thread | undefined, text: string) => Thread;
  readonly stack: (text: string) => ParsedStack;
  /** What the sampler said beside its data, with the failed samples it admits. */
  readonly chatter?: (text: string) => { readonly errors: number } | undefined;
}
