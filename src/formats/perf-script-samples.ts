import { PairTable, ProfileBuilder } from '../model/index.js';
import type { Frame, Origin, Thread } from '../model/index.js';
import type { PerfSample } from './perf-script-event.js';

/** More samples than this keep no times: what is kept must follow the number of different stacks, not the length of the file. */
const MOST_TIMED = 1 << 21;

/** The samples of one event, while they come in. */
export class EventSamples {
  /** Name without modifiers. */
  readonly event: string;
  count = 0;
  /** Samples whose stack stood on the line of the event. */
  oneLine = 0;
  /** Samples that end in code without symbols, by what stands in their place. */
  readonly unresolved = new Map<string, number>();
  readonly #mostTimed: number;
  readonly #builder: ProfileBuilder;
  readonly #frames = new Map<Frame, number>();
  readonly #threads: Thread[] = [];
  readonly #threadByKey = new Map<string, number>();
  /** Stack and thread: of each sample while times are kept, of each different pair else. */
  #rows = new PairTable();
  /** Undefined once there were too many samples, or one without a time. */
  #times: Float64Array<ArrayBuffer> | undefined = new Float64Array(256);
  #weights: number[] = [];

  constructor(event: string, origin: Origin, mostTimed = MOST_TIMED) {
    this.event = event;
    this.#builder = new ProfileBuilder('samples', origin);
    this.#mostTimed = mostTimed;
  }

  add(sample: PerfSample): void {
    const { frames, timeNs } = sample;
    let stack = -1;
    for (const frame of frames) stack = this.#builder.stack(stack, this.#frame(frame));
    const leaf = frames.at(-1);
    if (leaf !== undefined && isUnresolved(leaf)) {
      this.unresolved.set(leaf.name, (this.unresolved.get(leaf.name) ?? 0) + 1);
    }
    if (sample.oneLine) this.oneLine += 1;
    if (timeNs === undefined || this.count >= this.#mostTimed) this.#forgetTimes();
    this.count += 1;
    const thread = this.#thread(sample);
    if (this.#times === undefined || timeNs === undefined) return this.#pool(stack, thread);
    const row = this.#rows.append(stack, thread);
    if (row === this.#times.length) {
      const larger = new Float64Array(row * 2);
      larger.set(this.#times);
      this.#times = larger;
    }
    this.#times[row] = timeNs;
  }

  /**
   * The builder with all samples in it; to be called once. Times count from the earliest sample: perf's order is only nearly theirs.
   * @param withPids keep the process of each thread.
   */
  settle(withPids: boolean): ProfileBuilder {
    const builder = this.#builder;
    const threads = this.#threads.map(({ pid, ...thread }) =>
      builder.thread(withPids && pid !== undefined ? { ...thread, pid } : thread),
    );
    const rows = this.#rows;
    const times = this.#times?.subarray(0, rows.length);
    const first = times?.reduce((earliest, time) => Math.min(earliest, time), Number.POSITIVE_INFINITY) ?? 0;
    for (let row = 0; row < rows.length; row += 1) {
      const thread = threads[rows.right[row] as number] as number;
      const time = times === undefined ? undefined : (times[row] as number) - first;
      builder.sample(rows.left[row] as number, thread, this.#weights[row] ?? 1, time);
    }
    return builder;
  }

  #pool(stack: number, thread: number): void {
    const row = this.#rows.intern(stack, thread);
    this.#weights[row] = (this.#weights[row] ?? 0) + 1;
  }

  #forgetTimes(): void {
    if (this.#times === undefined) return;
    this.#times = undefined;
    const { length, left, right } = this.#rows;
    this.#rows = new PairTable();
    for (let row = 0; row < length; row += 1) this.#pool(left[row] as number, right[row] as number);
  }

  #frame(frame: Frame): number {
    const known = this.#frames.get(frame);
    if (known !== undefined) return known;
    const index = this.#builder.frame(frame);
    this.#frames.set(frame, index);
    return index;
  }

  #thread({ comm, tid = -1, pid }: PerfSample): number {
    const key = `${pid ?? ''}/${tid}${comm === undefined ? '' : ` ${comm}`}`;
    const known = this.#threadByKey.get(key);
    if (known !== undefined) return known;
    const index = this.#threads.push({
      // An exiting thread has lost its number.
      ...(tid >= 0 && { tid }),
      ...(comm !== undefined && { name: comm }),
      ...(pid !== undefined && { pid }),
    });
    this.#threadByKey.set(key, index - 1);
    return index - 1;
  }
}

/** Code whose library alone is known, or not even that: `[libmujoco.so.3.2.0]`, `[unknown]`. */
function isUnresolved({ name, kind }: Frame): boolean {
  return kind !== 'js' && kind !== 'python' && name.startsWith('[') && name.endsWith(']');
}
