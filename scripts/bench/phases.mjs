// Phases of physics by native leaves beside MuJoCo's own timers over the same windows.

/** Phase of ours, and the timer of MuJoCo that times it. */
const TIMER_OF = {
  kinematics: 'pos_kinematics',
  inertia: 'pos_inertia',
  collision: 'pos_collision',
  'make-constraint': 'pos_make',
  'project-constraint': 'pos_project',
  velocity: 'velocity',
  actuation: 'actuation',
  constraint: 'constraint',
  advance: 'advance',
};

const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;

/**
 * `rounds`: physics samples by kind, and CPU seconds per second of each timer, of several windows. Gives each phase in per cent of all
 * physics samples beside per cent of the step timer, how they correlate, and the worst difference in points.
 */
export function besideTimers(rounds) {
  const samples = {};
  const timers = {};
  for (const { kinds, mjTimer } of rounds) {
    for (const [kind, count] of Object.entries(kinds)) samples[kind] = (samples[kind] ?? 0) + count;
    for (const [name, share] of Object.entries(mjTimer)) timers[name] = (timers[name] ?? 0) + share;
  }
  const all = Object.values(samples).reduce((a, b) => a + b, 0);
  const rows = Object.entries(TIMER_OF).map(([phase, timer]) => [
    phase,
    (100 * (samples[phase] ?? 0)) / all,
    (100 * timers[timer]) / timers.step,
  ]);
  const [xs, ys] = [rows.map(([, x]) => x), rows.map(([, , y]) => y)];
  const [mx, my] = [mean(xs), mean(ys)];
  const covariance = mean(xs.map((x, at) => (x - mx) * (ys[at] - my)));
  const spread = (list, m) => Math.sqrt(mean(list.map((one) => (one - m) ** 2)));
  return {
    samples: all,
    rows,
    ambiguous: (100 * (samples.ambiguous ?? 0)) / all,
    correlation: covariance / (spread(xs, mx) * spread(ys, my)),
    worst: Math.max(...rows.map(([, x, y]) => Math.abs(x - y))),
  };
}
