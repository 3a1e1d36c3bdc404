import type { StepSample } from './step-sample.js';

/** All runs of one signature. */
export interface SignatureTotals {
  runs: number;
  overhead: number;
  execute: number;
  dbWrite: number;
}

/** Past so many names of steps, which may have arguments in them, all others are one row. */
const MAX_SIGNATURES = 10_000;
export const OTHER_STEPS = '(other steps)';

/** Sums of samples; only steps that are no composites count, since a composite contains its steps. In seconds. */
export class StepTotals {
  /** End of the last step, composites too. */
  wall = 0;
  leaves = 0;
  total = 0;
  execute = 0;
  overhead = 0;
  dbWrite = 0;
  dbRead = 0;
  acquire = 0;
  unattributed = 0;
  motionCompute = 0;
  motionUpdates = 0;
  /** Bodies of the steps that had a motion. */
  motionExecute = 0;
  sleep = 0;
  hal = 0;
  halCalls = 0;
  bodyCompute = 0;
  readonly signatures = new Map<string, SignatureTotals>();

  add(sample: StepSample): void {
    this.wall = Math.max(this.wall, sample.ts + sample.total);
    if (sample.composite) return;
    this.leaves += 1;
    this.total += sample.total;
    this.execute += sample.execute;
    this.overhead += sample.overhead;
    this.dbWrite += sample.dbWrite;
    this.dbRead += sample.dbRead;
    this.acquire += sample.acquire;
    this.unattributed += sample.unattributed;
    this.motionCompute += sample.motionCompute;
    this.motionUpdates += sample.motionUpdates;
    if (sample.motionUpdates > 0) this.motionExecute += sample.execute;
    this.sleep += sample.sleep;
    this.hal += sample.hal;
    this.halCalls += sample.halCalls;
    this.bodyCompute += sample.bodyCompute;
    const own = this.#ofSignature(sample.signature);
    own.runs += 1;
    own.overhead += sample.overhead;
    own.execute += sample.execute;
    own.dbWrite += sample.dbWrite;
  }

  /** A second one with the same sums. */
  copy(): StepTotals {
    const copied = new StepTotals();
    const { signatures, ...sums } = this;
    Object.assign(copied, sums);
    for (const [signature, own] of signatures) copied.signatures.set(signature, { ...own });
    return copied;
  }

  #ofSignature(signature: string): SignatureTotals {
    const key =
      this.signatures.has(signature) || this.signatures.size < MAX_SIGNATURES ? signature : OTHER_STEPS;
    const known = this.signatures.get(key);
    if (known !== undefined) return known;
    const added = { runs: 0, overhead: 0, execute: 0, dbWrite: 0 };
    this.signatures.set(key, added);
    return added;
  }
}
