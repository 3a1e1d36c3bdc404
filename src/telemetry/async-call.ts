/** An asynchronous call that is being timed, as those see it that begin inside: how much of it was covered by them. */
export class AsyncCall {
  covered = 0;
  private open = 0;
  private mark = 0;
  private isClosed = false;

  enter(at: number): void {
    if (this.open++ === 0) this.mark = at;
  }

  /** One of those inside has ended; after the call itself that is no longer of interest. */
  leave(at: number): void {
    if (this.isClosed) return;
    this.advance(at);
    this.open--;
  }

  close(at: number): void {
    if (this.open > 0) this.advance(at);
    this.isClosed = true;
  }

  private advance(at: number): void {
    if (at > this.mark) this.covered += at - this.mark;
    this.mark = at;
  }
}

/** As Node's `AsyncLocalStorage` has it: what `run` was given is found again wherever the call goes on. */
export interface AsyncStorage {
  run<T>(call: AsyncCall, fn: () => T): T;
  getStore(): AsyncCall | undefined;
}
