/** Negative where `a` comes before `b`, as for `Array.sort`. */
type Order<Row> = (a: Row, b: Row) => number;

/** The n rows that come first, in order. No more than n are kept at a time, so few of many cost little more than looking at each. */
export function firstRows<Row>(rows: readonly Row[], n: number, before: Order<Row>): Row[] {
  if (n >= rows.length) return [...rows].sort(before);
  const heap: Row[] = [];
  for (const row of rows) {
    if (heap.length < n) {
      heap.push(row);
      if (heap.length === n) heap.sort((a, b) => before(b, a));
    } else if (n > 0 && before(row, heap[0] as Row) < 0) {
      heap[0] = row;
      sink(heap, before);
    }
  }
  return heap.sort(before);
}

/** The heap's first row is the last in order. Restores that after the first row was replaced. */
function sink<Row>(heap: Row[], before: Order<Row>): void {
  let at = 0;
  for (;;) {
    let last = at;
    for (const child of [at * 2 + 1, at * 2 + 2]) {
      if (child < heap.length && before(heap[child] as Row, heap[last] as Row) > 0) last = child;
    }
    if (last === at) return;
    const row = heap[at] as Row;
    heap[at] = heap[last] as Row;
    heap[last] = row;
    at = last;
  }
}
