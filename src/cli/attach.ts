import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import {
  type CaptureEvent,
  type CaptureRequest,
  claimFolder,
  dryRun,
  type PlannedRoute,
  record,
} from '../capture/index.js';
import { type Finding, ProfilerError } from '../model/index.js';
import { rememberRecording } from '../recording/index.js';
import type { Recording } from '../recording/index.js';
import { breakdownJson, breakdownText, cleanText } from '../report/index.js';
import { parseThreadSelector } from '../rules/index.js';
import { planRoute, probeRealtime, probeTrace, sameProcess, type ZeroX } from '../target/index.js';
import { answer } from './answer.js';
import { byOverride, overrideOf } from './attach-override.js';
import { byRoute, routeVia, sayNothingRecorded, type Via, VIAS } from './attach-route.js';
import {
  chooseSampler,
  foundBy,
  plannedBeside,
  plannedNode,
  plannedOwn,
  plannedPerf,
  withBeside,
} from './attach-sampler.js';
import { contextOf, ended, type Ready as SearchReady, searchOf } from './attach-search.js';
import { captureProgress } from './capture-progress.js';
import { examples, recordingSeconds, wholeFromOne } from './flags.js';
import { type FoundTarget, resolveTarget, type TargetFlags, withTarget } from './target-flags.js';
import { keepPrinted, mustBeLog, namedLog, printedFindings } from './keep-printed.js';
import { EXIT_INTERRUPTED, type Interruption, leaveSoon } from './interrupt.js';
import type { Io } from './io.js';
import { planJson, planText } from './plan-text.js';
import { EXIT_NOT_TRUSTED, type RecordingFlags, withRecording, withSampler } from './recording-flags.js';
import { folderFor, isRecorded, leftOfRecording, nameOf, removeUnrecorded } from './recording-place.js';
import { loadRules } from './rule-files.js';
import { fastEnough } from './sampling-rate.js';
import { loadSource } from './source.js';
import { namedThread } from './named-thread.js';
import { planText as overrideText } from './override-text.js';
import { timedGilFindings } from './timed-gil.js';
import { plannedGil, withGil } from './with-gil.js';
import { plannedSteps, withSteps } from './with-steps.js';
import { addZeroXPage } from './zero-x-page.js';

interface AttachFlags extends TargetFlags, RecordingFlags {
  readonly via: Via;
  readonly yes?: true;
  readonly duration: number;
  readonly baseline: boolean;
  readonly steps: boolean;
  readonly exactGil?: true;
  readonly json?: true;
}

const DEFAULT_DURATION_S = 20;
/** Short enough that a dying target takes little with it, long enough that start-ups (0.03 s) do not matter. */
const SLICE_S = 4;
/** More slices make the manifest, which is written after each, long; a day has longer slices instead. */
const MOST_SLICES = 1000;
const BASELINE_S = 3;

/** `profiler attach`: samples a running process and says where its physics thread's wall time goes. */
export function attachCommand(io: Io): Command {
  const target = withTarget(
    new Command('attach').description(
      "Sample a running simulation and say where its physics thread's wall time goes.",
    ),
  );
  const sampler = withSampler(target)
    .option('-d, --duration <seconds>', 'seconds to sample', recordingSeconds, DEFAULT_DURATION_S)
    .option(
      '-r, --rate <hz>',
      'samples per second (default: cpython: 500; py-spy: 250, or 125 for a loop that never sleeps; perf: 499; node: 3984)',
      wholeFromOne,
    )
    .addOption(
      new Option('--via <route>', 'how the sampler gets beside a target in a container')
        .choices(VIAS)
        .default('auto'),
    )
    .option('--yes', 'with --via override: do not ask before the service is made anew')
    .option('--no-baseline', 'do not measure the loop before and after')
    .option('--no-steps', 'put no probe on the simulation step: no real-time factor, no shares by step')
    .option('--exact-gil', 'have the kernel time each wait for the GIL too, and hold the samples against it');
  return withRecording(sampler)
    .addOption(new Option('--dry-run', 'print the plan and touch nothing').conflicts('strict'))
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      examples([
        ['profiler attach --pid 4711', '20 s of a running simulation'],
        ['profiler attach --match run_bridge -d 60', 'found by its command line, for a minute'],
        ['profiler attach --container sim', 'in a running container, without restarting it'],
        ['profiler attach --compose compose.yaml --service bridge', 'a service of a compose project'],
        ['profiler attach --pid 4711 --dry-run', 'what would be run'],
        ['profiler attach --pid 4711 --json --strict', 'for scripts'],
      ]),
    )
    .action((flags: AttachFlags) => attach(io, flags).finally(leaveSoon));
}

async function attach(io: Io, flags: AttachFlags): Promise<void> {
  // A broken pattern is told before anything is started, like a wrong folder.
  if (flags.thread !== undefined) parseThreadSelector(flags.thread);
  const ruleSet = await loadRules(io, flags.rules);
  if (flags.log !== undefined) await mustBeLog(io, flags.log);
  // A wrong folder is told before anything is started.
  const giveUp =
    flags.output === undefined || flags.dryRun === true
      ? undefined
      : claimFolder(resolve(io.cwd, flags.output));
  const done = await recordTarget(io, flags).catch((error: unknown) => {
    giveUp?.();
    throw error;
  });
  if (done === undefined) return giveUp?.();
  const { folder } = done;
  if (flags.output !== undefined && isRecorded(folder)) await rememberRecording(io.cwd, folder);
  const log = flags.log === undefined || !isRecorded(folder) ? [] : [namedLog(io, flags.log)];
  await printAnswer(io, flags, done, ruleSet, await keepPrinted(folder, log));
}

/** A recording of what the flags name, by the way they say. Undefined where there is none to show: a dry run, or a no. */
async function recordTarget(io: Io, flags: AttachFlags): Promise<Recorded | undefined> {
  if (flags.via !== 'override') return sample(io, flags, await resolveTarget(io, flags));
  if (flags.dryRun === true) {
    const { plan } = await overrideOf(io, flags);
    if (flags.json !== true) await io.out(overrideText(plan, io.style));
    return sample(io, flags, await resolveTarget(io, flags));
  }
  return byOverride(io, flags, (found, came) => sample(io, flags, found, came));
}

interface Recorded {
  readonly folder: string;
  readonly recording: Recording;
  /** What draws it besides. */
  readonly zeroX?: ZeroX;
}

/** A signal that came before (`came`) ends it before it begins. */
async function sample(
  io: Io,
  flags: AttachFlags,
  found: FoundTarget,
  came?: AbortSignal,
): Promise<Recorded | undefined> {
  const realtime = await probeRealtime();
  const sampler = await chooseSampler(io, flags, { found, realtime, touch: flags.dryRun !== true });
  fastEnough(sampler, flags.rate);
  const ready = {
    flags,
    found,
    sampler,
    realtime,
  };
  if (flags.dryRun === true) {
    await printPlan(io, ready);
    return undefined;
  }
  const search = searchOf(io, ready);
  const done = await byRoute(io, { ...search, ...(came && { came }) }, async (route, interruption) => {
    if (!sameProcess(found.target)) throw ended(found.target);
    const folder = await folderFor(io, flags, found);
    try {
      const request = { ...requestOf(ready), ...foundBy(ready.sampler), route, folder };
      const recording = await withBeside(ready.sampler, search, (beside) =>
        withSteps(search, flags.steps, (steps) =>
          withGil(search, flags.exactGil === true, (gil) =>
            recordInto(io, { ...request, ...beside, ...steps, ...gil }, interruption),
          ),
        ),
      );
      return { folder, recording, ...(sampler.zeroX && { zeroX: sampler.zeroX }) };
    } finally {
      if (flags.output === undefined) await removeUnrecorded(folder);
    }
  });
  if (done === undefined) await sayNothingRecorded(io, flags.json === true);
  return done;
}

/** All that is known before a way to the target is looked for. */
interface Ready extends SearchReady {
  readonly flags: AttachFlags;
}

/** The way that would be taken, untried. */
function plannedRoute(
  { sampler, flags, realtime }: Ready,
  context: ReturnType<typeof contextOf>,
): PlannedRoute {
  if (sampler.id === 'cpython') return plannedOwn({ context, realtime, via: flags.via });
  if (sampler.id === 'perf') return plannedPerf(sampler, context);
  if (sampler.id === 'node') return plannedNode(sampler, context);
  return planRoute(context, routeVia(flags.via)).route;
}

function readsMemory({ id }: Ready['sampler']): boolean {
  return id === 'py-spy' || id === 'cpython';
}

async function printPlan(io: Io, ready: Ready): Promise<void> {
  const { flags, found, sampler } = ready;
  const folder = flags.output ?? `recordings/${nameOf(flags, found)}-TIME`;
  const context = contextOf(io, ready);
  const route = plannedRoute(ready, context);
  // Right beside its target nothing helps who may not read it, and to ask for that changes nothing.
  const refused = route.id === 'direct' && readsMemory(sampler) ? await probeTrace(found.target) : undefined;
  if (refused !== undefined) throw new ProfilerError(refused);
  const beside = plannedBeside(sampler, context);
  const planned = await dryRun({ ...requestOf(ready), ...foundBy(sampler), ...beside, route, folder });
  const plan = {
    ...planned,
    cost: `${planned.cost}${plannedSteps(found.target, flags.steps)}${plannedGil(found.target, flags.exactGil === true)}`,
  };
  await io.out(
    flags.json === true
      ? planJson(plan, found.target)
      : planText({ ...plan, folder }, found.target, io.style),
  );
}

async function recordInto(
  io: Io,
  request: CaptureRequest,
  { signal, phase }: Interruption,
): Promise<Recording> {
  const left = (): string => leftOfRecording(request.folder);
  // Before anything is sampled there is nothing to promise.
  phase('Stopping.', left);
  const progress = captureProgress(io, request);
  const onEvent = (event: CaptureEvent): void => {
    if (event.kind === 'progress') phase('Stopping; what was recorded is kept.', left);
    progress.onEvent(event);
  };
  try {
    const recording = await record(request, { signal, onEvent });
    progress.done(recording);
    return recording;
  } finally {
    progress.stop();
  }
}

async function printAnswer(
  io: Io,
  flags: AttachFlags,
  { folder, recording, zeroX }: Recorded,
  ruleSet: Awaited<ReturnType<typeof loadRules>>,
  more: readonly Finding[],
): Promise<void> {
  if (recording.ended === 'interrupted') io.setExitCode(EXIT_INTERRUPTED);
  if (recording.ended === 'interrupted' && recording.slices.every(({ samples }) => samples === 0)) {
    await sayNothingRecorded(io, flags.json === true);
    return;
  }
  const loaded = await loadSource(io, folder, undefined, ruleSet);
  let found: ReturnType<typeof answer>;
  try {
    found = answer(loaded, { ruleSet, ...(flags.thread === undefined ? {} : { thread: flags.thread }) });
  } catch (error) {
    // A name that only Python could know is looked for in what was recorded: its lack takes nothing away.
    if (flags.thread !== undefined) io.err(`The recording is kept in ${cleanText(loaded.source.path)}.\n`);
    throw error;
  }
  if (zeroX !== undefined)
    found = { ...found, findings: [...found.findings, await addZeroXPage(zeroX, folder, loaded)] };
  found = {
    ...found,
    findings: [
      ...found.findings,
      ...more,
      ...(await printedFindings(loaded)),
      ...(await timedGilFindings(loaded, found)),
    ],
  };
  await io.out(flags.json === true ? breakdownJson(found) : breakdownText(found, io.style));
  const doubtful = found.findings.some((finding: Finding) => finding.level === 'warning');
  if (flags.strict === true && doubtful && recording.ended !== 'interrupted')
    io.setExitCode(EXIT_NOT_TRUSTED);
}

function requestOf({ flags, found, sampler, realtime }: Ready): Omit<CaptureRequest, 'folder' | 'route'> {
  const { target } = found;
  const threadTid = flags.thread === undefined ? undefined : namedThread(target, flags.thread);
  return {
    target,
    realtime,
    sampler: { path: sampler.path, version: sampler.version },
    durationS: flags.duration,
    ...(flags.rate === undefined ? {} : { rateHz: flags.rate }),
    sliceS: Math.max(SLICE_S, Math.ceil(flags.duration / MOST_SLICES)),
    native: flags.native === true,
    // Whose loop cannot be watched has no baseline.
    baselineS: flags.baseline && target.elsewhere === undefined ? BASELINE_S : 0,
    ...(threadTid === undefined ? {} : { threadTid }),
    ...(flags.via === 'override' ? { overridden: true } : {}),
    ...(flags.label === undefined ? {} : { label: flags.label }),
  };
}
