/**
 * Calls a function so many times a second, each time at the next multiple of the period since the start: a late timer makes one step
 * late, not all that follow. Steps that were missed are counted, and not made up for.
 */
export function startLoop(hz, counts, step) {
  const period = 1000 / hz;
  const start = performance.now();
  let number = 0;
  let timer;
  const paceNext = () => {
    const due = Math.floor((performance.now() - start) / period) + 1;
    // A timer counts whole milliseconds, so it may be early: then this step was the one that is due next.
    const next = Math.max(due, number + 1);
    counts.late += next - number - 1;
    number = next;
    timer = setTimeout(tick, Math.round(start + next * period - performance.now()));
  };
  const tick = () => {
    step();
    counts.steps += 1;
    paceNext();
  };
  paceNext();
  return { stop: () => clearTimeout(timer) };
}
