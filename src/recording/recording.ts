import type { Finding, LoopRate, ThreadAccounting } from '../model/index.js';

export const RECORDING_SCHEMA = 'sim-profiler/recording/v1';

/** One run of the sampler inside a recording. Stamps are CLOCK_MONOTONIC nanoseconds as decimal strings (they exceed 2^53). */
export interface Slice {
  /** File name in the recording folder: `slices/000.raw`. */
  readonly file: string;
  /** Format id of that file. */
  readonly format: string;
  readonly startNs: string;
  readonly endNs: string;
  /** As the sampler reports them. */
  readonly samples?: number;
  readonly errors?: number;
  /** Largest lateness the sampler admits, in seconds. */
  readonly behindS?: number;
  /** The sampler's exit code, or the signal that ended it. */
  readonly exit: number | string;
  /** Where each thread has a file of its own: all of them, `file` too. Absent where one file tells its threads apart. */
  readonly threads?: readonly SliceThread[];
  /** Native stacks of the same time, where a second sampler took them. */
  readonly native?: NativeSlice;
  /** Where our own sampler took it. */
  readonly sampler?: SliceSampler;
  /** What the CPUs of the target's machine did during the slice; absent where it was not read. */
  readonly machineCpu?: MachineCpu;
  /** Kernel accounting of this slice alone, every thread of the target. */
  readonly accounting: readonly ThreadAccounting[];
}

/** What perf took beside a sampler of Python. */
export interface NativeSlice {
  /** File name in the recording folder: `slices/000.folded`. */
  readonly file: string;
  readonly format: string;
  readonly rateHz: number;
  /** Whether time off the CPU is among its samples. */
  readonly wall: boolean;
}

/** What our own sampler said of itself over a slice. Times in microseconds. */
export interface SliceSampler {
  /** Lower than that of the recording where it had been in its target's way. */
  readonly rateHz: number;
  /** Whether the thread that ran most was seen to run and wait as the kernel says. */
  readonly agrees: boolean;
  readonly ticks: number;
  /** Ticks that were drawn; the others came far too late and were left out. */
  readonly dueTicks: number;
  /** CPU of the whole process. */
  readonly cpuUs: number;
  readonly lateUs: { readonly p50: number; readonly p99: number; readonly max: number };
  /** Stacks that were read again, and not to be read at all; read once, but not twice alike; kept from the sample before. */
  readonly reads: {
    readonly again: number;
    readonly lost: number;
    readonly unverified: number;
    readonly reused: number;
  };
  readonly gcPauses: { readonly count: number; readonly totalUs: number; readonly maxUs: number };
}

/** CPU time of all CPUs of a machine added up, in nanoseconds, from `/proc/stat` (in steps of 10 ms). */
export interface MachineCpu {
  /** In use, with what was stolen. */
  readonly busyNs: number;
  /** Taken by the host of a virtual machine while there was something to run. */
  readonly stolenNs: number;
}

/** The samples of one thread of a slice. */
export interface SliceThread {
  /** File name in the recording folder, of the slice's format. */
  readonly file: string;
  /** Absent where it is not known. */
  readonly tid?: number;
  readonly name?: string;
  /** When its times begin, where that is told: CLOCK_MONOTONIC nanoseconds, as text. */
  readonly startNs?: string;
  /** File with what the thread's own telemetry said before and after the slice, where it has one. */
  readonly telemetry?: string;
}

/** Facts about the process at recording time. */
export interface RecordedTarget {
  readonly pid: number;
  readonly nsPid?: number;
  /** Field 22 of /proc/PID/stat, clock ticks since boot: tells a reused pid. */
  readonly startTicks: number;
  readonly command: readonly string[];
  readonly exe?: string;
  readonly runtime: string;
  readonly runtimeVersion?: string;
  readonly uid: number;
  readonly container?: string;
  readonly containerName?: string;
  /** Why this process was chosen out of the tree; absent if it was named directly. */
  readonly chosenBecause?: string;
}

/** A piece of what the program wrote, in which it says of itself where its time goes. As it was written; what it says is told by whoever reads it. */
export interface PrintedText {
  /** Path of the log, or `standard error`. */
  readonly source: string;
  /** Where it stands there, in bytes; `toByte` is the first behind it. */
  readonly fromByte: number;
  readonly toByte: number;
  readonly text: string;
}

/** What is known about one source file of the target. */
export interface SourceFile {
  /** Path cut at its package: `roqsim/engine.py`. */
  readonly short: string;
  /** Hot lines with a few lines around them, by line number. Untrimmed. */
  readonly lines: Readonly<Record<string, string>>;
}

/** How far simulated time came in a part of a recording. */
export interface StepPhase {
  /** `during`: while it was sampled; the others beside it, with nothing but the probe. */
  readonly phase: 'before' | 'during' | 'after';
  /** CLOCK_MONOTONIC nanoseconds, as text. */
  readonly startNs: string;
  readonly endNs: string;
  /** Simulated seconds; absent where they are not known. Time that was set back counts from where it was set to. */
  readonly simulatedS?: number;
  /** Steps that were counted; absent where the probe was off. */
  readonly steps?: number;
  /** By how many seconds both ends together may have been looked at earlier or later. */
  readonly doubtS?: number;
  /** How often simulated time was set back: the simulation was reset. */
  readonly resets?: number;
}

/** What was seen of the simulation's steps, by a probe on the function that makes one. */
export interface RecordedSteps {
  readonly symbol: string;
  /** Thread that steps. */
  readonly tid: number;
  /** How many different data (`mjData`) were stepped while we looked at it first. */
  readonly worlds: number;
  /** As they were counted before anything was sampled. */
  readonly stepsPerS: number;
  /** Seconds of simulated time that a step adds, as the model of the program says. */
  readonly timestepS?: number;
  /** The time step became another one meanwhile: `timestepS` is absent then. */
  readonly timestepChanged?: true;
  /** The data that are stepped come and go: no simulated time is of what the program simulates. */
  readonly worldsChange?: true;
  /** Where simulated seconds come from: the program's own memory, or steps times `timestepS`. Absent: not known. */
  readonly timedBy?: 'memory' | 'steps';
  readonly phases: readonly StepPhase[];
  /** File with a line for each step; absent where the probe would have cost the loop too much. */
  readonly file?: string;
  /** Steps that the kernel did not write down. */
  readonly lost?: number;
}

/** Machine code that asked for the GIL. */
export interface GilCaller {
  /** File that holds it, as the target sees it; absent for code that was made as the program ran. */
  readonly file?: string;
  /** Its function, as far as the file's own tables have it. */
  readonly symbol?: string;
}

/** What the kernel wrote down of how the target's threads took the GIL, each time, while it was sampled. */
export interface RecordedGil {
  /** Function that was probed. */
  readonly symbol: 'take_gil' | 'PyEval_RestoreThread';
  /** The interpreter's own hand-overs are in it as well. */
  readonly isWhole: boolean;
  /** By the numbers that the file names. */
  readonly callers: readonly GilCaller[];
  /** File with a line for each time. */
  readonly file: string;
  /** Events that the kernel did not write down: then some of the times are not there. */
  readonly lost?: number;
  /** So often a second the threads took it that the probe was taken off. */
  readonly tooOftenPerS?: number;
}

/** The manifest of a recording folder (`recording.json`). */
export interface Recording {
  readonly schema: typeof RECORDING_SCHEMA;
  /** Tool version that wrote it. */
  readonly version: string;
  readonly label?: string;
  readonly createdAt: string;
  readonly target: RecordedTarget;
  /** The thread that the user named with --thread; otherwise the rules find it when the recording is read. */
  readonly threadTid?: number;
  readonly backend: string;
  readonly backendVersion?: string;
  readonly route: string;
  /** Exact argument lists, in order. */
  readonly commands: readonly (readonly string[])[];
  /** What was recorded: the start-up of a program up to its first step; absent: a loop. */
  readonly phase?: 'load';
  readonly rateHz: number;
  readonly requestedS: number;
  /** Policy of the sampler, read back from the kernel while it ran: `fifo:50`, `other`; `kernel` where the kernel samples itself. */
  readonly policy: string;
  readonly native: boolean;
  readonly slices: readonly Slice[];
  /** Loop rates of the threads that may be the physics thread. Empty with --no-baseline. */
  readonly loopRates: readonly (LoopRate & { readonly tid: number })[];
  /** Absent where no probe could be put on a step. */
  readonly steps?: RecordedSteps;
  /** With `--exact-gil`, where a probe could be put on the GIL. */
  readonly gil?: RecordedGil;
  /** By the path the sampler printed. */
  readonly sources: Readonly<Record<string, SourceFile>>;
  /** From os thread id (as the sampler printed it) to host tid, where they differ. */
  readonly threadIds?: Readonly<Record<string, number>>;
  /** Where its log was looked at: the pieces with tables in them. Absent where there are none. */
  readonly printed?: readonly PrintedText[];
  /** CPU count of the machine, kernel release. */
  readonly machine: { readonly cpus: number; readonly kernel: string };
  /** How it ended: `complete`, `interrupted`, `target-ended`, `target-paused` (its control group was frozen). */
  readonly ended: 'complete' | 'interrupted' | 'target-ended' | 'target-paused';
  readonly findings: readonly Finding[];
}
