import { writeFileSync } from 'node:fs';
import { connectInspector, type InspectorAddress, type InspectorSession } from './connect.js';
import type { Fields } from './json.js';
import { type LoopFigures, watchLoop } from './loop-watch.js';
import { beginTelemetry, endTelemetry, type TelemetryBegin } from './telemetry.js';
import { startProfile, stopProfile, threadNumber } from './thread-profile.js';
import { type Worker, workerSessions } from './workers.js';

export interface RecordRequest {
  readonly address: InspectorAddress;
  /** Microseconds between two samples. */
  readonly intervalUs: number;
  /** `…/000.cpuprofile`; the profiles of workers go beside it, and what is known of them all into `…/000.json`. */
  readonly output: string;
  readonly seconds: number;
}

/** One thread whose profile was written. */
export interface ProfiledThread {
  /** Name of the file, without its folder. */
  readonly file: string;
  readonly samples: number;
  /** In the target's own pid namespace. */
  readonly tid?: number;
  /** As Node calls a worker; absent for the main thread. */
  readonly name?: string;
  /** When its profile began, microseconds of CLOCK_MONOTONIC. */
  readonly startUs?: number;
  /** Name of the file with what its own telemetry said, where it has one. */
  readonly telemetry?: string;
}

/** What a slice holds beside its profiles. */
export interface NodeSliceFacts {
  readonly threads: readonly ProfiledThread[];
  /** Workers that were there and gave no profile. */
  readonly silentWorkers: number;
  readonly loop?: LoopFigures;
}

interface ProfiledWorker {
  readonly worker: Worker;
  readonly tid: number | undefined;
  readonly telemetry: TelemetryBegin;
}

/** Says what it does in lines that `backends/node.ts` of the capture reads. */
export type Say = (line: string) => void;

/** Samples a target until it is asked to stop, its time is up, or it ends. Rejects where nothing was written. */
export async function recordProfile(
  { address, intervalUs, output, seconds }: RecordRequest,
  asked: Promise<void>,
  say: Say,
): Promise<void> {
  const found: Promise<ProfiledWorker | undefined>[] = [];
  const workers = workerSessions((worker) => {
    found.push(
      startWorker(worker, intervalUs, seconds).catch((): undefined => {
        // One that is blocked, or ends at once, is counted as silent.
      }),
    );
  });
  const session = await connectInspector(address, workers.onEvent);
  try {
    const tid = await threadNumber(session);
    const loop = await watchLoop(session, seconds * 2000 + 10_000);
    await workers.enable(session);
    await Promise.all(found);
    const telemetry = await beginTelemetry(session, seconds);
    const startedMs = performance.now();
    await startProfile(session, intervalUs);
    say('Sampling.');
    let timer: NodeJS.Timeout | undefined;
    const up = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, seconds * 1000);
    });
    const end = await Promise.race([
      asked.then(() => 'asked' as const),
      up.then(() => 'asked' as const),
      session.closed.then(() => 'target-ended' as const),
    ]);
    clearTimeout(timer);
    say(`Stopped: ${end}.`);
    if (end === 'target-ended') throw new Error('the target hung up');
    const spentS = (performance.now() - startedMs) / 1000;
    await write(session, { output, tid, found, telemetry, spentS, loop: await loop?.stop() }, say);
  } finally {
    session.close();
  }
}

async function startWorker(worker: Worker, intervalUs: number, seconds: number): Promise<ProfiledWorker> {
  // Together: a worker that is blocked answers neither, and all others wait for it.
  const [tid, telemetry] = await Promise.all([threadNumber(worker), beginTelemetry(worker, seconds)]);
  await startProfile(worker, intervalUs);
  return { worker, tid, telemetry };
}

interface Written {
  readonly output: string;
  readonly tid: number | undefined;
  readonly found: readonly Promise<ProfiledWorker | undefined>[];
  readonly telemetry: TelemetryBegin;
  /** How long it was sampled. */
  readonly spentS: number;
  readonly loop: LoopFigures | undefined;
}

async function write(
  session: InspectorSession,
  { output, tid, found, telemetry, spentS, loop }: Written,
  say: Say,
): Promise<void> {
  const base = output.replace(/\.cpuprofile$/, '');
  const save = (
    profile: Fields,
    suffix: string,
    rest: Pick<ProfiledThread, 'tid' | 'name'>,
  ): ProfiledThread => {
    const path = `${base}${suffix}.cpuprofile`;
    writeFileSync(path, JSON.stringify(profile), { mode: 0o600 });
    const { samples, startTime } = profile;
    return {
      file: nameOf(path),
      samples: Array.isArray(samples) ? samples.length : 0,
      ...rest,
      ...(Number.isSafeInteger(startTime) ? { startUs: Number(startTime) } : {}),
    };
  };
  /** Asked for when the profile is on disk. */
  const told = async (
    thread: Pick<InspectorSession, 'call'>,
    begin: TelemetryBegin,
    suffix: string,
  ): Promise<Pick<ProfiledThread, 'telemetry'>> => {
    const texts = await endTelemetry(thread, begin, spentS);
    if (texts === undefined) return {};
    const path = `${base}${suffix}.telemetry.json`;
    writeFileSync(path, JSON.stringify(texts), { mode: 0o600 });
    return { telemetry: nameOf(path) };
  };
  const saved = save(await stopProfile(session), '', tid === undefined ? {} : { tid });
  const main = { ...saved, ...(await told(session, telemetry, '')) };
  const threads: ProfiledThread[] = [main];
  let silentWorkers = 0;
  const all = await Promise.all(found);
  for (const [index, one] of all.entries()) {
    try {
      if (one === undefined) throw new Error('it did not answer');
      const name = one.worker.title;
      const profile = await stopProfile(one.worker);
      const suffix = `-worker-${index + 1}`;
      const own = save(profile, suffix, { ...(one.tid === undefined ? {} : { tid: one.tid }), name });
      threads.push({ ...own, ...(await told(one.worker, one.telemetry, suffix)) });
    } catch {
      silentWorkers += 1;
    }
  }
  const facts: NodeSliceFacts = { threads, silentWorkers, ...(loop === undefined ? {} : { loop }) };
  writeFileSync(`${base}.json`, `${JSON.stringify(facts)}\n`, { mode: 0o600 });
  say(`Wrote ${main.samples} samples of ${threads.length} threads.`);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
