/** The text report, line for line as `format_report` of raccoon's `step_profiler.py` lays it out; what it does not have comes last in its section. */
import { fixed, left, oneLine, short } from './exact-text.js';
import type { HalStat } from './hal-stats.js';
import type { LagSpike } from './lag-spike.js';
import type { LoopDelay } from './loop-watch.js';
import type { StepTotals } from './step-totals.js';
import type { TraceState } from './step-trace.js';

export interface GcTotals {
  readonly pauses: number;
  readonly totalMs: number;
  readonly maxMs: number;
}

export interface Reported {
  readonly totals: StepTotals;
  readonly halStats: ReadonlyMap<string, HalStat>;
  readonly top: number;
  /** Milliseconds of the lag samples that are kept. */
  readonly lagMs: readonly number[];
  /** Those that are not. */
  readonly lagDropped: number;
  readonly maxLagMs: number;
  readonly lagIntervalMs: number;
  readonly lagSpikeMs: number;
  readonly spikes: readonly LagSpike[];
  readonly spikeCount: number;
  readonly gc: GcTotals;
  readonly delay: LoopDelay | undefined;
  readonly trace: TraceState | undefined;
  readonly samplesFolded: number;
  readonly clockSetBack: number;
}

const HEAVY = '==============================================================================';
const LIGHT = '  --------------------------------------------------------------------------';
const WORST_SPIKES = 8;

export function stepReport(of: Reported): string {
  return [
    '',
    HEAVY,
    '  STEP PROFILER REPORT',
    HEAVY,
    ...where(of),
    ...motion(of.totals),
    ...body(of.totals),
    ...hal(of),
    ...steps(of),
    ...lag(of),
    '',
    ...notes(of),
    ...trace(of.trace),
    HEAVY,
  ].join('\n');
}

/** A title, seconds, and their share of the wall clock. */
function valued(title: string, seconds: number, wall: number, remark = ''): string {
  const percent = wall > 0 ? `${fixed((100 * seconds) / wall, 1).padStart(5)}%` : '  n/a';
  return `  ${left(title, 28)}: ${fixed(seconds, 3).padStart(8)} s   ${percent}${remark === '' ? '' : `   <- ${remark}`}`;
}

function where({ totals }: Reported): readonly string[] {
  const { wall, leaves, total, execute, overhead, dbWrite, dbRead, acquire, unattributed } = totals;
  return [
    `  wall clock (all steps)      : ${fixed(wall, 3).padStart(8)} s`,
    `  leaf steps executed         : ${leaves}`,
    '',
    '  WHERE THE TIME GOES (leaf steps; overhead = run_step minus step body)',
    LIGHT,
    valued('step body  (execute)', execute, wall),
    valued('overhead   (between steps)', overhead, wall),
    valued('    db write (record_exec)', dbWrite, wall, 'SQLite insert+commit per step'),
    valued('    db read  (upper_bound)', dbRead, wall),
    valued('    resource acquire', acquire, wall),
    valued('    other (log/sig/asyncio)', unattributed, wall),
    ...(total > 0
      ? ['', `  => ${fixed((100 * overhead) / total, 1)}% of step wall time is overhead, not the step body.`]
      : []),
  ];
}

function motion({ wall, motionUpdates, motionCompute, motionExecute }: StepTotals): readonly string[] {
  if (motionUpdates === 0) return [];
  return [
    '',
    '  MOTION on_update() — of drive time, how much is compute vs waiting?',
    LIGHT,
    valued('on_update compute', motionCompute, wall),
    valued('waiting for motion', Math.max(motionExecute - motionCompute, 0), wall),
    `  on_update cycles            : ${motionUpdates}   (avg ${fixed((1000 * motionCompute) / motionUpdates, 3)} ms/cycle)`,
  ];
}

function body({ wall, execute, sleep, hal: calls, halCalls, bodyCompute }: StepTotals): readonly string[] {
  if (execute <= 0) return [];
  return [
    '',
    '  INSIDE THE STEP BODY (execute split: where does in-step time go?)',
    LIGHT,
    valued('deliberate sleep (awaits)', sleep, wall),
    valued('HAL/transport calls (block)', calls, wall, `${halCalls} synchronous hardware calls`),
    valued('python compute / unattrib', bodyCompute, wall, 'standstill w/o a visible wait'),
  ];
}

function hal({ halStats, top }: Reported): readonly string[] {
  if (halStats.size === 0) return [];
  const rows = [...halStats].toSorted(([, a], [, b]) => b.total - a.total).slice(0, top);
  return [
    '',
    '  TOP HAL / TRANSPORT CALLS (synchronous; a slow one blocks the loop)',
    LIGHT,
    `  ${left('method', 34)}${'n'.padStart(6)}${'total'.padStart(10)}${'mean_ms'.padStart(10)}${'max_ms'.padStart(9)}`,
    ...rows.map(
      ([name, { calls, total, max }]) =>
        `  ${left(short(name), 34)}${String(calls).padStart(6)}${fixed(total, 3).padStart(9)}s${fixed((total / calls) * 1000, 3).padStart(10)}${fixed(max * 1000, 3).padStart(9)}`,
    ),
  ];
}

function meanMs(seconds: number, runs: number, width: number): string {
  return fixed((seconds / runs) * 1000, 1).padStart(width);
}

function steps({ totals, top }: Reported): readonly string[] {
  const rows = [...totals.signatures].toSorted(([, a], [, b]) => b.overhead - a.overhead).slice(0, top);
  return [
    '',
    '  TOP STEPS BY TOTAL OVERHEAD (the standstill budget)',
    LIGHT,
    `  ${left('signature', 34)}${'n'.padStart(4)}${'ovh_tot'.padStart(9)}${'exec_ms'.padStart(9)}${'ovh_ms'.padStart(8)}${'dbw_ms'.padStart(8)}`,
    ...rows.map(
      ([signature, { runs, overhead, execute, dbWrite }]) =>
        `  ${left(short(signature), 34)}${String(runs).padStart(4)}${fixed(overhead, 3).padStart(8)}s${meanMs(execute, runs, 9)}${meanMs(overhead, runs, 8)}${meanMs(dbWrite, runs, 8)}`,
    ),
  ];
}

function lag(of: Reported): readonly string[] {
  return [
    '',
    '  EVENT-LOOP LAG (does something block the asyncio loop?)',
    LIGHT,
    ...(of.lagMs.length > 0
      ? lagLines(of)
      : ['  (loop-lag monitor did not run — were any steps executed under async?)']),
  ];
}

function lagLines(of: Reported): readonly string[] {
  const sorted = Float64Array.from(of.lagMs).sort();
  const at = (share: number): number =>
    sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)] ?? 0;
  const worst = of.spikes.toSorted((a, b) => b.lagMs - a.lagMs).slice(0, WORST_SPIKES);
  return [
    `  samples                     : ${of.lagMs.length + of.lagDropped} @ ${fixed(of.lagIntervalMs, 0)} ms`,
    `  max lag                     : ${fixed(of.maxLagMs, 1).padStart(8)} ms`,
    `  p50 / p99 lag               : ${fixed(at(0.5), 1).padStart(8)} / ${fixed(at(0.99), 1)} ms`,
    `  spikes > ${fixed(of.lagSpikeMs, 0)} ms             : ${of.spikeCount}`,
    ...(worst.length > 0 ? ['  worst spikes (loop blocked here):'] : []),
    ...worst.map(
      ({ ts, lagMs, near }) =>
        `      t=${fixed(ts, 3).padStart(7)}s  lag=${fixed(lagMs, 1).padStart(7)} ms   near: ${oneLine(near)}`,
    ),
    ...gcLines(of),
  ];
}

function gcLines({ gc, delay, spikes }: Reported): readonly string[] {
  const gcMs = spikes.reduce((sum, spike) => sum + spike.gcMs, 0);
  const lagMs = spikes.reduce((sum, spike) => sum + spike.lagMs, 0);
  const ofGc = spikes.filter(({ cause }) => cause === 'gc').length;
  return [
    ...(gc.pauses > 0
      ? [
          `  gc pauses                   : ${gc.pauses}, ${fixed(gc.totalMs, 1)} ms in all, longest ${fixed(gc.maxMs, 1)} ms`,
        ]
      : []),
    ...(gc.pauses > 0 && spikes.length > 0
      ? [
          `  gc in the spikes            : ${fixed(gcMs, 1)} of ${fixed(lagMs, 1)} ms (more than half of ${ofGc} of ${spikes.length})`,
        ]
      : []),
    ...(delay === undefined
      ? []
      : [
          `  node's own histogram        : p50 ${fixed(delay.p50Ms, 1)}, p99 ${fixed(delay.p99Ms, 1)}, max ${fixed(delay.maxMs, 1)} ms`,
        ]),
  ];
}

function notes({ samplesFolded, lagDropped, clockSetBack }: Reported): readonly string[] {
  const said = [
    ...(samplesFolded > 0
      ? [`  The oldest ${samplesFolded} steps are only in these sums: no samples of them are kept.`]
      : []),
    ...(lagDropped > 0 ? [`  p50 and p99 are without the oldest ${lagDropped} samples of the lag.`] : []),
    ...(clockSetBack > 0
      ? [`  The clock went back ${clockSetBack} times: what passed meanwhile counts as nothing.`]
      : []),
  ];
  return said.length > 0 ? [...said, ''] : [];
}

/** A trace that is not on the disk is not said to be. */
function trace(state: TraceState | undefined): readonly string[] {
  switch (state?.is) {
    case undefined:
      return [];
    case 'written':
      return [
        `  Chrome trace written: ${oneLine(state.path)}`,
        '  Open it at chrome://tracing  (or https://ui.perfetto.dev) to see the gaps.',
        `  It is whole: ${state.bytes} bytes.`,
      ];
    case 'held':
      return [
        `  Chrome trace in memory: ${oneLine(state.path)}`,
        '  flushTraces() writes it, or the end of the program.',
      ];
    case 'open':
      return [`  Chrome trace not finished: ${oneLine(state.path)}`];
    case 'failed':
      return [
        `  Chrome trace not whole: ${oneLine(state.path)}`,
        `  ${state.lost} events are missing: ${oneLine(state.error)}`,
      ];
  }
}
