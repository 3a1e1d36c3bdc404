// Holds a `--json` breakdown of the demo simulation against the simulation's own truth over the same windows.
//
// Truth of a bucket, net of waiting: thread-CPU time that the simulation charged it, over the wall time of the same windows.
// Waiting for a CPU: what the kernel charged (schedstat), which is where ours comes from too. Waiting for the GIL: off-CPU
// time minus run queue minus requested sleep. Pacer, net: what is left of the wall time.

export const WORK_BUCKETS = ['physics', 'raycast', 'publishing', 'plugin', 'python'];

/** Physics thread of a `--json` breakdown: bucket id -> {share, low, high, raw}; labels and sub-kinds added up. */
export function physicsOf(json) {
  const thread = json.threads.find((t) => t.role === 'physics') ?? json.threads[0];
  const buckets = new Map();
  for (const bucket of thread.buckets) {
    const sum = buckets.get(bucket.id) ?? { share: 0, low: 0, high: 0, raw: 0 };
    buckets.set(bucket.id, {
      share: sum.share + bucket.share,
      low: sum.low + (bucket.low ?? bucket.share),
      high: sum.high + (bucket.high ?? bucket.share),
      raw: sum.raw + (bucket.rawShare ?? 0),
    });
  }
  return { thread, buckets };
}

/**
 * Shares of the wall time as they should be: net of waiting, or with it where the thread says so. `gilHog`: a second Python thread holds
 * the GIL on purpose; without one the rest of the off-CPU time is only how late the timer wakes the pacer.
 */
export function expectedShares(thread, truth, gilHog) {
  const { cpuWait } = thread.accounting;
  const cpu = Object.fromEntries(WORK_BUCKETS.map((b) => [b, truth.buckets[b]?.cpu ?? 0]));
  const wall = Object.fromEntries(WORK_BUCKETS.map((b) => [b, truth.buckets[b]?.wall ?? 0]));
  const onCpu = Object.values(truth.buckets).reduce((sum, b) => sum + b.cpu, 0);
  const gil = Math.max(0, 1 - onCpu - cpuWait - truth.requestedSleep);
  const net = thread.includesWaiting !== true;
  const work = Object.values(cpu).reduce((a, b) => a + b, 0);
  // A spinning pacer is work of the CPU in the bucket pacer: the remainder counts it with the sleep.
  const expected = net
    ? { ...cpu, pacer: 1 - cpuWait - (gilHog ? gil : 0) - work }
    : { ...wall, pacer: truth.buckets.pacer?.wall ?? 0 };
  return { expected, wall, net, gil, onCpu };
}
