/**
 * What MuJoCo logs of its steps with `MUJOCO_LOG_TOPICS=time_stp`, on the terminal and in MUJOCO_LOG.TXT, at each reset of data: means
 * of the phases. As `mj_logTimingDiagnostics` of its engine_io.c does, since 3.9 and the same in 4.0. It takes its timers for milliseconds
 * and prints one decimal of microseconds; from Python they are seconds, so that all of it is 0.0. The shares do not depend on that.
 */
import type { Finding } from '../model/index.js';
import { callsPerStep, isRk4 } from './mujoco-calls.js';
import { UNTIMED, steppingFindings } from './mujoco-phase-findings.js';
import { phaseRows } from './mujoco-phase-rows.js';
import { phaseNamed } from './mujoco-phases.js';
import type { Phase } from './mujoco-phases.js';
import type { CostTable, TableReader } from './table.js';

/** The level is gone where it reads like that of a logger (`bareLine`); in the file a time follows it. */
const HEAD = /^(?:INFO(?: [^:]*\d\d:\d\d:\d\d[^:]*)?: )?average time per step \((\d+) steps, units: \S+\)$/;
const ROW = /^ {2,6}(\w+) +(\d+\.\d)(?: +\( *(-?\d+\.\d)%\))?$/;

interface Logged {
  readonly phase: Phase;
  readonly name: string;
  readonly share: number;
}

function logged(lines: readonly string[]): readonly CostTable[] {
  return lines.flatMap((line, at) => {
    const steps = HEAD.exec(line)?.[1];
    return steps === undefined ? [] : table(lines, at, Number(steps));
  });
}

function table(lines: readonly string[], at: number, steps: number): readonly CostTable[] {
  const means: Logged[] = [];
  let total: string | undefined;
  let last = at;
  for (let place = at + 1; place < lines.length; place += 1) {
    const line = lines[place] ?? '';
    if (HEAD.test(line) || total !== undefined) break;
    const [, name, value, percent] = ROW.exec(line) ?? [];
    const phase = name === undefined ? undefined : phaseNamed(name);
    if (name === 'total') total = value;
    // `other` is computed from means of calls: of RK4 it is most of the step. Lines of others may stand in between.
    if (name !== undefined && phase !== undefined) means.push({ phase, name, share: Number(percent) / 100 });
    if (name === 'total' || phase !== undefined) last = place;
  }
  if (means.length === 0) return [];
  // The step itself has no row but `total`; forward dynamics has none at all.
  const present = new Set<Phase>(['STEP', 'FORWARD', ...means.map(({ phase }) => phase)]);
  return [
    {
      kind: 'mujoco-log',
      title: 'MuJoCo log: phases of a step',
      lines: { from: at + 1, to: last + 1 },
      ...phaseRows([
        ...(total === undefined ? [] : [{ phase: 'STEP' as const, name: 'total', calls: steps, share: 1 }]),
        ...means.map((mean) => ({ ...mean, share: mean.share * (callsPerStep(mean.phase, present) ?? 1) })),
      ]),
      steps,
      findings: [
        onlyShares(total),
        ...(isRk4(present) ? [PER_CALL] : []),
        ...steppingFindings(present),
        UNTIMED,
      ],
    },
  ];
}

function onlyShares(total: string | undefined): Finding {
  const isZero = total === undefined || Number(total) === 0;
  return {
    level: 'warning',
    id: 'mujoco-log-unit',
    what: isZero
      ? 'All times of this log are 0.0: only its shares are kept.'
      : `Times of this log are not kept, only its shares: a step of "${total}" is that many milliseconds from Python, microseconds from a program whose own clock gives milliseconds.`,
    why: 'MuJoCo takes the timers for milliseconds when it prints microseconds; in the Python package they are seconds.',
    fix: 'profiler tables --snippet mujoco',
  };
}

const PER_CALL: Finding = {
  level: 'warning',
  id: 'mujoco-times-per-call',
  what: 'The log says "per step" and divides each phase by its own count: its shares are multiplied by the four calls of an RK4 step here, and its "other" is computed anew.',
  why: 'As printed, they would account for a quarter of the step.',
};

export const MUJOCO_LOG_TOPICS: TableReader = { text: logged };
