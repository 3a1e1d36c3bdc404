/**
 * What a profiler sees that looks in through the inspector of Node: it calls `answer` of the one object that a thread keeps for it, and gets text.
 * Nothing is written down for its sake, and nothing costs anything before it asks. The object is a contract between this package and every
 * profiler, and between two copies of the package: a change of it changes `FORMAT`.
 */
export const FORMAT = 1;
export const INSPECTED = `sim-profiler.inspected.${FORMAT}`;

/** Of a name so much is told: it is the program's, and as long as it likes. */
const LONGEST_NAME = 200;

export function toldName(name: unknown): string {
  return String(name).slice(0, LONGEST_NAME);
}

/** Something that measures: the spans of a telemetry, or the steps of a profiler. */
export interface InspectedSource {
  readonly kind: 'spans' | 'steps';
  readonly name: string;
  /** Milliseconds of its clock. */
  readonly now: () => number;
  /** What ended from then on, or has not ended; by its clock. */
  readonly since: (ms: number) => object;
}

interface Kept {
  readonly id: number;
  readonly source: InspectedSource;
  hasEnded: boolean;
}

interface Inspected {
  readonly kept: Set<Kept>;
  next: number;
  /** Milliseconds of Node's clock: until then somebody will ask again. */
  keepUntil: number;
  /** As JSON: all that ended in the last `agoMs` milliseconds, or, without, only how far everything is. */
  answer: (agoMs: number | undefined, keepMs: number) => string;
}

/**
 * Shows a source until the answer is called; where somebody looks at it just now, until they have looked once more. Where the program has
 * something else in the place of the object, or lets nobody put one there, nothing is seen.
 */
export function showToInspector(source: InspectedSource): () => void {
  try {
    const store = globalThis as unknown as Record<symbol, Inspected | undefined>;
    const inspected = (store[Symbol.for(INSPECTED)] ??= made());
    const own: Kept = { id: inspected.next++, source, hasEnded: false };
    if (performance.now() > inspected.keepUntil) dropEnded(inspected);
    inspected.kept.add(own);
    return () => {
      own.hasEnded = true;
      if (performance.now() > inspected.keepUntil) dropEnded(inspected);
    };
  } catch {
    return () => {};
  }
}

function made(): Inspected {
  const inspected: Inspected = {
    kept: new Set(),
    next: 0,
    keepUntil: -1,
    answer(agoMs, keepMs) {
      this.keepUntil = performance.now() + keepMs;
      const sources = [...this.kept].map((one) => told(one, agoMs));
      if (agoMs !== undefined) dropEnded(this);
      return JSON.stringify({ sources });
    },
  };
  return inspected;
}

function dropEnded({ kept }: Inspected): void {
  for (const one of kept) if (one.hasEnded) kept.delete(one);
}

const READINGS = 5;

/** A moment by both clocks, so that those of one can be told in the other: the reading in which least time passed. */
function sameMoment(now: () => number): { readonly nowMs: number; readonly nowNs: bigint } {
  const { bigint } = process.hrtime;
  let best: { readonly nowMs: number; readonly nowNs: bigint; readonly took: bigint } | undefined;
  for (let reading = 0; reading < READINGS || best === undefined; reading += 1) {
    const before = bigint();
    const nowMs = now();
    const took = bigint() - before;
    if (best === undefined || took < best.took) best = { nowMs, nowNs: before + took / 2n, took };
  }
  return best;
}

function told({ id, source }: Kept, agoMs: number | undefined): object {
  const { kind } = source;
  const name = toldName(source.name);
  try {
    const { nowMs, nowNs } = sameMoment(source.now);
    const from = agoMs === undefined ? Infinity : nowMs - agoMs;
    return { id, kind, name, nowMs, nowNs: String(nowNs), ...source.since(from) };
  } catch {
    // A clock of the program's own, that failed.
    return { id, kind, name };
  }
}
