import type { Bucket, Finding, Frame, Lost, Thread, WeightUnit } from '../model/index.js';
import type { PhaseResolution, Remedy } from '../rules/index.js';
import type {
  Beside,
  BucketShare,
  Contest,
  Interval,
  ObserverEffect,
  ThreadEstimate,
  Totals,
  WindowUse,
} from '../stats/index.js';

/** What was read: path as the user named it (`-`: standard input) and the format it was read with. */
export interface SourceRef {
  readonly path: string;
  readonly format: string;
}

/** The window that the samples come from; a bare file knows nothing but what the user states. */
export interface Window {
  /** Of an interval of it: its ends, in seconds since the window began. */
  readonly from?: number;
  readonly to?: number;
  readonly wallS?: number;
  readonly rateHz?: number;
  /** Samples of the physics thread per second. */
  readonly achievedRateHz?: number;
  /** Times that the sampler looked. */
  readonly ticks?: number;
  /** Looks that failed, as the sampler reports them. */
  readonly errors?: number;
}

/** Facts of a recording for the first line. */
export interface RunFacts {
  readonly title: string;
  readonly pid: number;
  readonly nsPid?: number;
  readonly command: readonly string[];
  readonly route: string;
  readonly chosenBecause?: string;
  /** How the sampler got its turns, in words. */
  readonly priority: string;
  /** Folder of the recording, as to type it. */
  readonly folder: string;
  /** The start-up of a program, not its loop. */
  readonly phase?: 'load';
  readonly ended: 'complete' | 'interrupted' | 'target-ended' | 'target-paused';
}

/** A place in the code that nothing claimed, with what it holds. */
export interface HotPlace {
  readonly frame: Frame;
  readonly samples: number;
  readonly share: number;
}

/** One bucket of a thread, whole; `parts` splits it by sub-kind and label, largest first. */
export interface BucketAnswer extends BucketShare {
  readonly parts: readonly BucketShare[];
  /** Advice whose threshold the share exceeds. */
  readonly remedies: readonly Remedy[];
}

/** At least and at most this part of the wall time two threads were on a CPU at once. */
export interface Overlap {
  readonly atLeast: number;
  readonly atMost: number;
}

/** Who held the GIL for some of the time that a thread waited for it. */
export interface HeldBy {
  readonly thread: Thread;
  /** Leaf-most Python function of the holder, without its line; absent where it is not known. */
  readonly frame?: Frame;
  /** Part of the waiting time, 0 to 1. */
  readonly part: number;
}

/** A function of the physics thread with what it does of the GIL there. Shares of wall time, of the samples of a bare file. */
export interface GilPlace {
  /** Leaf-most Python function, without its line. */
  readonly frame: Frame;
  readonly bucket: Bucket;
  /** Rule that claimed most of it; absent where nothing did. */
  readonly rule?: string;
  /** Held the GIL, whatever it did: no Python of another thread can run. */
  readonly holds: number;
  /** On a CPU or waiting for one, without the GIL. */
  readonly computes: number;
  /** Asleep or blocked, without the GIL. */
  readonly rests: number;
  /** Waited for the GIL. */
  readonly waits: number;
  /** Part of all of this on a CPU, with the GIL or without. */
  readonly runs: number;
}

/** When Python of another thread can run beside the physics thread. The four shares are of its wall time, and with what is unknown they sum to 1. */
export interface GilWindows {
  readonly holds: Interval;
  readonly computes: Interval;
  readonly rests: Interval;
  readonly waits: Interval;
  /** Most without the GIL first, then most waiting for it. */
  readonly places: readonly GilPlace[];
}

/** Another thread of Python, and the physics thread (`first`), look by look; `contest` where both want to run at all. */
export interface Rival {
  readonly use: WindowUse;
  /** Part of the looks at which both were on a CPU. */
  readonly both: Interval;
  readonly contest?: Contest;
}

export interface ThreadAnswer {
  readonly thread: Thread;
  /** Index into the profile's threads; -1 for a thread that only the kernel saw. */
  readonly index: number;
  readonly role: string;
  readonly totals?: Totals;
  readonly estimate: ThreadEstimate;
  /** Weight of its samples without a usable stack; absent where there are none. Errors of the sampler itself are none of them. */
  readonly withoutStack?: number;
  readonly buckets: readonly BucketAnswer[];
  /** How much of physics native leaves told apart, by release of the engine; absent without native leaves. */
  readonly phases?: readonly PhaseResolution[];
  /** Leaves of what is unclassified, hottest first. */
  readonly unclassified: readonly HotPlace[];
  /** With the physics thread, from the kernel's accounting; absent for itself, without accounting, and where `beside` tells more. */
  readonly overlap?: Overlap;
  /** Who held the GIL most while it waited: of the physics thread alone, where samples know their state and it waits for the GIL. */
  readonly heldBy?: HeldBy;
  /** What it did while the physics thread ran; there where samples know their state, and absent for the physics thread itself. */
  readonly beside?: Beside;
  /** Of the physics thread alone, where samples tell who held the GIL. */
  readonly gilWindows?: GilWindows;
  /** Of every other thread that has samples beside the physics thread's, where they tell who held the GIL. */
  readonly rival?: Rival;
}

/** Simulated seconds per second of wall time, by the simulation's own time. */
export interface RealTime {
  readonly factor: number;
  /** As far as steps are whole. */
  readonly low: number;
  readonly high: number;
  /** While it was sampled, or before and after that. */
  readonly measured: 'during' | 'beside';
  readonly wallS: number;
  /** Simulated seconds of one step. */
  readonly timestepS?: number;
  /** How often simulated time was set back. */
  readonly resets: number;
}

/** The answer of `attach`, `buckets` and `threads`. */
export interface Breakdown {
  readonly source: SourceRef;
  readonly window: Window;
  /** What the profile counts; with times instead of samples there are no intervals. */
  readonly unit: WeightUnit;
  readonly run?: RunFacts;
  /** Whether the program told its own steps or frames, so that there is an answer by step. */
  readonly tellsSteps?: boolean;
  /** Physics thread first, then by samples. */
  readonly threads: readonly ThreadAnswer[];
  /** Whether `threads[0]` is the physics thread. */
  readonly physicsKnown: boolean;
  readonly lost: Lost;
  /** How much the recording itself slowed the loop. */
  readonly effect?: ObserverEffect;
  /** Absent where nobody measured it. */
  readonly realTime?: RealTime;
  readonly findings: readonly Finding[];
}

export type HotBy = 'stack' | 'leaf' | 'function' | 'line' | 'file' | 'module' | 'caller';

/** One row of `hot`. Shares are of its own thread's wall time (a recording) or samples (a bare file). */
export interface HotRow {
  /** Root first; with `by: 'stack'` only. */
  readonly stack?: readonly Frame[];
  /** What the row stands for otherwise: a function, a place, a file, a module, a caller. Raw. */
  readonly name?: string;
  readonly file?: string;
  readonly line?: number;
  readonly module?: string;
  /** The name is some other string of the target, read by mistake. */
  readonly corrupt?: true;
  readonly thread?: Thread;
  readonly bucket?: Bucket;
  readonly kind?: string;
  readonly label?: string;
  /** With `by: 'stack'`: weight of exactly this stack. */
  readonly weight?: number;
  readonly self?: number;
  /** Part of `weight`, or of `self`, that waits for the GIL or a CPU, and has no share; absent where nothing does, or samples do not tell. */
  readonly waiting?: number;
  /** Each sample once, however often a recursion enters. */
  readonly total?: number;
  /** The same part of `total`. */
  readonly totalWaiting?: number;
  /** Share of `weight`, or of `self`. */
  readonly share?: number;
  readonly low?: number;
  readonly high?: number;
  /** Share of `total`, as `share` is of `self`. */
  readonly totalShare?: number;
  /** The lines of a function that were executed while it was the leaf, hottest first. */
  readonly lines?: readonly { readonly line: number; readonly self: number; readonly waiting?: number }[];
}

export interface Hot {
  readonly source: SourceRef;
  readonly by: HotBy;
  readonly window: Window;
  readonly total: {
    readonly weight: number;
    readonly unit: WeightUnit;
    /** Absent where the source counts time. */
    readonly samples?: number;
    /** Samples of them that wait for the GIL or a CPU, and are in no share; absent where samples do not tell. */
    readonly waiting?: number;
    readonly stacks: number;
    readonly threads: number;
  };
  readonly lost: Lost;
  /** What was selected with --thread and --bucket, in words for the header. */
  readonly selection: readonly string[];
  readonly rows: readonly HotRow[];
  /** What --top left out. */
  readonly more: { readonly rows: number; readonly weight: number; readonly waiting?: number };
  /** Whose wall time the shares are of. */
  readonly denominator: 'wall' | 'samples';
  readonly physicsKnown: boolean;
  readonly findings: readonly Finding[];
}

/** A call, or a chain of calls that lead to one another alone; with everything below. */
export interface TreeNode {
  /** Caller first, without lines. None: the thread itself. */
  readonly frames: readonly Frame[];
  /** A call of the chain was entered again from below, which counts as itself. */
  readonly recursive?: true;
  /** Weight of the last call's own samples, and with all that is below the first. */
  readonly self: number;
  readonly total: number;
  /** Shares of `self` and `total`, as in `HotRow`. */
  readonly share: number;
  readonly totalShare: number;
  /** Hottest first. */
  readonly children: readonly TreeNode[];
  /** What is too small to be shown: subtrees, and own samples of the calls that the chain passes. */
  readonly more?: { readonly places: number; readonly weight: number; readonly share: number };
}

/** The answer of `hot --tree`. */
export interface Tree extends Omit<Hot, 'by' | 'rows' | 'more'> {
  /** Subtrees below this part of their thread's tree are gathered. */
  readonly min: number;
  /** Physics thread first, then by weight. */
  readonly threads: readonly { readonly thread?: Thread; readonly root: TreeNode }[];
  /** Threads with samples in the selection that are not shown. */
  readonly hidden: number;
}

/** Text of one source file around its hot lines, for `hot --source`. */
export interface SourceListing {
  readonly file: string;
  readonly lines: readonly {
    readonly line: number;
    readonly text: string;
    /** Samples whose leaf is on this line. */
    readonly self: number;
    /** Samples that pass through this line. */
    readonly total: number;
  }[];
}
