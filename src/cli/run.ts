import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { claimFolder } from '../capture/index.js';
import { type Finding, ProfilerError, errorReason } from '../model/index.js';
import { rememberRecording } from '../recording/index.js';
import {
  breakdownJson,
  breakdownText,
  errorJson,
  errorText,
  nsysFindings,
  nsysRunJson,
  nsysRunText,
} from '../report/index.js';
import type { RuleSet } from '../rules/index.js';
import {
  findPySpy,
  probeRealtime,
  type ProgramEnd,
  type PySpy,
  type Realtime,
  type Target,
} from '../target/index.js';
import { answer } from './answer.js';
import type { BackendFlag, Sampler } from './attach-sampler.js';
import { examples, outputPath, recordingSeconds, wholeFromOne } from './flags.js';
import { interrupted, leaveSoon } from './interrupt.js';
import type { Io } from './io.js';
import { keepPrinted, logOf, printedFindings } from './keep-printed.js';
import { moment } from './moment.js';
import { EXIT_NOT_TRUSTED, withRecording, withSampler } from './recording-flags.js';
import { isRecorded } from './recording-place.js';
import { loadRules } from './rule-files.js';
import { adviseRun } from './run-again.js';
import { recordLoad, recordLoop, type Recorded, type RunFlags as Wanted } from './run-recording.js';
import { runZeroX } from './run-0x.js';
import { runProgram, type RunningProgram } from './run-program.js';
import { passSignals, type PassedSignals } from './run-signals.js';
import { fastEnough } from './sampling-rate.js';
import { loadSource } from './source.js';

interface RunFlags extends Wanted {
  readonly json?: string;
  readonly tables?: true;
  readonly '0x'?: true;
  readonly nsys?: true;
}

/** `profiler run -- CMD…`: starts a program and samples its loop, and nothing before or after. */
export function runCommand(io: Io): Command {
  const program = new Command('run')
    .description(
      "Start a program, sample it while its loop steps, and say where its physics thread's wall time goes.",
    )
    .usage('[options] -- COMMAND…')
    .argument('<command...>', 'the program and its arguments; no shell reads them')
    .passThroughOptions()
    .addOption(
      new Option(
        '--after <moment>',
        'begin SECONDS after the start, or when the output shows PATTERN',
      ).argParser(moment),
    )
    .addOption(
      new Option(
        '--until <moment>',
        'end SECONDS after the start, or when the output shows PATTERN',
      ).argParser(moment),
    )
    .addOption(
      new Option('--load', 'sample the start-up instead, up to the first step').conflicts([
        'after',
        'native',
      ]),
    )
    .addOption(
      new Option('--0x', 'have 0x start it (node …): all of the run, and the page of 0x').conflicts(
        ONLY_SAMPLED,
      ),
    )
    .addOption(
      new Option('--nsys', 'have NVIDIA nsys record it: what the GPU does, all of the run').conflicts([
        ...ONLY_SAMPLED,
        '0x',
        'thread',
        'backend',
      ]),
    )
    .option('-d, --duration <seconds>', 'at most this long (default: until stepping ends)', recordingSeconds)
    .option('-r, --rate <hz>', 'samples per second (default: as attach)', wholeFromOne)
    .option(
      '--tables',
      'look for tables in what it prints, through a pipe where it would have a terminal; what goes to a file is looked at anyway',
    );
  return withRecording(withSampler(program))
    .option('--json <file>', 'write one JSON object there instead of text to standard error', outputPath)
    .addHelpText(
      'after',
      `
Standard input, output and error are the program's; the answer comes on standard error once it has ended.
The exit code is the program's: 128 and the number of the signal that ended it, 127 where there is no such program.
${examples([
  ['profiler run -- python3 walk.py', 'the loop, without imports, model building and plots'],
  ['profiler run --json out.json -- python3 sim.py --seconds 20', 'for scripts'],
  ['profiler run --load -- python3 sim.py', 'what it does until the first step'],
  ['profiler run --nsys -- python3 -m replay --steps 1000', 'kernels, launches and NVTX ranges of a GPU'],
  ["profiler run --after 'Go!' --until 60 -- ./sim.sh", 'from a line of its output to its 60th second'],
])}`,
    )
    .action((command: readonly string[], flags: RunFlags) => run(io, command, flags).finally(leaveSoon));
}

/** What 0x knows nothing of. */
const ONLY_SAMPLED = ['after', 'until', 'load', 'native', 'duration', 'rate', 'pySpy', 'tables', 'log'];

/** The sampler that a flag asks for, as far as it is known before there is a target. */
const ASKED = {
  auto: 'py-spy',
  cpython: 'cpython',
  'py-spy': 'py-spy',
  'py-spy+perf': 'py-spy',
  perf: 'perf',
  node: 'node',
  '0x': 'node',
} as const satisfies Record<BackendFlag, Sampler['id']>;

async function run(io: Io, command: readonly string[], flags: RunFlags): Promise<void> {
  const json = flags.json === undefined ? undefined : claimFile(resolve(io.cwd, flags.json));
  try {
    await runAndTell(io, command, flags, json);
  } catch (error) {
    if (error instanceof ProfilerError) await json?.(errorJson(error.finding));
    throw error;
  }
}

type WriteJson = (text: string) => Promise<void>;

/** The file of `--json`, made before anything is started. Throws ProfilerError `json-not-writable`. */
function claimFile(path: string): WriteJson {
  const refused = (error: unknown): ProfilerError =>
    new ProfilerError({
      id: 'json-not-writable',
      what: `${path} could not be written (${errorReason(error)}).`,
      why: 'Its folder is missing, full or closed to you, or it is a folder itself.',
      fix: 'profiler run --json FILE -- …',
    });
  try {
    writeFileSync(path, '');
  } catch (error) {
    throw refused(error);
  }
  return (text) =>
    writeFile(path, text).catch((error: unknown) => {
      throw refused(error);
    });
}

async function runAndTell(
  io: Io,
  command: readonly string[],
  flags: RunFlags,
  json: WriteJson | undefined,
): Promise<void> {
  if (flags.nsys === true) return runByNsys(io, command, flags, json);
  fastEnough({ id: ASKED[flags.backend] }, flags.rate);
  const ruleSet = await loadRules(io, flags.rules);
  if (flags['0x'] === true) return runByZeroX(io, command, flags, ruleSet, json);
  const pyspy = await samplerOf(io, flags);
  const realtime = await probeRealtime();
  await withClaim(io, flags, async (signals) => {
    const log = flags.log === undefined ? undefined : logOf(io, flags.log);
    const { recorded, end, failure, written } = await recordProgram(io, command, flags, {
      ruleSet,
      pyspy,
      realtime,
      signals,
    });
    if (failure !== undefined) await tellFailure(io, failure, json);
    else if (recorded !== undefined)
      await keepPrinted(recorded.folder, log === undefined ? written : [...written, log])
        .then((findings) => printAnswer(io, command, flags, recorded, ruleSet, json, end, findings))
        .catch(async (error: unknown) => {
          if (!(error instanceof ProfilerError)) throw error;
          io.err(errorText(error.finding, io.errStyle.color));
          await tellFailure(io, error, json);
        });
    if (end.code !== 0) io.setExitCode(end.code);
    return recorded !== undefined;
  });
}

/** Runs the program under 0x, and answers from what that left. */
async function runByZeroX(
  io: Io,
  command: readonly string[],
  flags: RunFlags,
  ruleSet: RuleSet,
  json: WriteJson | undefined,
): Promise<void> {
  await withClaim(io, flags, async (signals) => {
    const { end, ...recorded } = await runZeroX(io, command, flags, signals);
    await printAnswer(io, command, flags, recorded, ruleSet, json, end);
    if (end.code !== 0) io.setExitCode(end.code);
    return true;
  });
}

/** Runs the program under nsys, and answers from its report. */
async function runByNsys(
  io: Io,
  command: readonly string[],
  flags: RunFlags,
  json: WriteJson | undefined,
): Promise<void> {
  let ended: ProgramEnd | undefined;
  try {
    await withClaim(io, flags, async (signals) => {
      const { runNsys } = await import('./run-nsys.js');
      const { run: found, recorded } = await runNsys(io, command, flags, signals, (end) => {
        ended = end;
      });
      if (json === undefined) io.err(nsysRunText(found, io.errStyle));
      else await json(nsysRunJson(found));
      const doubtful = nsysFindings(found).some(({ level }) => level === 'warning');
      if (flags.strict === true && doubtful) io.setExitCode(EXIT_NOT_TRUSTED);
      return recorded;
    });
  } catch (error) {
    if (ended === undefined || ended.code === 0 || !(error instanceof ProfilerError)) throw error;
    io.err(errorText(error.finding, io.errStyle.color));
    await tellFailure(io, error, json);
  }
  // Of a program that failed that is what matters.
  if (ended !== undefined && ended.code !== 0) io.setExitCode(ended.code);
}

/** Does `work` with the folder claimed and signals passed on. Where it fails, or says that nothing was recorded, the folder is given up. */
async function withClaim(
  io: Io,
  { output }: Pick<RunFlags, 'output'>,
  work: (signals: PassedSignals) => Promise<boolean>,
): Promise<void> {
  const giveUp = output === undefined ? undefined : claimFolder(resolve(io.cwd, output));
  const signals = passSignals();
  try {
    if (!(await work(signals))) giveUp?.();
  } catch (error) {
    giveUp?.();
    throw error;
  } finally {
    signals.stop();
  }
}

/** The words were said when it happened. */
async function tellFailure(
  io: Io,
  { finding, exitCode }: ProfilerError,
  json: WriteJson | undefined,
): Promise<void> {
  io.setExitCode(exitCode);
  // A file that cannot be written was told already, or will not be missed.
  await json?.(errorJson(finding)).catch(() => undefined);
}

/** Finds py-spy once. One that the user named is looked at before the program is started. */
async function samplerOf(io: Io, { pySpy, backend }: RunFlags): Promise<Means['pyspy']> {
  const explicit = pySpy === undefined ? {} : { explicit: pySpy };
  let found: Promise<PySpy> | undefined;
  const isNamed = (pySpy ?? io.env['PROFILER_PY_SPY'] ?? '') !== '';
  if (isNamed) await (found = findPySpy({ env: io.env, ...explicit }));
  return async (target) => {
    found ??= findPySpy({ env: io.env, target, ...explicit });
    // perf and our own sampler do without; it is only harder to tell when the loop begins.
    const path = found.then((one) => one.path);
    return backend === 'perf' || backend === 'cpython' ? path.catch(() => undefined) : path;
  };
}

interface Means {
  readonly ruleSet: RuleSet;
  readonly realtime: Realtime;
  /** Path of the py-spy for a process; throws as `findPySpy`. */
  readonly pyspy: (target: Target) => Promise<string | undefined>;
  readonly signals: PassedSignals;
}

interface Outcome {
  readonly end: ProgramEnd;
  /** Undefined where a signal came before there was anything to record, and where recording failed. */
  readonly recorded: Recorded | undefined;
  readonly failure: ProfilerError | undefined;
  readonly written: RunningProgram['written'];
}

/** Runs the program to its end. What went wrong with its recording is told at once; it goes on without. */
async function recordProgram(
  io: Io,
  command: readonly string[],
  flags: RunFlags,
  means: Means,
): Promise<Outcome> {
  const moments = [flags.after, flags.until].filter((one) => one !== undefined);
  const running = await runProgram(io, command, moments, flags.tables === true);
  const { written } = running;
  means.signals.to(running.program);
  let recorded: Recorded | undefined;
  let failure: unknown;
  try {
    recorded = await (flags.load === true ? recordLoad : recordLoop)(io, {
      command,
      flags,
      running,
      ...means,
    });
  } catch (error) {
    failure = error;
    if (error instanceof ProfilerError) io.err(errorText(error.finding, io.errStyle.color));
  }
  if ((recorded ?? failure) !== undefined && running.program.end() === undefined)
    io.err('profiler: the program goes on by itself.\n');
  const end = await running.program.ended;
  await running.passedOn;
  if (failure !== undefined && !(failure instanceof ProfilerError)) throw failure;
  if (recorded !== undefined || failure !== undefined) return { end, recorded, failure, written };
  const nothing = interrupted();
  io.err(errorText(nothing.finding, io.errStyle.color));
  return { end, recorded, failure: nothing, written };
}

async function printAnswer(
  io: Io,
  command: readonly string[],
  flags: RunFlags,
  { folder }: Recorded,
  ruleSet: RuleSet,
  json: WriteJson | undefined,
  end: ProgramEnd,
  more: readonly Finding[] = [],
): Promise<void> {
  if (flags.output !== undefined && isRecorded(folder)) await rememberRecording(io.cwd, folder);
  const loaded = await loadSource(io, folder, undefined, ruleSet);
  const told = answer(loaded, { ruleSet, ...(flags.thread === undefined ? {} : { thread: flags.thread }) });
  const findings = [
    ...told.findings.map((one) => adviseRun(one, command, flags.load === true)),
    ...more,
    ...(await printedFindings(loaded)),
  ];
  const found = { ...told, findings };
  if (json === undefined) io.err(breakdownText(found, io.errStyle));
  else await json(breakdownJson(found));
  const doubtful = found.findings.some(({ level }) => level === 'warning');
  if (flags.strict === true && doubtful && end.code === 0) io.setExitCode(EXIT_NOT_TRUSTED);
}
