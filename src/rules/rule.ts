import type { Bucket, FrameKind } from '../model/index.js';

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
  /**
   * File, matched from its end at a `/` border: `roqsim/engine.py`, `*_msgs/msg/_*.py`; `*` stays inside one part of the path;
   * `{a,b}` alternatives; a pattern ending in `/` matches any file below such a folder; a leading `^` holds it to the whole path.
   */
  readonly file?: string | readonly string[];
  /** Library of a native frame, matched like `file`: `libmujoco.so*`, `mujoco/_functions*`. */
  readonly module?: string | readonly string[];
  readonly kind?: FrameKind | readonly FrameKind[];
  /** Text that the executed source line must contain: `mj_step(`; `*` is any run of characters. A frame whose text is unknown does not match. */
  readonly source?: string | readonly string[];
  /** Text that the executed line must not contain; an unknown text passes. */
  readonly notSource?: string | readonly string[];
  /** Whether the text of the executed line must be known (true) or unknown (false). */
  readonly sourceKnown?: boolean;
}

/** Several patterns: a frame that fits any one of them. */
export type FramePatterns = FramePattern | readonly FramePattern[];

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

/** How to name a row beyond its bucket. */
export type RuleLabel =
  /** Stem of the file of the nearest frame that matches, the claimed frame included: `lidar`. */
  | { readonly from: 'caller'; readonly match: FramePattern }
  /** Message type, from the claimed frame outwards: `sensor_msgs/msg/_laser_scan.py` or `publish_laser_scan` give `LaserScan`. */
  | { readonly from: 'message' }
  | { readonly from: 'text'; readonly text: string };

export interface Rule {
  /** Unique over all packs: `mujoco/mj-step-line`. */
  readonly id: string;
  readonly bucket: Bucket;
  /** Sub-kind without its bucket: `message-build`. */
  readonly kind?: string;
  readonly match: FramePattern;
  /** true: no Python frame may stand below the claimed one (native ones may, C calls show only with --native). false: one must. */
  readonly leaf?: boolean;
  /** The frame directly outwards must match. */
  readonly caller?: FramePatterns;
  /** The nearest Python frame outwards must match: the line that called the native code. */
  readonly fromLine?: FramePatterns;
  /** Some frame nearer to the root must match. */
  readonly under?: FramePatterns;
  /** No frame nearer to the root may match: a plugin hook called by the bridge is publishing, not plugin. */
  readonly notUnder?: FramePatterns;
  /** Present when the claimed leaf is a blocking call rather than work. */
  readonly blocks?: Blocking;
  /** The frame only tells that its stack blocks: what further claims there are (other than `python`) keep the bucket, this rule's own is the last resort. */
  readonly yields?: true;
  /** What the claim becomes when a blocking frame stands below; else its kind becomes `blocked` unless it has one. */
  readonly whenBlocked?: { readonly bucket?: Bucket; readonly kind?: string };
  readonly label?: RuleLabel;
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
  /** The releases of a program that its phases were held against; absent where its rules depend on none. */
  readonly checked?: CheckedPhases;
  /** The release whose sources its names were read in: `gz-sim 11.0.0-pre1`. */
  readonly source?: string;
  /** The real run it was held against, or false: none has been recorded. Absent where the pack does not say. */
  readonly tested?: string | false;
  /** Functions that make a step; absent where none is known that a running program shows. */
  readonly steps?: readonly StepCalls[];
  readonly rules: readonly Rule[];
}

/** Functions of a loaded file that are called once a step, at most one of them by any one program. */
export interface StepCalls {
  /** Part of the file's name: `libmujoco`. */
  readonly file: string;
  readonly symbols: readonly string[];
}

/** Sub-kinds that only hold for the releases they were checked against. */
export interface CheckedPhases {
  /** As people call it: `MuJoCo`. */
  readonly program: string;
  /** File name of its library up to the version: `libmujoco` of `libmujoco.so.3.14.0`. */
  readonly library: string;
  /** Oldest first: `3.14.0`. */
  readonly versions: readonly string[];
  /** What depends on the release: the sub-kinds of this bucket that native leaves tell. */
  readonly bucket: Bucket;
  readonly phases: readonly string[];
  /** Sub-kind of native leaves that several phases share. */
  readonly shared: string;
}

/** Where one stack went, and why. */
export interface Claim {
  readonly bucket: Bucket;
  readonly kind?: string;
  /** Who asked for it: the plugin that cast the rays, the message type that was published. */
  readonly label?: string;
  readonly blocks?: Blocking;
  /** The text of the deciding line is unknown, so the claim is the likeliest answer, not the certain one ("pace: sleep or work unknown"). */
  readonly sourceUnknown?: true;
  /** Absent: nothing claimed it (`unclassified`). */
  readonly rule?: Rule;
  /** Index from the root of the frame that decided; -1 when nothing claimed. */
  readonly frame: number;
}
