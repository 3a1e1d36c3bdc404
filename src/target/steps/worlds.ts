import { setTimeout as wait } from 'node:timers/promises';
import { PROC } from '../proc/file.js';
import { withMemory } from '../proc/memory.js';
import { type DataReach, reachOf, readMost, timeOffset, timestepAt } from './mujoco-memory.js';
import type { StepHit } from './step-hits.js';
import type { StepProbe } from './step-probe.js';

/** One `mjData` that is stepped. */
export interface World {
  /** Thread that stepped it last. */
  readonly tid: number;
  readonly model: bigint;
  readonly data: bigint;
  /** Which of the probed functions stepped it last, from 0. */
  readonly event: number;
  /** Steps that were seen of it. */
  readonly steps: number;
  /** Seconds of simulated time that a step adds, as its model says; absent where that was not found. */
  readonly timestepS?: number;
  /** Address of its simulated time: the number in it that grew with the steps. Absent where no number did. */
  readonly timeAt?: bigint;
}

export interface Worlds {
  /** The one that is stepped most first. */
  readonly worlds: readonly World[];
  readonly stepsPerS: number;
  /** All hits that were seen. */
  readonly hits: readonly StepHit[];
}

export interface LearnOptions {
  readonly pid: number;
  readonly signal: AbortSignal;
  /** CLOCK_MONOTONIC in nanoseconds. */
  readonly clock: () => bigint;
  /** Longest time to look. */
  readonly seconds: number;
}

const LOOK_MS = 10;
/** Steps of a world that is simulated: a model that is compiled is tried with one or two. */
const STEPPED = 3;
/** Steps between two looks into memory: with as many, no other number grows like time by chance. */
const PROOF_STEPS = 40;
/** A simulation may be reset, or its time step changed, while it is looked at. */
const MOST_TRIES = 4;
/** Where a loop is so slow that the time is over before that. */
const LEAST_STEPS = 12;

/** What a program steps, learnt from the arguments of its step and from its memory, which is read and never written. */
export async function learnWorlds(
  probe: StepProbe,
  { pid, signal, clock, seconds }: LearnOptions,
): Promise<Worlds> {
  const from = clock();
  const deadline = from + BigInt(Math.round(seconds * 1e9));
  const hits: StepHit[] = [];
  const more = (): void => {
    for (const hit of probe.read()) hits.push(hit);
  };
  const until = async (enough: () => boolean): Promise<boolean> => {
    for (more(); !enough(); more()) {
      if (signal.aborted || clock() >= deadline) return false;
      await wait(LOOK_MS);
    }
    return true;
  };
  await until(() => (worldsIn(probe, hits)[0]?.steps ?? 0) >= STEPPED);
  const first = worldsIn(probe, hits)[0];
  if (first === undefined) return { worlds: [], stepsPerS: 0, hits };
  const mine = isMujoco(probe, first);
  let offset: number | undefined;
  if (mine) {
    for (let tries = 0; tries < MOST_TRIES && offset === undefined; tries += 1) {
      const before = lookAt(pid, reachOf(first.data, worldsIn(probe, hits)), clock);
      const stepsSince = (): number =>
        before === undefined
          ? 0
          : hits.filter(({ ns, second }) => second === first.data && ns > before.endNs).length;
      const isEnough = await until(() => stepsSince() >= PROOF_STEPS);
      const after = lookAt(pid, reachOf(first.data, worldsIn(probe, hits)), clock);
      more();
      offset = provenOffset(pid, first, hits, before, after);
      if (!isEnough) break;
    }
  } else await until(() => hits.length >= PROOF_STEPS);
  const spanS = Number(clock() - from) / 1e9;
  return {
    worlds: stepped(worldsIn(probe, hits)).map((world) => ({
      ...world,
      ...(mine ? known(pid, world) : {}),
      ...(offset === undefined ? {} : { timeAt: world.data + BigInt(offset) }),
    })),
    stepsPerS: hits.length / spanS,
    hits,
  };
}

/** Those that are stepped at all, and not tried once. */
function stepped(worlds: readonly Omit<World, 'timestepS' | 'timeAt'>[]): typeof worlds {
  const most = worlds[0]?.steps ?? 0;
  return worlds.filter(({ steps }) => steps >= Math.min(STEPPED, most));
}

/** Memory, and between which moments it was read: a fast loop makes some steps in that time. */
interface Look {
  readonly startNs: number;
  readonly endNs: number;
  readonly bytes: Buffer;
}

function lookAt(pid: number, { data, length }: DataReach, clock: () => bigint): Look | undefined {
  return withMemory(pid, PROC, (read) => {
    const startNs = Number(clock());
    const bytes = readMost(read, data, length);
    return { startNs, endNs: Number(clock()), bytes };
  });
}

function provenOffset(
  pid: number,
  world: Pick<World, 'model' | 'data'>,
  hits: readonly StepHit[],
  before: Look | undefined,
  after: Look | undefined,
): number | undefined {
  const { timestepS } = known(pid, world);
  if (before === undefined || after === undefined || timestepS === undefined) return undefined;
  const between = (fromNs: number, toNs: number): number =>
    hits.filter(({ ns, second }) => second === world.data && ns > fromNs && ns <= toNs).length;
  const least = between(before.endNs, after.startNs);
  const most = between(before.startNs, after.endNs);
  return least < LEAST_STEPS ? undefined : timeOffset(before.bytes, after.bytes, timestepS, { least, most });
}

function known(pid: number, { model }: Pick<World, 'model'>): { readonly timestepS?: number } {
  const timestepS = withMemory(pid, PROC, (read) => timestepAt(read, model));
  return timestepS === undefined ? {} : { timestepS };
}

/** Functions whose arguments are a model and its data. */
const MUJOCO_STEPS: ReadonlySet<string> = new Set(['mj_step', 'mj_step2']);

/** Whether the arguments of the function are known to be a model and its data. */
function isMujoco({ functions }: StepProbe, { event }: Pick<World, 'event'>): boolean {
  return MUJOCO_STEPS.has(functions[event]?.symbol ?? '');
}

/** Address of what a hit stepped. Of a function whose arguments are not known, all calls are of one world: 0. */
export function steppedBy(probe: StepProbe, hit: Pick<StepHit, 'event' | 'second'>): bigint {
  return isMujoco(probe, hit) ? hit.second : 0n;
}

function worldsIn(
  probe: StepProbe,
  hits: readonly StepHit[],
): readonly Omit<World, 'timestepS' | 'timeAt'>[] {
  const worlds = new Map<
    bigint,
    { tid: number; model: bigint; data: bigint; event: number; steps: number }
  >();
  for (const hit of hits) {
    const data = steppedBy(probe, hit);
    const steps = (worlds.get(data)?.steps ?? 0) + 1;
    worlds.set(data, { tid: hit.tid, model: hit.first, data, event: hit.event, steps });
  }
  return [...worlds.values()].sort((a, b) => b.steps - a.steps);
}

/** Time step of a world at this moment; undefined where it was not known, or its memory is gone. */
export function timestepNow(pid: number, world: World): number | undefined {
  return world.timestepS === undefined || world.model === 0n ? undefined : known(pid, world).timestepS;
}

/** Simulated seconds of a world at this moment; undefined where its time is not known, or its memory is gone. */
export function simulatedS(pid: number, { timeAt }: World): number | undefined {
  if (timeAt === undefined) return undefined;
  const value = withMemory(pid, PROC, (read) => read(timeAt, 8)?.readDoubleLE(0));
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}
