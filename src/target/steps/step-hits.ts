/** One entry into a step function. */
export interface StepHit {
  /** CLOCK_MONOTONIC, to the microsecond. */
  readonly ns: number;
  readonly tid: number;
  /** Which of the probed functions, from 0. */
  readonly event: number;
  /** Its first two arguments: of MuJoCo's step, the model and the data. */
  readonly first: bigint;
  readonly second: bigint;
}

/** Lines of `trace_pipe`: `  python3-123 [001] DBZff 86554.883996: e0: (0x7fcb7fe65320) a=0x5652 b=0x5653`. The name of a thread is hostile, and comes first. */
const HIT = /-(\d+) +\[\d+\] \S+ +(\d+)\.(\d{6}): e(\d+): \(0x[0-9a-f]+\) a=0x([0-9a-f]+) b=0x([0-9a-f]+)$/;
const LOST = /^CPU:\d+ \[LOST (\d+) EVENTS\]$/;

/** Reads what the kernel prints of a trace, piece by piece. */
export class HitReader {
  #rest = '';
  #lost = 0;

  /** Hits that the kernel dropped, since nobody read them in time. */
  get lost(): number {
    return this.#lost;
  }

  /** Whole lines of a piece, in the order in which they were printed. */
  push(piece: string): readonly StepHit[] {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => {
      const hit = HIT.exec(line);
      if (hit === null) {
        this.#lost += Number(LOST.exec(line)?.[1] ?? 0);
        return [];
      }
      const [, tid, seconds, micros, event, first, second] = hit;
      return [
        {
          ns: (Number(seconds) * 1e6 + Number(micros)) * 1e3,
          tid: Number(tid),
          event: Number(event),
          first: BigInt(`0x${first}`),
          second: BigInt(`0x${second}`),
        },
      ];
    });
  }
}
