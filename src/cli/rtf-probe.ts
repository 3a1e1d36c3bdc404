import { setTimeout as wait } from 'node:timers/promises';
import { startStepMeter } from '../capture/index.js';
import { type Finding, ProfilerError, shellLine } from '../model/index.js';
import type { RecordedSteps } from '../recording/index.js';
import { cleanText, type Rtf } from '../report/index.js';
import {
  openJournal,
  openStepProbe,
  readStat,
  sameProcess,
  shownPid,
  type StepProbe,
  type Target,
} from '../target/index.js';
import { EXIT_INTERRUPTED, interrupted, interruptible } from './interrupt.js';
import type { Io } from './io.js';
import { resolveTarget, type TargetFlags } from './target-flags.js';
import { targetWords, typedFlags } from './target-words.js';
import { KNOWN_STEPS } from './with-steps.js';

interface ProbeFlags extends TargetFlags {
  readonly duration: number;
  readonly symbol?: string;
  /** Seconds. */
  readonly timestep?: number;
  readonly pace: number;
}

/** Longest wait for a step: a loop that makes one in 5 s is no loop of steps. */
const FIRST_STEP_S = 5;
/** Counted and simulated time that differ by more are not of the same steps. */
const DISAGREE = 0.01;

/**
 * How fast a running simulation goes, by a probe on its step function and by its own simulated time. Throws what finding the target throws, and
 * ProfilerError `no-step-probe`, `no-steps`, `no-timestep`, `interrupted`.
 */
export async function probeRtf(io: Io, flags: ProbeFlags): Promise<Rtf> {
  const { target } = await resolveTarget(io, flags, ['rtf']);
  // Whoever interrupts from here on lets the probe be taken back.
  return interruptible(io, ({ signal }) => probed(io, target, flags, signal));
}

async function probed(io: Io, target: Target, flags: ProbeFlags, signal: AbortSignal): Promise<Rtf> {
  const probe = openedProbe(io, target, flags);
  try {
    const steps = await measure(target, probe, flags, signal);
    if (steps === 'interrupted') {
      io.setExitCode(EXIT_INTERRUPTED);
      throw interrupted(' before a second was measured', 'nothing is known');
    }
    if (steps === undefined) throw noSteps(target, probe, flags);
    if (steps.worldsChange === true) throw worldsChange(target, flags);
    const answer = answerOf(target, steps, flags);
    if (!steps.interrupted) return answer;
    io.setExitCode(EXIT_INTERRUPTED);
    return { ...answer, findings: [cutShort(answer), ...answer.findings] };
  } finally {
    probe.close();
  }
}

function openedProbe(io: Io, target: Target, flags: ProbeFlags): StepProbe {
  const { symbol } = flags;
  const words = shellLine(targetWords(flags, target));
  const journal = openJournal(io.env, new Date().toISOString());
  const steps = symbol === undefined ? KNOWN_STEPS : [{ symbols: [symbol] }];
  const probe =
    target.elsewhere === undefined
      ? openStepProbe({ pid: target.pid, journal, steps })
      : { because: 'it is a process of another machine' };
  if (!('because' in probe)) return probe;
  const isFound = !probe.because.includes('has loaded no file');
  throw new ProfilerError({
    id: 'no-step-probe',
    what: `The steps of process ${shownPid(target)} cannot be seen: ${cleanText(probe.because)}.`,
    why: isFound
      ? 'A probe on a function of a running program is put into the kernel of its machine.'
      : 'Its simulator is none of those whose step is known, or was built without that name.',
    fix:
      probe.fix ??
      (isFound
        ? `sudo profiler rtf ${words}  (on the host; or --clock, where ROS is at hand)`
        : `profiler rtf ${words} --symbol NAME --timestep SECONDS  (a function that makes one step; or --clock)`),
  });
}

interface Measured extends RecordedSteps {
  readonly interrupted: boolean;
  /** The target ended meanwhile. */
  readonly ended: boolean;
  /** Looks that found it stopped, one a second. */
  readonly stopped: number;
}

/** States of a process that a signal or a debugger has stopped. */
const STOPPED: ReadonlySet<string> = new Set(['T', 't']);

const clock = (): bigint => process.hrtime.bigint();

/** In pieces of a second, so that what changed from second to second is seen. */
async function measure(
  target: Target,
  probe: StepProbe,
  { duration, timestep }: ProbeFlags,
  signal: AbortSignal,
): Promise<Measured | 'interrupted' | undefined> {
  const own = timestep === undefined ? {} : { timestepS: timestep };
  const meter = await startStepMeter(
    { steps: probe, target, learnS: FIRST_STEP_S, ...own },
    { signal, clock },
  );
  if (meter === undefined) return signal.aborted ? 'interrupted' : undefined;
  let stopped = 0;
  try {
    const endNs = clock() + BigInt(Math.round(duration * 1e9));
    for (let leftS = duration; leftS > 0 && !signal.aborted; leftS = Number(endNs - clock()) / 1e9) {
      meter.enter('during');
      await wait(Math.min(1, leftS) * 1000, undefined, { signal }).catch(() => undefined);
      if (!sameProcess(target)) break;
      if (STOPPED.has(readStat(target.pid)?.state ?? '')) stopped += 1;
    }
  } finally {
    meter.close();
  }
  const steps = { ...meter.recorded(), interrupted: signal.aborted, ended: !sameProcess(target), stopped };
  if (steps.phases.length > 0) return steps;
  return signal.aborted ? 'interrupted' : undefined;
}

function answerOf(target: Target, steps: Measured, flags: ProbeFlags): Rtf {
  const { phases, timestepS, timedBy, symbol, stepsPerS } = steps;
  const lengths = phases.map(({ startNs, endNs }) => Number(BigInt(endNs) - BigInt(startNs)) / 1e9);
  const wallS = lengths.reduce((sum, one) => sum + one, 0);
  const simS = sumOf(phases.map(({ simulatedS }) => simulatedS));
  if (simS === undefined || timedBy === undefined) throw noTimestep(target, steps, flags);
  const counted = sumOf(phases.map((phase) => phase.steps));
  const factor = simS / wallS;
  // At either end up to one step is whole or is none.
  const doubtS = (phases[0]?.doubtS ?? 0) + (phases.at(-1)?.doubtS ?? 0);
  const margin = ((timestepS ?? 0) + factor * doubtS) / wallS;
  return {
    source: `${cleanText(target.command.slice(0, 3).join(' '))} · pid ${shownPid(target)}`,
    target: shellLine(targetWords(flags, target)),
    factor,
    low: Math.max(0, factor - margin),
    high: factor + margin,
    pace: flags.pace,
    measured: {
      way: 'probe',
      symbol,
      timedBy,
      ...(timestepS === undefined ? {} : { timestepS }),
      startNs: phases[0]?.startNs ?? '0',
      endNs: phases.at(-1)?.endNs ?? '0',
      windowS: wallS,
      simS,
      // What was counted before, with the probe on, is too low where it is too much to be counted on.
      stepsPerS: (counted ?? (timestepS === undefined ? stepsPerS * wallS : simS / timestepS)) / wallS,
      ...(counted === undefined ? {} : { steps: counted }),
      perSecond: phases.flatMap(({ simulatedS }, index) => {
        const length = lengths[index] ?? 0;
        return simulatedS === undefined || length < 0.9 ? [] : [simulatedS / length];
      }),
    },
    findings: findingsOf(steps, simS, counted),
  };
}

/** Undefined where one of them is. */
function sumOf(values: readonly (number | undefined)[]): number | undefined {
  return values.reduce((sum, one) => (sum === undefined || one === undefined ? undefined : sum + one), 0);
}

function findingsOf(
  { phases, timestepS, timestepChanged, worlds, timedBy, lost, ended, stopped }: Measured,
  simS: number,
  counted: number | undefined,
): readonly Finding[] {
  const resets = phases.reduce((sum, phase) => sum + (phase.resets ?? 0), 0);
  const bySteps = counted === undefined || timestepS === undefined ? undefined : counted * timestepS;
  const differs =
    timedBy === 'memory' &&
    bySteps !== undefined &&
    Math.abs(bySteps - simS) > DISAGREE * simS + 2 * (timestepS ?? 0);
  return [
    ...(resets === 0
      ? []
      : [
          {
            level: 'note',
            id: 'time-set-back',
            what: `Simulated time was set back ${resets === 1 ? 'once' : `${resets} times`} meanwhile.`,
            why:
              timedBy === 'steps'
                ? 'The simulation was reset, as in training: the steps tell how much it simulated.'
                : 'The simulation was reset, as in training, and it steps too fast to be counted: what it simulated between the last look and a reset is not in the factor.',
          } as const,
        ]),
    ...(differs
      ? [
          {
            level: 'warning',
            id: 'steps-disagree',
            what: `${counted} steps of ${timestepS} s would be ${bySteps?.toFixed(2)} s; simulated time grew by ${simS.toFixed(2)} s.`,
            why: 'The program sets the time itself, or some steps were not seen. The factor is that of the simulated time.',
          } as const,
        ]
      : []),
    ...(timestepChanged === true
      ? [
          {
            level: 'note',
            id: 'timestep-changed',
            what: 'The time step of the model changed meanwhile.',
            why: 'The factor is that of the simulated time, whatever each step added.',
          } as const,
        ]
      : []),
    ...(ended
      ? [
          {
            level: 'warning',
            id: 'target-ended',
            what: 'The process ended meanwhile: the factor is of the time up to there.',
            why: 'It was about to finish, crashed, or was ended.',
          } as const,
        ]
      : []),
    ...(stopped === 0
      ? []
      : [
          {
            level: 'warning',
            id: 'target-stopped',
            what: `The process was stopped (by a signal or a debugger) at ${stopped} of ${phases.length} looks, one a second.`,
            why: 'While it is stopped no time is simulated; the factor has that in it.',
          } as const,
        ]),
    ...(worlds > 1
      ? [
          {
            level: 'note',
            id: 'several-worlds',
            what: `${worlds} different data are stepped; the factor is that of the one that is stepped most, and others may have another.`,
            why: 'It simulates several worlds, or steps copies of one to plan ahead.',
          } as const,
        ]
      : []),
    ...(lost === undefined || timedBy === 'memory'
      ? []
      : [
          {
            level: 'warning',
            id: 'steps-lost',
            what: `${lost} steps were not written down by the kernel: the factor is too low by their part.`,
            why: 'Nobody read its buffer in time; this machine was busy.',
          } as const,
        ]),
  ];
}

function cutShort({ measured }: Rtf): Finding {
  const seconds = measured.way === 'probe' ? measured.windowS.toFixed(1) : '';
  return {
    level: 'warning',
    id: 'interrupted',
    what: `Interrupted: the factor is of ${seconds} s.`,
    why: 'It was asked to stop by a signal.',
  };
}

function worldsChange(target: Target, flags: ProbeFlags): ProfilerError {
  return new ProfilerError({
    id: 'worlds-change',
    what: `What process ${shownPid(target)} steps comes and goes: no one simulation of it was stepped all along.`,
    why: 'It makes new data (mjData) again and again, or steps copies to plan ahead: one factor would be of none of them.',
    fix: `profiler rtf --clock ${shellLine(targetWords(flags, target))}  (where it publishes a clock; else what it prints: profiler rtf --log FILE)`,
  });
}

function noSteps(target: Target, { functions }: StepProbe, flags: ProbeFlags): ProfilerError {
  const [first] = functions;
  // Another process is looked for, in the same container.
  const { container, service } = flags;
  const where = container === undefined && service === undefined ? {} : flags;
  const line = ['profiler', 'rtf', ...typedFlags({ ...where, match: 'REGEX' })];
  return new ProfilerError({
    id: 'no-steps',
    what: `Process ${shownPid(target)} called ${cleanText(first?.symbol ?? 'its step')} not once in ${FIRST_STEP_S} s.`,
    why: 'It is paused, still loading, or another process makes the steps.',
    fix: `${shellLine(line)}  (a part of the command line of the simulation)`,
  });
}

function noTimestep(target: Target, { symbol, stepsPerS }: RecordedSteps, flags: ProbeFlags): ProfilerError {
  return new ProfilerError({
    id: 'no-timestep',
    what: `Process ${shownPid(target)} calls ${cleanText(symbol)} ${Math.round(stepsPerS)} times a second; how much simulated time that is, is not known.`,
    why: 'Its model was not found in its memory, or the function is one whose arguments are not known, or it is called too often to be counted.',
    fix: shellLine([
      'profiler',
      'rtf',
      ...targetWords(flags, target),
      ...(flags.symbol === undefined ? [] : ['--symbol', flags.symbol]),
      '--timestep',
      'SECONDS',
    ]),
  });
}
