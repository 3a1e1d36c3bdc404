import { setTimeout as delay } from 'node:timers/promises';
import { type CaptureRequest, dumpStacks, record, type RecordOptions } from '../capture/index.js';
import { type Frame, ProfilerError } from '../model/index.js';
import type { Recording } from '../recording/index.js';
import { cleanText } from '../report/index.js';
import type { RuleSet } from '../rules/index.js';
import { type Realtime, sameProcess, type Target } from '../target/index.js';
import { byRoute } from './attach-route.js';
import { chooseSampler, foundBy, withBeside } from './attach-sampler.js';
import { ended, searchOf } from './attach-search.js';
import type { Io } from './io.js';
import { loadOver } from './load-over.js';
import type { Moment } from './moment.js';
import { namedThread } from './named-thread.js';
import type { RecordingFlags } from './recording-flags.js';
import { folderFor, isRecorded, removeUnrecorded } from './recording-place.js';
import { neverStepped, overTooSoon } from './run-errors.js';
import type { RunningProgram } from './run-program.js';
import { interruptionOf, type PassedSignals } from './run-signals.js';
import { stepJudge } from './step-judge.js';
import {
  simulationOf,
  type SteppingProgram,
  stepsStill,
  type StepSign,
  type StepWatch,
  waitForSteps,
} from './step-watch.js';
import { withSteps } from './with-steps.js';

/** Flags of `run` that say what is recorded, and how. */
export interface RunFlags extends RecordingFlags {
  readonly duration?: number;
  readonly after?: Moment;
  readonly until?: Moment;
  readonly load?: true;
}

export interface Run {
  readonly command: readonly string[];
  readonly flags: RunFlags;
  readonly running: RunningProgram;
  readonly signals: PassedSignals;
  readonly ruleSet: RuleSet;
  readonly pyspy: StepWatch['pyspy'];
  /** Found out before: a program that starts does not wait. */
  readonly realtime: Realtime;
}

export interface Recorded {
  readonly folder: string;
  readonly recording: Recording;
}

/** The longest that slices are made for. */
const A_DAY_S = 86_400;
/** Short: the one in which stepping ends is left out. */
const LOOP_SLICE_S = 1;
/** A start-up is kept whole, and each start of the sampler misses a little of it. */
const LOAD_SLICE_S = 4;
const LOAD_HZ = 250;
const LOAD_LOOK_MS = 20;
/** After this long a user may wonder. */
const PATIENCE_MS = 30_000;
const HINT = 'no step was recognised yet; --after SECONDS or --after TEXT begins where you say.';

const SIGNS: Readonly<Record<StepSign | 'asked', string>> = {
  physics: 'it steps',
  pacer: 'it waits in its pacer, so it steps',
  steady: 'its first thread sleeps at an even rate, so it steps; no look at it met a step or a pacer',
  works: 'it works; whether it steps will be seen',
  asked: 'as --after says',
};

function say(io: Io, text: string): void {
  io.err(`profiler: ${text}\n`);
}

function watchOf({ running, pyspy, ruleSet, signals, realtime }: Run): StepWatch {
  const priority = realtime.allowed ? realtime.argv : [];
  return { program: running.program, pyspy, ruleSet, signal: signals.signal, priority };
}

/** Waits for the beginning of what is to be recorded. Undefined where a signal came first; throws where the program ended first. */
async function beginning(
  io: Io,
  run: Run,
): Promise<(SteppingProgram & { readonly asked: boolean }) | undefined> {
  const { running, flags, command, signals } = run;
  const { program } = running;
  let last: Frame | undefined;
  if (flags.after === undefined) {
    const impatient = setTimeout(() => say(io, HINT), PATIENCE_MS);
    const stepping = await waitForSteps(watchOf(run)).finally(() => clearTimeout(impatient));
    if (stepping.target !== undefined) return { ...stepping, asked: false };
    ({ last } = stepping);
  } else {
    const signalled = new Promise<void>((resolve) => {
      if (signals.signal.aborted) resolve();
      signals.signal.addEventListener('abort', () => resolve());
    });
    await Promise.race([running.at(flags.after), program.ended, signalled]);
    const target = simulationOf(program);
    if (target !== undefined && program.end() === undefined && !signals.signal.aborted)
      return { target, sign: 'works', recognised: false, pacers: new Set(), asked: true };
  }
  if (signals.signal.aborted) return undefined;
  throw neverStepped(command, await program.ended, flags.after, last);
}

/** The Python of a program that starts, as soon as its stacks can be read. */
async function startingPython({ running, signals, pyspy }: Run): Promise<Target | undefined> {
  const { program } = running;
  while (program.end() === undefined && !signals.signal.aborted) {
    const target = simulationOf(program);
    const path = target?.runtime === 'python' ? await pyspy(target) : undefined;
    if (target !== undefined && path !== undefined && (await dumpStacks(path, target.pid, {})) !== undefined)
      return target;
    await Promise.race([
      delay(LOAD_LOOK_MS, undefined, { signal: signals.signal }).catch(() => undefined),
      program.ended,
    ]);
  }
  return undefined;
}

type Wanted = Pick<
  CaptureRequest,
  'durationS' | 'sliceS' | 'loopOnly' | 'phase' | 'startedNs' | 'threadTid' | 'rateHz'
>;

async function recordBy(
  io: Io,
  { flags, signals, realtime }: Run,
  target: Target,
  wanted: Wanted,
  optionsOf: (folder: string) => Omit<RecordOptions, 'signal' | 'onEvent'>,
): Promise<Recorded | undefined> {
  const found = { target };
  const sampler = await chooseSampler(io, { ...flags, via: 'auto' }, { found, realtime, touch: true });
  const ready = {
    flags: { ...flags, via: 'auto' as const },
    found,
    sampler,
    realtime,
  };
  const search = {
    ...searchOf(io, ready),
    interruptibly: <T>(_: Io, work: (by: ReturnType<typeof interruptionOf>) => Promise<T>) =>
      work(interruptionOf(signals)),
  };
  return byRoute(io, search, async (route, { signal }) => {
    if (!sameProcess(target)) throw ended(target);
    const folder = await folderFor(io, flags, found);
    try {
      const request: CaptureRequest = {
        target,
        realtime: ready.realtime,
        sampler: { path: sampler.path, version: sampler.version },
        native: flags.native === true,
        baselineS: 0,
        ...(flags.label === undefined ? {} : { label: flags.label }),
        ...wanted,
        ...foundBy(sampler),
        route,
        folder,
      };
      const options = { signal, onEvent: () => undefined, ...optionsOf(folder) };
      const recording = await withBeside(sampler, search, (beside) =>
        withSteps(search, wanted.phase !== 'load', (steps) =>
          record({ ...request, ...beside, ...steps }, options),
        ),
      );
      // Interrupted before its first sample it has none, and no manifest either.
      return isRecorded(folder) ? { folder, recording } : undefined;
    } finally {
      if (flags.output === undefined) await removeUnrecorded(folder);
    }
  });
}

/** Records the loop of a program, from when it steps until it does no more. Undefined where a signal came before. */
export async function recordLoop(io: Io, run: Run): Promise<Recorded | undefined> {
  const { flags, running, ruleSet } = run;
  const began = await beginning(io, run);
  if (began === undefined) return undefined;
  const { target } = began;
  const sign = SIGNS[began.asked ? 'asked' : began.sign];
  const until = flags.until === undefined ? 'stepping ends' : `--until ${cleanText(flags.until.text)}`;
  const most = flags.duration === undefined ? '' : `, ${flags.duration} s at most`;
  say(io, `sampling process ${target.pid} (${sign}) until ${until}${most}.`);
  const enough = new AbortController();
  if (flags.until !== undefined) void running.at(flags.until).then(() => enough.abort());
  const threadTid = flags.thread === undefined ? undefined : namedThread(target, flags.thread);
  const wanted: Wanted = {
    durationS: flags.duration ?? A_DAY_S,
    sliceS: LOOP_SLICE_S,
    loopOnly: true,
    ...(threadTid === undefined ? {} : { threadTid }),
    ...(flags.rate === undefined ? {} : { rateHz: flags.rate }),
  };
  return recordBy(io, run, target, wanted, (folder) => ({
    enough: enough.signal,
    judge: stepJudge(folder, ruleSet, began),
    stillSteps: () => stepsStill(began, watchOf(run)),
  })).catch((error: unknown) => {
    throw overTooSoon(error, !sameProcess(target));
  });
}

/** Records the start-up of a program, from when its Python can be read to the first step. Undefined where a signal came before. */
export async function recordLoad(io: Io, run: Run): Promise<Recorded | undefined> {
  const { flags, running, signals, command } = run;
  const target = await startingPython(run);
  if (target === undefined) {
    if (signals.signal.aborted) return undefined;
    const end = await running.program.ended;
    throw new ProfilerError({
      id: 'load-no-python',
      what: `The program ended (exit code ${end.code}) and no Python was seen in it whose start-up could be sampled.`,
      why: `--load reads the stacks of Python. ${cleanText(command[0] ?? '')} started none, or was over at once.`,
      fix: 'profiler run -- …  (without --load)',
    });
  }
  say(io, `sampling the start-up of process ${target.pid} until its first step.`);
  const enough = new AbortController();
  let stepped = false;
  const step = async (): Promise<void> => {
    stepped = (await waitForSteps({ ...watchOf(run), first: true })).target !== undefined;
  };
  const first = flags.until === undefined ? step() : running.at(flags.until);
  void first.then(() => enough.abort());
  const wanted: Wanted = {
    durationS: flags.duration ?? A_DAY_S,
    sliceS: LOAD_SLICE_S,
    loopOnly: true,
    phase: 'load',
    startedNs: running.startedNs,
    threadTid: flags.thread === undefined ? target.pid : (namedThread(target, flags.thread) ?? target.pid),
    rateHz: flags.rate ?? LOAD_HZ,
  };
  return recordBy(io, run, target, wanted, () => ({ enough: enough.signal })).catch((error: unknown) => {
    // The step came before the sampler, which then had nothing to do.
    const nothing = error instanceof ProfilerError && error.finding.id === 'no-samples';
    throw stepped && nothing ? loadOver() : error;
  });
}
