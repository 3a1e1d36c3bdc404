/** A timed stretch of a step: `execute`, `db_read`, `db_write`, `acquire`, `sleep`, `hal:Class.method`, or a name of the program's own. */
export interface Phase {
  readonly label: string;
  /** Seconds since the profiler started. */
  readonly ts: number;
  /** Seconds. */
  readonly dur: number;
}

/** One run of one step. All times are seconds, as raccoon's StepProfiler has them. */
export interface StepSample {
  readonly signature: string;
  /** The steps around it, outermost first, joined by ` > `. */
  readonly path: string;
  readonly depth: number;
  readonly composite: boolean;
  /** The row that it is drawn on: 0 is the main one, steps beside each other have one each. */
  readonly tid: number;
  /** Start, since the profiler started. */
  readonly ts: number;
  /** 0 as long as it has not ended. */
  readonly total: number;
  /** The body. Of a step without an `execute` phase all that is no `dbRead`, `dbWrite` or `acquire`. */
  readonly execute: number;
  readonly dbRead: number;
  readonly dbWrite: number;
  readonly acquire: number;
  readonly motionCompute: number;
  readonly motionUpdates: number;
  readonly hal: number;
  readonly halCalls: number;
  readonly sleep: number;
  readonly phases: readonly Phase[];
  /** Phases past `MAX_PHASES`, which are counted in the sums above, but kept nowhere one by one. */
  readonly phasesLeftOut: number;
  /** Wall time of the step that is not its body. */
  readonly overhead: number;
  /** Overhead that no `dbRead`, `dbWrite` or `acquire` explains. */
  readonly unattributed: number;
  /** Time in the body that is neither deliberate sleep nor a call into hardware: computing, or a wait that nobody named. */
  readonly bodyCompute: number;
}

/** Of one step. A loop of a day must not fill the memory. */
export const MAX_PHASES = 10_000;

/** A sample that is being filled in. */
export class StepRecord implements StepSample {
  readonly signature: string;
  readonly path: string;
  readonly depth: number;
  readonly composite: boolean;
  readonly ts: number;
  tid: number;
  total = 0;
  execute = 0;
  dbRead = 0;
  dbWrite = 0;
  acquire = 0;
  motionCompute = 0;
  motionUpdates = 0;
  hal = 0;
  halCalls = 0;
  sleep = 0;
  phases: Phase[] = [];
  phasesLeftOut = 0;

  constructor(of: {
    readonly signature: string;
    readonly path: string;
    readonly depth: number;
    readonly composite: boolean;
    readonly tid: number;
    readonly ts: number;
  }) {
    this.signature = of.signature;
    this.path = of.path;
    this.depth = of.depth;
    this.composite = of.composite;
    this.tid = of.tid;
    this.ts = of.ts;
  }

  get overhead(): number {
    return Math.max(this.total - this.execute, 0);
  }

  get unattributed(): number {
    return Math.max(this.overhead - this.dbRead - this.dbWrite - this.acquire, 0);
  }

  get bodyCompute(): number {
    return Math.max(this.execute - this.sleep - this.hal, 0);
  }

  addPhase(label: string, ts: number, dur: number): void {
    if (this.phases.length < MAX_PHASES) this.phases.push({ label, ts, dur });
    else this.phasesLeftOut += 1;
  }
}
