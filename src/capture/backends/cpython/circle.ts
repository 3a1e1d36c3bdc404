/**
 * Notices that a list of frames that was read torn goes round in a circle, which would look like a stack without an end: each frame is
 * held against one that came before, at a distance that doubles (R. P. Brent, "An improved Monte Carlo factorization algorithm", 1980).
 */
export class Circle {
  #mark = 0;
  #steps = 0;
  #until = 1;

  begin(): void {
    this.#mark = 0;
    this.#steps = 0;
    this.#until = 1;
  }

  /** Whether this frame was there before. */
  closes(frame: number): boolean {
    if (frame === this.#mark) return true;
    this.#steps += 1;
    if (this.#steps === this.#until) {
      this.#mark = frame;
      this.#until *= 2;
      this.#steps = 0;
    }
    return false;
  }
}
