import type { Finding } from '../model/index.js';

/** Where a table comes from. */
export type TableKind =
  | 'roqsim-hooks'
  | 'roqsim-load'
  | 'mujoco-timers'
  | 'mujoco-testspeed'
  | 'mujoco-log'
  | 'mujoco-warp'
  | 'flygym-perf'
  | 'flygym-throughput'
  | 'raccoon-report'
  | 'raccoon-trace'
  | 'pyrite'
  | 'telemetry-report'
  | 'chrome-trace'
  | 'nsys-kernels'
  | 'nsys-nvtx'
  | 'nsys-cuda-api'
  | 'nsys-osrt'
  | 'nsys-memory';

/** What a row stands for. `step`: something that every simulation step does; `once`: start-up; `part`: of the row above it in the tree. */
export type RowRole = 'step' | 'once' | 'part';

/** A row of what a simulator says of itself. Times are microseconds; what the source does not say is left out, never 0. */
export interface CostRow {
  /** As the simulator wrote it. */
  readonly name: string;
  /** Names of the rows that it is a part of, the outermost first. */
  readonly path: readonly string[];
  readonly role: RowRole;
  /** What kind of work: the hook of a plugin, the phase of a load. */
  readonly of?: string;
  readonly calls?: number;
  readonly totalUs?: number;
  readonly meanUs?: number;
  readonly minUs?: number;
  readonly maxUs?: number;
  readonly p50Us?: number;
  readonly p99Us?: number;
  /** What was moved, of rows that move something. */
  readonly totalBytes?: number;
  /** What it took itself, without the rows below it: of `totalUs`, or of `perStepUs` where there is no total. */
  readonly selfUs?: number;
  /** Of one simulation step. */
  readonly perStepUs?: number;
  /** When it happened, from the start of what was recorded. */
  readonly atUs?: number;
  /** Part of the table's whole, from 0 to 1. */
  readonly share?: number;
  readonly meaning?: string;
  /** What makes it cheaper. */
  readonly lever?: string;
}

/** Of the run that a table is of, what the source says: it tells whether a recording is of the same. */
export interface TableRun {
  /** As the program itself sees it: in a container it is not the host's. */
  readonly pid?: number;
  /** Release of the kernel. */
  readonly kernel?: string;
  /** Version of Python. */
  readonly python?: string;
  /** Version of MuJoCo. */
  readonly mujoco?: string;
  /** Seconds of a simulation step. */
  readonly timestepS?: number;
}

/** A moment at which an event loop was late. */
export interface LateTurn {
  /** When it was back, on the clock of what was recorded. */
  readonly atUs: number;
  readonly lagUs: number;
}

/** All moments at which an event loop was late enough to be noted. */
export interface LateTurns {
  /** The earliest first. */
  readonly each: readonly LateTurn[];
  /** How long a task sleeps that looks how late the loop is: a loop that is held for so much longer than the lag was held by one thing. */
  readonly intervalUs: number;
  /** When it was looked at last, on time or not. */
  readonly untilUs: number;
  /** On how many clocks, none of which knows of the others. */
  readonly clocks: number;
}

export interface CostTable {
  readonly kind: TableKind;
  /** What a person would call it. */
  readonly title: string;
  /** Its first and last line in the source, from 1. */
  readonly lines: { readonly from: number; readonly to: number };
  readonly rows: readonly CostRow[];
  /** Simulation steps that it is about. */
  readonly steps?: number;
  /** Simulated seconds over wall seconds, as the simulator says it. */
  readonly realTimeFactor?: number;
  readonly stepsPerS?: number;
  /** Simulated seconds of one step, where the source says them. */
  readonly timestepS?: number;
  /** All of it, in microseconds, where its rows are parts of something known: in terms of `totalUs`, or of `perStepUs` where rows have no total. */
  readonly wholeUs?: number;
  /** Of the whole, what no row accounts for. */
  readonly restUs?: number;
  /** The same as a part of the whole, from 0 to 1: also where a source says nothing but shares. */
  readonly restShare?: number;
  /** Left out where the source says nothing of its run. */
  readonly run?: TableRun;
  /** Of the lag of an event loop, where its source has it moment by moment. */
  readonly late?: LateTurns;
  readonly findings: readonly Finding[];
}

/** One way in which simulators print tables. */
export interface TableReader {
  /** Tables in the lines of a log, wherever they stand; lines are bare (`bareLine`). */
  readonly text?: (lines: readonly string[]) => readonly CostTable[];
  /** Tables of one JSON document; undefined where it is none of this reader's. */
  readonly json?: (document: unknown) => readonly CostTable[] | undefined;
}
