import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';

/** Offset of `tid` in glibc's `struct pthread` on x86-64; aarch64 and musl have others. */
const USUAL_OFFSET = 0x2d0;
const LAST_OFFSET = 0x400;

/** A thread as its interpreter knows it. */
export interface KnownThread {
  /** By the numbers of its own pid namespace; 0 where the interpreter keeps none. */
  readonly tid: number;
  /** Address of the C library's block; what older interpreters keep instead. */
  readonly pthread: number;
}

/** Numbers of the threads of one process: those of its own pid namespace, which it knows itself by, to those of ours. */
export class HostThreads {
  readonly #pid: number;
  readonly #proc: string;
  readonly #memory: number;
  readonly #word = Buffer.alloc(4);
  #byInner = new Map<number, number>();
  #offset: number | undefined;

  /** @throws where the memory may not be read. */
  constructor(pid: number, proc: string) {
    this.#pid = pid;
    this.#proc = proc;
    this.#memory = openSync(`${proc}/${pid}/mem`, 'r');
  }

  /** Our number and its own of each thread; undefined for one that has ended, or whose number cannot be found out. */
  find(
    threads: readonly KnownThread[],
  ): readonly ({ readonly tid: number; readonly nsTid: number } | undefined)[] {
    const inner = this.#innerNumbers(threads);
    if (inner.some((one) => one !== undefined && !this.#byInner.has(one))) this.#scan();
    return inner.map((one) => {
      const tid = one === undefined ? undefined : this.#byInner.get(one);
      return one === undefined || tid === undefined ? undefined : { tid, nsTid: one };
    });
  }

  close(): void {
    closeSync(this.#memory);
  }

  #innerNumbers(threads: readonly KnownThread[]): readonly (number | undefined)[] {
    if (threads.every(({ tid }) => tid > 0)) return threads.map(({ tid }) => tid);
    this.#offset ??= this.#findOffset(threads);
    const offset = this.#offset;
    return threads.map(({ tid, pthread }) =>
      tid > 0 ? tid : offset === undefined ? undefined : this.#wordAt(pthread + offset),
    );
  }

  /** Where the C library keeps a thread's number: every block must name a thread of its own there, and one of them the first thread. */
  #findOffset(threads: readonly KnownThread[]): number | undefined {
    this.#scan();
    const first = [...this.#byInner].find(([, tid]) => tid === this.#pid)?.[0];
    const offsets = [USUAL_OFFSET];
    for (let offset = 0; offset <= LAST_OFFSET; offset += 4) offsets.push(offset);
    return offsets.find((offset) => {
      const numbers = threads.map(({ pthread }) => this.#wordAt(pthread + offset));
      return (
        numbers.every((number) => number !== undefined && this.#byInner.has(number)) &&
        new Set(numbers).size === numbers.length &&
        numbers.includes(first)
      );
    });
  }

  #wordAt(address: number): number | undefined {
    try {
      return readSync(this.#memory, this.#word, 0, 4, address) === 4 ? this.#word.readInt32LE(0) : undefined;
    } catch {
      return undefined;
    }
  }

  #scan(): void {
    const task = `${this.#proc}/${this.#pid}/task`;
    const found = new Map<number, number>();
    for (const name of readdirSync(task)) {
      try {
        const inner = /^NSpid:.*?(\d+)$/m.exec(readFileSync(`${task}/${name}/status`, 'latin1'))?.[1];
        found.set(Number(inner ?? name), Number(name));
      } catch {
        // It has ended since.
      }
    }
    this.#byInner = found;
  }
}
