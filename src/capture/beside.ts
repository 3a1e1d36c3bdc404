import { perf } from './backends/index.js';
import type { Beside } from './request.js';
import { type RunningSampler, type SamplerRun, startSampler } from './sampler-run.js';
import type { Session } from './session.js';

/** A slice that perf wrote beside the sampler. */
export interface BesideSlice {
  readonly file: string;
  readonly run: SamplerRun;
}

/** perf at work beside the sampler. */
export interface RunningBeside {
  /** Asks it to write what it has. */
  readonly interrupt: () => void;
  /** What it wrote, once it has ended; undefined where it wrote nothing. */
  readonly done: Promise<BesideSlice | undefined>;
}

/** Starts perf for that slice and waits until it samples; what it misses at its beginning would be missing of every slice. */
export async function startBeside(
  session: Session,
  beside: Beside | undefined,
  index: number,
): Promise<RunningBeside | undefined> {
  const planned = session.plan.beside?.slices[index];
  if (beside === undefined || planned === undefined) return undefined;
  const { folder } = session.request;
  const sampler: RunningSampler = startSampler(perf, planned, { folder, route: beside.route }, session.clock);
  session.commands.push(planned.argv);
  const done = sampler.done.then((run) =>
    run.startNs === undefined ? undefined : { file: planned.file, run },
  );
  await sampler.started;
  return { interrupt: sampler.interrupt, done };
}
