/** What goes wrong in the profiler is not the program's business: it is told once, and the program goes on. */
export class Troubles {
  readonly #warn: (line: string) => void;
  #isTold = false;

  constructor(warn: (line: string) => void) {
    this.#warn = warn;
  }

  /** The answer of the work, or undefined where it failed. */
  safely<Answer>(work: () => Answer): Answer | undefined {
    try {
      return work();
    } catch (error) {
      this.tell(error);
      return undefined;
    }
  }

  tell(error: unknown): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.warn(`The step profiler failed, and may have missed something: ${String(error)}`);
  }

  warn(line: string): void {
    try {
      this.#warn(line);
    } catch {
      // There is nobody to tell.
    }
  }
}
