import type { Bucket } from '../model/index.js';

/**
 * What a frame must look like. Every field that is present must match.
 * Strings and lists of strings: any one of them may match.
 */
export interface FramePattern {
  /**
   * Function name. `step` also matches the method `Engine.step` (Python 3.11 prints classes, 3.10 does not);
   * `Engine.step` matches itself and the bare `step`. `*` is any run of characters. Native suffixes
   * (`.llvm.123`, `.constprop.0`, `.isra.0`, `.part.0`, `.cold`, `@@GLIBC_2.3.2`) and C++ parameters are taken off before matching.
   */
  readonly name?: string | readonly string[];
  /** File, matched from its end at a `/` border: `roqsim/engine.py`, `*_msgs/msg/_*.py`; `{a,b}` alternatives; a pattern ending in `/` matches any file below such a folder. */
  readonly file?: string | readonly string[];
  /** Library of a native frame, matched on its last path part: `libmujoco.so*`. */
  readonly module?: string | readonly string[];
  /** Text that the executed source line must contain: `mj_step(`. A frame whose text is unknown does not match. */
  readonly source?: string | readonly string[];
  /** Text that the executed line must not contain; an unknown text passes. */
  readonly notSource?: string | readonly string[];
}

/** What would make the bucket cheaper; printed only when the rule holds at least `above` of the thread's wall time. */
export interface Remedy {
  readonly text: string;
  /** Where that advice comes from: a document, an issue, a measurement. */
  readonly source: string;
  /** Share of wall time, 0 to 1. */
  readonly above: number;
}

/** How a leaf blocks: `sleep` in the kernel's sleep or poll, `wait` on something else (a lock, a socket, a wait set). */
export type Blocking = 'sleep' | 'wait';

export interface Rule {
  /** Unique over all packs: `mujoco/mj-step-line`. */
  readonly id: string;
  readonly bucket: Bucket;
  /** Sub-kind without its bucket: `message-build`. */
  readonly kind?: string;
  readonly match: FramePattern;
  /** The rule holds only if the claimed frame is the leaf. */
  readonly leaf?: true;
  /** Some frame nearer to the root must match. */
  readonly under?: FramePattern;
  /** No frame nearer to the root may match: a plugin hook called by the bridge is publishing, not plugin. */
  readonly notUnder?: FramePattern;
  /** Present when the claimed leaf is a blocking call rather than work. */
  readonly blocks?: Blocking;
  /** How to name the row beyond its bucket: the nearest frame outwards that matches gives its file's stem or class name (`lidar`), or the claimed frame itself its message type. */
  readonly label?: { readonly from: 'caller' | 'message'; readonly match?: FramePattern };
  /** Why such a frame belongs there. One sentence. */
  readonly why: string;
  readonly remedy?: Remedy;
  /** Folded stacks (py-spy spelling; ` #text` after a frame gives its source line) that this rule must claim when the whole set of packs decides. */
  readonly hits: readonly string[];
  /** Folded stacks that this rule must not claim. */
  readonly misses: readonly string[];
}

export interface RulePack {
  readonly id: string;
  /** Date of the facts it holds: `2026-11-29`. */
  readonly dated: string;
  readonly title: string;
  readonly rules: readonly Rule[];
}

/** Where one stack went, and why. */
export interface Claim {
  readonly bucket: Bucket;
  readonly kind?: string;
  /** Who asked for it: the plugin that cast the rays, the message type that was published. */
  readonly label?: string;
  readonly blocks?: Blocking;
  /** Absent: nothing claimed it (`unclassified`). */
  readonly rule?: Rule;
  /** Index from the root of the frame that decided; -1 when nothing claimed. */
  readonly frame: number;
}
