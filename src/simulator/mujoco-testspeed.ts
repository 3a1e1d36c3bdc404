/**
 * What MuJoCo's testspeed prints: speed, and its internal profiler, in two blocks of which the second takes the position phase apart. As
 * sample/testspeed.cc does. It says microseconds per step and means per call of each phase: those of RK4 are called four times a step.
 */
import type { Finding } from '../model/index.js';
import { callsPerStep } from './mujoco-calls.js';
import { UNTIMED, steppingFindings } from './mujoco-phase-findings.js';
import { phaseRows } from './mujoco-phase-rows.js';
import type { PhaseCost } from './mujoco-phase-rows.js';
import { phaseNamed } from './mujoco-phases.js';
import type { Phase } from './mujoco-phases.js';
import type { CostTable, TableReader } from './table.js';

const PROFILER = /^ ?Internal profiler(?: for thread 0)?, (?:\u00B5|\u03BC|u)s per step$/;
const ROLLOUT = /^Rolling out (\d+) steps( per thread)?,? at dt = /;
const SPEED = /^ ?Steps per second +: (\d+)$/;
const FACTOR = /^ ?Realtime factor +: (\d+\.\d+) x$/;
const THREADS = /^Summary for all (\d+) threads$/;
const TOGETHER = /^ ?Total steps per second +: (\d+)$/;
const ROW = /^ +(\w+)(?: total)? +: +(-?\d+\.\d) +\( *-?\d+\.\d+ %\)$/;

interface Run {
  readonly steps?: number;
  readonly stepsPerS?: number;
  readonly realTimeFactor?: number;
  readonly threads?: number;
  readonly together?: number;
  readonly first: number;
}

function testspeeds(lines: readonly string[]): readonly CostTable[] {
  return lines.flatMap((line, at) => (PROFILER.test(line) ? table(lines, at) : []));
}

function table(lines: readonly string[], at: number): readonly CostTable[] {
  const { phases: means, last } = profilerRows(lines, at);
  const step = means.get('STEP');
  if (step === undefined) return [];
  const present = new Set(means.keys());
  const costs = [...means.values()].map((mean): PhaseCost => {
    const calls = callsPerStep(mean.phase, present);
    return calls === undefined ? mean : { ...mean, perStepUs: mean.meanUs * calls };
  });
  const isPerCall = costs.some(({ meanUs, perStepUs }) => perStepUs !== meanUs);
  const { threads, together, first, ...speed } = runBefore(lines, at);
  return [
    {
      kind: 'mujoco-testspeed',
      title: 'MuJoCo testspeed: phases of a step',
      lines: { from: first + 1, to: last + 1 },
      ...phaseRows(costs),
      ...speed,
      findings: [
        ...(isPerCall ? [PER_CALL] : []),
        ...(threads === undefined ? [] : [oneOfMany(threads, together)]),
        ...steppingFindings(present),
        UNTIMED,
      ],
    },
  ];
}

/** Rows up to the next run, with lines of others between them passed over; `other` is not kept, since it is computed from means of calls. */
function profilerRows(
  lines: readonly string[],
  at: number,
): {
  readonly phases: ReadonlyMap<Phase, PhaseCost & { readonly meanUs: number }>;
  readonly last: number;
} {
  const phases = new Map<Phase, PhaseCost & { readonly meanUs: number }>();
  let last = at;
  for (let place = at + 1; place < lines.length; place += 1) {
    const line = lines[place] ?? '';
    if (PROFILER.test(line) || ROLLOUT.test(line)) break;
    const [, name, mean] = ROW.exec(line) ?? [];
    const phase = name === undefined ? undefined : phaseNamed(name);
    if (phase !== undefined) last = place;
    // `position total` repeats the row of the first block.
    if (name === undefined || phase === undefined || phases.has(phase)) continue;
    phases.set(phase, { phase, name, meanUs: Number(mean) });
  }
  return { phases, last };
}

/** What stands above the profiler: the nearest run before it. */
function runBefore(lines: readonly string[], at: number): Run {
  let run: Run = { first: at };
  for (let place = at - 1; place >= 0; place -= 1) {
    const line = lines[place] ?? '';
    if (PROFILER.test(line)) break;
    const rate = SPEED.exec(line)?.[1];
    const factor = FACTOR.exec(line)?.[1];
    const threads = THREADS.exec(line)?.[1];
    const together = TOGETHER.exec(line)?.[1];
    if (rate !== undefined) run = { ...run, first: place, stepsPerS: Number(rate) };
    if (factor !== undefined) run = { ...run, first: place, realTimeFactor: Number(factor) };
    if (threads !== undefined) run = { ...run, first: place, threads: Number(threads) };
    if (together !== undefined) run = { ...run, first: place, together: Number(together) };
    const steps = ROLLOUT.exec(line)?.[1];
    if (steps !== undefined) return { ...run, first: place, steps: Number(steps) };
  }
  return run;
}

const PER_CALL: Finding = {
  level: 'warning',
  id: 'mujoco-times-per-call',
  what: 'testspeed says "per step" and prints means per call: rows of what is called several times in a step are multiplied by that here where it is known, and its "other" is computed anew.',
  why: 'As printed they leave out most of a step of RK4, which computes forward dynamics four times.',
};

function oneOfMany(threads: number, together: number | undefined): Finding {
  return {
    level: 'note',
    id: 'one-thread-of-many',
    what: `Rows and speed are of the first of ${String(threads)} threads${
      together === undefined ? '' : `; all of them together make ${String(together)} steps/s`
    }.`,
    why: 'Where threads outnumber free cores, its times hold those in which it did not run.',
  };
}

export const MUJOCO_TESTSPEED: TableReader = { text: testspeeds };
