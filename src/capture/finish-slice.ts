import { readFileSync } from 'node:fs';
import type { ThreadAccounting, ThreadStates } from '../model/index.js';
import type { NativeSlice, PerfWindow } from '../recording/index.js';
import { pthreadTids, sameProcess, threads } from '../target/index.js';
import { perf as perfBackend } from './backends/index.js';
import { readThrottling } from './cpu-quota.js';
import { namedInSamples, samplerOf, statesOf } from './cpython-slice.js';
import { BESIDE_HZ } from './exact-rate.js';
import { blockedShare } from './loop-rates.js';
import { machineCpuBetween } from './machine-cpu.js';
import { readNodeSlice } from './node-slice.js';
import { shouldFollow } from './rate.js';
import type { RatedRequest } from './request.js';
import { saveRecording } from './recording-folder.js';
import { resolvePerf, type ResolvedPerf } from './resolve-perf.js';
import type { SampledSlice } from './sampled-slice.js';
import type { SamplerRun } from './sampler-run.js';
import { noteReplaced, recordingOf, type Session } from './session.js';
import { accountSlice } from './slice-accounting.js';
import { fetchSources, type HotLines, hotLines, readSources } from './source-text.js';
import {
  mapThreadIds,
  mergeThreadIds,
  type PrintedThreads,
  printedThreads,
  type ThreadIdMap,
  threadNames,
} from './thread-ids.js';
import type { Snapshot } from './thread-readings.js';

/** Looks a second that the state sampler takes. Only ratios are made of them: 5000 in 20 s are enough, and twice as many cost a paced loop 1 % of its steps. */
export function stateRateHz(blocked: number | undefined): number {
  if (blocked === undefined || blocked >= 0.1) return 250;
  return blocked < 0.01 ? 0 : 100;
}

/** Tells what runs beside the sampler how to go on, by what the kernel said of the last seconds. */
export function commandHelpers(session: Session, snapshots: readonly Snapshot[]): void {
  session.following = shouldFollow(snapshots, session.primary);
  session.watch?.command({
    rateHz: stateRateHz(blockedShare(snapshots, session.primary)),
    primary: [session.primary],
    ...(session.gil === undefined ? {} : { gil: session.gil }),
  });
}

/** Kernel accounting with the names that the sampler gave and the states that were seen. */
async function accountingOf(
  session: Session,
  slice: SampledSlice,
  names: ReadonlyMap<number, string>,
): Promise<readonly ThreadAccounting[]> {
  const states =
    slice.run.threads === undefined
      ? await session.watch?.between(slice.startNs, slice.run.endNs)
      : ownStates(slice.run.threads, session.threadIds);
  return accountSlice(slice.snapshots).map((row) => {
    const name = names.get(row.tid) ?? row.name;
    const seen = states?.get(row.tid);
    return {
      ...row,
      ...(name === undefined ? {} : { name }),
      ...(seen === undefined ? {} : { states: seen }),
    };
  });
}

/** Those of a sampler that sees the states itself. */
function ownStates(
  seen: NonNullable<SamplerRun['threads']>,
  { ids }: ThreadIdMap,
): ReadonlyMap<number, ThreadStates> {
  return new Map(Object.entries(seen).map(([tid, counts]) => [ids[tid] ?? Number(tid), statesOf(counts)]));
}

function readRaw(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** What the samples name, in whatever format they are. */
function namedIn(
  session: Session,
  raw: string,
): { readonly printed: PrintedThreads; readonly hot: HotLines } {
  if (session.request.cpython !== true) return { printed: printedThreads(raw), hot: hotLines(raw) };
  const { tids, names, hot } = namedInSamples(raw);
  return { printed: new Map([...tids].map((tid) => [String(tid), names.get(tid)])), hot };
}

/** Learns thread ids and source lines from the samples, while the target lives. Returns the names of its threads. */
async function learnFromSamples(session: Session, raw: string): Promise<ReadonlyMap<number, string>> {
  const { target, route, cpython } = session.request;
  const { printed, hot } = namedIn(session, raw);
  const lives = target.elsewhere === undefined && sameProcess(target) && !noteReplaced(session);
  // Our own sampler knows the numbers of this machine, unless it is in a container. Of a target elsewhere nobody has others than it prints.
  if (target.elsewhere === undefined && (cpython !== true || route.id === 'sidecar')) {
    const living = lives ? threads(target) : [];
    const mapped = mapThreadIds(printed, target, living, (addresses) => pthreadTids(target, addresses));
    session.threadIds = mergeThreadIds(session.threadIds, mapped);
  }
  if (lives) session.sources = readSources(target.pid, hot, session.sources);
  if (route.fetch !== undefined) session.sources = await fetchSources(route.fetch, hot, session.sources);
  return threadNames(printed, session.threadIds);
}

function samplesOf(resolved: ResolvedPerf | undefined, run: SamplerRun): { readonly samples?: number } {
  const samples = resolved?.samples ?? run.samples;
  return samples === undefined ? {} : { samples };
}

/** Seconds without a step after which the loop is over: an episode that begins anew takes less. */
const RESTING_S = 3;

/** Seconds that the newest slices went without a step, one after the other. */
function restingS({ slices, verdicts }: Session): number {
  const first = verdicts.findLastIndex((verdict) => verdict !== 'rests') + 1;
  return slices
    .slice(first)
    .reduce((sum, { startNs, endNs }) => sum + Number(BigInt(endNs) - BigInt(startNs)) / 1e9, 0);
}

/** Asks whether the newest slice shows the loop, and ends the recording where that is over. */
async function judgeSlice(session: Session): Promise<void> {
  const { judge, slices, verdicts, enough } = session;
  if (judge === undefined) return;
  verdicts.push(await judge(recordingOf(session, slices.slice(-1))));
  if (restingS(session) >= RESTING_S) enough.abort();
}

function windowOf({ startNs, run }: SampledSlice, rateHz: number): PerfWindow {
  return { rateHz, startNs: Number(startNs), endNs: Number(run.endNs) };
}

/** A slice of perf, printed. Undefined for one of another sampler. */
async function resolve(
  { perf, folder, rateHz }: RatedRequest,
  slice: SampledSlice,
): Promise<ResolvedPerf | undefined> {
  if (perf === undefined) return undefined;
  return resolvePerf(perf.script, folder, slice.planned.file, windowOf(slice, rateHz));
}

/** What perf took beside the sampler, printed. */
async function nativeOf(session: Session, slice: SampledSlice): Promise<NativeSlice | undefined> {
  const { folder, beside } = session.request;
  if (beside === undefined || slice.beside === undefined) return undefined;
  const resolved = await resolvePerf(beside.script, folder, slice.beside.file, windowOf(slice, BESIDE_HZ));
  session.perf.push(resolved);
  return {
    file: resolved.file,
    format: perfBackend.format,
    rateHz: BESIDE_HZ,
    wall: beside.mode.switches !== 'none',
  };
}

/** Makes a slice whose samples are on disk part of the recording: accounting, source lines, thread ids, manifest. */
export async function finishSlice(session: Session, slice: SampledSlice): Promise<void> {
  const { planned, run, startNs } = slice;
  const { folder, target } = session.request;
  const resolved = await resolve(session.request, slice);
  const file = resolved?.file ?? planned.file;
  const native = await nativeOf(session, slice);
  if (resolved !== undefined) session.perf.push(resolved);
  const seconds = Number(run.endNs - startNs) / 1e9;
  const node = readNodeSlice(session.request, planned.file, seconds);
  if (node !== undefined) session.node.push(node);
  // What V8 writes is no text of lines; its threads come apart.
  const raw = node === undefined ? readRaw(`${folder}/${file}`) : '';
  const names = await learnFromSamples(session, raw);
  const machineCpu = machineCpuBetween(slice.snapshots);
  session.slices.push({
    file,
    format: session.backend.format,
    startNs: String(startNs),
    endNs: String(run.endNs),
    ...samplesOf(resolved, run),
    ...(run.errors === undefined ? {} : { errors: run.errors }),
    ...(run.behindS === undefined ? {} : { behindS: run.behindS }),
    exit: run.exit,
    ...(node === undefined ? {} : { threads: node.threads }),
    ...(native === undefined ? {} : { native }),
    ...(run.facts === undefined ? {} : { sampler: samplerOf(run.facts) }),
    ...(machineCpu === undefined ? {} : { machineCpu }),
    accounting: await accountingOf(session, slice, names),
  });
  session.throttlingAfter = readThrottling(target.pid) ?? session.throttlingAfter;
  await judgeSlice(session);
  await saveRecording(folder, recordingOf(session));
}
