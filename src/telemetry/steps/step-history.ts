import { StepLanes } from './step-lanes.js';
import type { OpenStep } from './step-lanes.js';
import type { StepSettings } from './step-options.js';
import { StepRecord } from './step-sample.js';
import { StepTotals } from './step-totals.js';
import type { StepTrace } from './step-trace.js';

/** The steps of a run: those that run, the newest ones, and the sums of all others. */
export class StepHistory {
  readonly samples: StepRecord[] = [];
  readonly #open = new Map<StepRecord, OpenStep>();
  readonly #lanes = new StepLanes();
  readonly #old = new StepTotals();
  readonly #mission: string | undefined;
  readonly #maxSamples: number;
  readonly #trace: StepTrace | undefined;
  #folded = 0;

  constructor({ mission, maxSamples }: StepSettings, trace: StepTrace | undefined) {
    this.#mission = mission;
    this.#maxSamples = maxSamples;
    this.#trace = trace;
  }

  begin(signature: string, composite: boolean, around: OpenStep | undefined, now: number): OpenStep {
    const text = String(signature);
    const path = around?.inside ?? this.#mission ?? '';
    const sample = new StepRecord({
      signature: text,
      path,
      depth: around === undefined ? (this.#mission === undefined ? 0 : 1) : around.sample.depth + 1,
      composite,
      tid: this.#lanes.take(around),
      ts: now,
    });
    const inside = path === '' ? nameOf(text) : `${path} > ${nameOf(text)}`;
    const step: OpenStep = { sample, inside, below: undefined, isOpen: true, hasBody: false };
    this.#lanes.enter(step);
    this.#open.set(sample, step);
    this.samples.push(sample);
    if (this.samples.length > this.#maxSamples) this.#foldOldest();
    return step;
  }

  end(step: OpenStep, now: number): void {
    if (!step.isOpen) return;
    step.isOpen = false;
    const { sample } = step;
    sample.total = now - sample.ts;
    if (!step.hasBody)
      sample.execute = Math.max(sample.total - sample.dbRead - sample.dbWrite - sample.acquire, 0);
    this.#open.delete(sample);
    this.#lanes.leave(step, now);
    this.#trace?.add({ step: sample, isEnded: true }, now);
  }

  open(): Iterable<StepRecord> {
    return this.#open.keys();
  }

  reported(): { readonly totals: StepTotals; readonly samplesFolded: number } {
    const totals = this.#old.copy();
    for (const sample of this.samples) totals.add(sample);
    return { totals, samplesFolded: this.#folded };
  }

  /** A tenth of them at a time: of them only the sums stay. */
  #foldOldest(): void {
    const many = Math.ceil(this.#maxSamples / 10);
    let kept = 0;
    let folded = 0;
    for (const sample of this.samples)
      if (folded < many && !this.#open.has(sample)) {
        this.#old.add(sample);
        folded += 1;
      } else {
        this.samples[kept] = sample;
        kept += 1;
      }
    this.samples.length = kept;
    this.#folded += folded;
  }
}

/** What a step is called without its arguments, in the paths of the steps inside it. */
function nameOf(signature: string): string {
  const end = signature.indexOf('(');
  return end > 0 ? signature.slice(0, end).trimEnd() : signature;
}
