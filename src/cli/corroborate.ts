import { ProfilerError } from '../model/index.js';
import type { Recording } from '../recording/index.js';
import {
  type Corroborated,
  type CorroborationAnswer,
  type Difference,
  type RecordedRun,
  type SampledThread,
  cleanText,
  corroborate,
  corroborationJson,
  corroborationText,
  grouped,
  isInstalled,
  poolSamples,
} from '../report/index.js';
import { type Claim, type RuleSet, UNCLAIMED, classifyProfile } from '../rules/index.js';
import { type CostTable, LAG, phaseOfRow } from '../simulator/index.js';
import { NATIVE_STOP_MS, answer } from './answer.js';
import type { Io } from './io.js';
import { loadRules } from './rule-files.js';
import { type Loaded, loadSource } from './source.js';
import { recordedS } from './window.js';

export interface CorroborateFlags {
  /** Recording, by folder or label. */
  readonly corroborate: string;
  readonly stepRate?: number;
  readonly timestep?: number;
  readonly json?: true;
}

/**
 * `profiler tables FILE --corroborate RECORDING`: prints what of the tables the recording's samples bear out.
 * @throws ProfilerError `not-a-recording` for a bare file, `other-run` where both are not of one run, `nothing-to-corroborate`.
 */
export async function corroborateTables(
  io: Io,
  source: string,
  tables: readonly CostTable[],
  flags: CorroborateFlags,
): Promise<void> {
  const { corroborate: wanted } = flags;
  const ruleSet = await loadRules(io, undefined);
  const loaded = await loadSource(io, wanted, undefined, ruleSet);
  const result = corroborationOf(loaded, ruleSet, tables, flags);
  if (result === undefined) throw bareFile(wanted);
  if ('differences' in result) throw otherRun(source, wanted, result.differences);
  if (result.answer.lines.length === 0) throw nothingToCompare(source);
  const found: CorroborationAnswer = { ...result.answer, source, recording: loaded.source };
  await io.out(flags.json === true ? corroborationJson(found) : corroborationText(found, io.style));
}

/** Holds tables against a recording that was read. Undefined where it was a bare file. */
export function corroborationOf(
  loaded: Loaded,
  ruleSet: RuleSet,
  tables: readonly CostTable[],
  { stepRate, timestep }: Pick<CorroborateFlags, 'stepRate' | 'timestep'>,
): Corroborated | undefined {
  const { recording, profile } = loaded;
  if (recording === undefined) return undefined;
  const claims = classifyProfile(ruleSet, profile);
  const claimOf = (stack: number): Claim => claims[stack] ?? UNCLAIMED;
  const breakdown = answer(loaded, { ruleSet, claims });
  const pooled = grouped(poolSamples(profile, {}, claimOf), ({ thread }) => thread);
  const threads = breakdown.threads.flatMap((thread): readonly SampledThread[] => {
    const own = pooled.get(thread.index);
    return own === undefined ? [] : [{ answer: thread, pooled: own }];
  });
  const wallS = recordedS(recording);
  return corroborate({
    tables,
    sampled: {
      profile,
      claimOf,
      threads,
      physicsKnown: breakdown.physicsKnown,
      wallS,
      isLoad: recording.phase === 'load',
      stopped: stoppedPart(recording, threads[0], wallS),
      ...countedSteps(recording),
      installed: installedFiles(recording),
      command: recording.target.command,
    },
    recorded: recordedRun(recording, threads, wallS),
    words: { phaseOfRow, lag: LAG },
    ...(stepRate === undefined ? {} : { stepRateHz: stepRate }),
    ...(timestep === undefined ? {} : { timestepS: timestep }),
  });
}

/** Of the time that was sampled, by the probe on its steps. */
function countedSteps({ steps }: Recording): { readonly stepsPerS?: number } {
  const during = steps?.phases.find(({ phase }) => phase === 'during');
  if (during?.steps === undefined) return {};
  const seconds = Number(BigInt(during.endNs) - BigInt(during.startNs)) / 1e9;
  return seconds > 0 ? { stepsPerS: during.steps / seconds } : {};
}

/** As frames name them, which are cut at their package. */
function installedFiles({ sources }: Recording): ReadonlySet<string> {
  return new Set(Object.entries(sources).flatMap(([path, { short }]) => (isInstalled(path) ? [short] : [])));
}

/** Part of the window for which py-spy held the process to read native stacks: once for each of its looks. */
function stoppedPart(
  { native, backend }: Recording,
  thread: SampledThread | undefined,
  wallS: number,
): number {
  if (!native || backend !== 'py-spy' || thread === undefined || !(wallS > 0)) return 0;
  const samples = thread.pooled.reduce((sum, { weight }) => sum + weight, 0);
  return Math.min(1, (samples * NATIVE_STOP_MS) / 1e3 / wallS);
}

/** What a recording says of its run. */
function recordedRun(
  { target, machine }: Recording,
  threads: readonly SampledThread[],
  wallS: number,
): RecordedRun {
  return {
    pid: target.pid,
    ...(target.nsPid === undefined ? {} : { nsPid: target.nsPid }),
    kernel: machine.kernel,
    ...(target.runtime === 'python' && target.runtimeVersion !== undefined
      ? { python: target.runtimeVersion }
      : {}),
    mujoco: threads.flatMap(({ answer: { phases = [] } }) =>
      phases.flatMap(({ program, version }) =>
        program === 'MuJoCo' && version !== undefined ? [version] : [],
      ),
    ),
    wallS,
  };
}

function bareFile(wanted: string): ProfilerError {
  return new ProfilerError({
    id: 'not-a-recording',
    what: `${cleanText(wanted)} is a profile file, no recording.`,
    why: 'Only a recording knows how much time its samples stand for, and of which run it is.',
    fix: 'profiler recordings list',
  });
}

function otherRun(source: string, wanted: string, differ: readonly Difference[]): ProfilerError {
  return new ProfilerError({
    id: 'other-run',
    what: `${source === '-' ? 'Standard input' : cleanText(source)} and ${cleanText(wanted)} are not of the same run.`,
    list: differ.map(({ field, table, recording }) =>
      cleanText(`${field}: the log says ${table}, the recording ${recording}`),
    ),
    why: 'Figures of two runs say nothing about each other, however close they are.',
    fix: 'profiler recordings list',
  });
}

function nothingToCompare(source: string): ProfilerError {
  return new ProfilerError({
    id: 'nothing-to-corroborate',
    what: `${source === '-' ? 'Standard input' : cleanText(source)} holds no table that samples could bear out.`,
    why: 'These are hooks and start-up of roqsim, timers of MuJoCo, the throughput of FlyGym, and the lag of raccoon.',
    fix: 'profiler tables FILE  (what it holds)',
  });
}
