import { appendFileSync } from 'node:fs';
import { type RecordedSteps, type StepPhase, STEP_FILE, stepLine } from '../recording/index.js';
import {
  HIT_COST_S,
  learnWorlds,
  simulatedS,
  steppedBy,
  timestepNow,
  type StepHit,
  type StepProbe,
  type World,
} from '../target/index.js';
import type { CaptureRequest } from './request.js';

/** Longest look at the steps before anything else begins: a loop of 20 steps a second shows its time in it. */
const LEARN_S = 1.5;
/** A probe that takes more of the loop than this is taken off. */
const MOST_COST = 0.01;
const TICK_MS = 100;

/** Follows the steps and the simulated time of a target, beside whatever else looks at it. */
export interface StepMeter {
  /** Begins a part of the recording. */
  readonly enter: (phase: StepPhase['phase']) => void;
  /** Ends it. */
  readonly leave: () => void;
  readonly close: () => void;
  /** All that was seen so far. */
  readonly recorded: () => RecordedSteps;
}

/**
 * Undefined where there is no probe, or no step while we looked. Without a folder steps are counted and not written down.
 * @param learnS longest look for the first steps.
 * @param timestepS seconds that a step adds to simulated time, where the user says it.
 */
export async function startStepMeter(
  {
    steps: probe,
    target,
    folder,
    perf,
    beside,
    timestepS,
    learnS = LEARN_S,
  }: Pick<CaptureRequest, 'steps' | 'target' | 'perf' | 'beside'> & {
    readonly folder?: string;
    readonly timestepS?: number;
    readonly learnS?: number;
  },
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: () => bigint },
): Promise<StepMeter | undefined> {
  if (probe === undefined) return undefined;
  const { worlds, stepsPerS, hits } = await learnWorlds(probe, {
    pid: target.pid,
    signal,
    clock,
    seconds: learnS,
  });
  const [learnt] = worlds;
  const world = learnt === undefined || timestepS === undefined ? learnt : { ...learnt, timestepS };
  // Samples of perf have no times, so that none is in a step; and its stacks are to be those of the program alone.
  const stamped = stepsPerS * HIT_COST_S <= MOST_COST && perf === undefined && beside === undefined;
  if (world === undefined || !stamped) probe.turn(false);
  if (world === undefined) return undefined;
  const meter = new Meter(
    {
      probe,
      pid: target.pid,
      world,
      worlds: worlds.length,
      stepsPerS,
      isTold: timestepS !== undefined,
      clock,
    },
    stamped,
    stamped && folder !== undefined ? `${folder}/${STEP_FILE}` : undefined,
  );
  meter.write(hits);
  return meter;
}

interface Metered {
  readonly probe: StepProbe;
  readonly pid: number;
  /** The one that is stepped most. */
  readonly world: World;
  readonly worlds: number;
  readonly stepsPerS: number;
  /** The user says what a step adds. */
  readonly isTold: boolean;
  readonly clock: () => bigint;
}

/** Simulated time at a moment, and by how many nanoseconds the moment may be another one. */
interface Reading {
  readonly ns: bigint;
  readonly doubtNs: number;
  /** Undefined where the time is not known, or the target is gone. */
  readonly simulatedS: number | undefined;
}

interface Open {
  readonly phase: StepPhase['phase'];
  readonly from: Reading;
  last: Reading;
  /** By the time that the program keeps. */
  simulatedS: number;
  resets: number;
  steps: number;
  /** When the world that is followed was stepped first and last, and when any was. */
  own: readonly [number, number] | undefined;
  any: readonly [number, number] | undefined;
}

/** Counted and read time that differ by more are not the same: time was set back between two looks. */
const DISAGREE = 0.01;
/** A world that is not stepped for this part of a phase, while others are, is not what the program simulates. */
const GONE = 0.1;

class Meter implements StepMeter {
  readonly #of: Metered;
  /** Whether the probe is on. */
  #counts: boolean;
  #file: string | undefined;
  readonly #numbers = new Map<bigint, number>();
  readonly #phases: StepPhase[] = [];
  readonly #timer: NodeJS.Timeout;
  #open: Open | undefined;
  /** The time step became another one. */
  #stepChanged = false;
  /** What is stepped comes and goes. */
  #wanders = false;
  /** Steps had to tell what the program's time did not. */
  #bySteps = false;

  constructor(of: Metered, counts: boolean, file: string | undefined) {
    this.#of = of;
    this.#counts = counts;
    this.#file = file;
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#timer.unref();
  }

  enter(phase: StepPhase['phase']): void {
    // One that follows another begins where that ended: nothing lies between them.
    const from = this.#end() ?? this.#first();
    this.#open = {
      phase,
      from,
      last: from,
      simulatedS: 0,
      resets: 0,
      steps: 0,
      own: undefined,
      any: undefined,
    };
  }

  leave(): void {
    this.#end();
  }

  /** Hits that were there before are of no phase. */
  #first(): Reading {
    this.#tick();
    return this.#reading();
  }

  /** Ends what is open; gives its last reading. */
  #end(): Reading | undefined {
    this.#tick();
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return undefined;
    if (open.last.ns <= open.from.ns) return open.last;
    const simulated = this.#simulated(open);
    const doubtS = (open.from.doubtNs + open.last.doubtNs) / 1e9;
    this.#phases.push({
      phase: open.phase,
      startNs: String(open.from.ns),
      endNs: String(open.last.ns),
      ...(simulated === undefined ? {} : { simulatedS: simulated }),
      ...(this.#counts ? { steps: open.steps } : {}),
      ...(open.resets === 0 ? {} : { resets: open.resets }),
      doubtS,
    });
    return open.last;
  }

  /**
   * Seconds that were simulated: as the program keeps its time, which is exact as long as nobody sets it back; what was simulated between the last
   * look and that is counted in steps, where they are counted.
   */
  #simulated(open: Open): number | undefined {
    const { timestepS } = this.#of.world;
    this.#wanders ||= isGone(open);
    if (this.#wanders) return undefined;
    const byMemory = open.last.simulatedS === undefined ? undefined : open.simulatedS;
    const countsTime = this.#counts && timestepS !== undefined && !this.#stepChanged;
    const bySteps = countsTime ? open.steps * timestepS : undefined;
    const lacks =
      byMemory !== undefined &&
      bySteps !== undefined &&
      bySteps > byMemory * (1 + DISAGREE) + 2 * (timestepS ?? 0);
    const isSetBack = open.resets > 0 || lacks;
    if (byMemory !== undefined && !isSetBack) return byMemory;
    this.#bySteps = true;
    return bySteps;
  }

  close(): void {
    this.leave();
    clearInterval(this.#timer);
  }

  recorded(): RecordedSteps {
    const { probe, world, worlds, stepsPerS } = this.#of;
    const timedBy = world.timeAt === undefined || this.#bySteps ? 'steps' : 'memory';
    const isTimed = this.#phases.some(({ simulatedS: some }) => some !== undefined);
    return {
      symbol: probe.functions[world.event]?.symbol ?? '',
      tid: world.tid,
      worlds,
      stepsPerS,
      ...(world.timestepS === undefined || this.#stepChanged ? {} : { timestepS: world.timestepS }),
      ...(this.#stepChanged ? { timestepChanged: true as const } : {}),
      ...(this.#wanders ? { worldsChange: true as const } : {}),
      ...(isTimed ? { timedBy } : {}),
      phases: [...this.#phases],
      ...(this.#file === undefined ? {} : { file: STEP_FILE }),
      ...(probe.lost() === 0 ? {} : { lost: probe.lost() }),
    };
  }

  /** On disk before anything is made of them. A disk that takes no more ends this file, and nothing else. */
  write(hits: readonly StepHit[]): void {
    if (this.#file === undefined || hits.length === 0) return;
    try {
      appendFileSync(
        this.#file,
        hits.map((hit) => stepLine(hit.ns, hit.tid, this.#number(steppedBy(this.#of.probe, hit)))).join(''),
        {
          mode: 0o600,
        },
      );
    } catch {
      this.#file = undefined;
    }
  }

  #number(data: bigint): number {
    const known = this.#numbers.get(data) ?? this.#numbers.size;
    this.#numbers.set(data, known);
    return known;
  }

  #reading(): Reading {
    const { pid, world, clock } = this.#of;
    const before = clock();
    const now = simulatedS(pid, world);
    const after = clock();
    return { ns: (before + after) / 2n, doubtNs: Number(after - before) / 2, simulatedS: now };
  }

  #tick(): void {
    const { probe, pid, world, isTold } = this.#of;
    const reading = this.#reading();
    const hits = this.#counts ? probe.read() : [];
    this.write(hits);
    const open = this.#open;
    if (open === undefined) return;
    // Of a target that has ended, only what was seen of it counts.
    if (world.timeAt !== undefined && reading.simulatedS === undefined) return;
    this.#count(open, hits);
    const now = isTold ? undefined : timestepNow(pid, world);
    this.#stepChanged ||= world.timestepS !== undefined && now !== undefined && now !== world.timestepS;
    const from = open.last.simulatedS;
    open.last = reading;
    if (reading.simulatedS === undefined || from === undefined) return;
    if (reading.simulatedS < from) {
      open.resets += 1;
      open.simulatedS += Math.max(0, reading.simulatedS);
    } else open.simulatedS += reading.simulatedS - from;
  }

  /** Hits may be younger than the reading of the time: those are of the next one. */
  #count(open: Open, hits: readonly StepHit[]): void {
    const { probe, world } = this.#of;
    const from = Number(open.from.ns);
    for (const hit of hits) {
      if (hit.ns < from) continue;
      open.any = [open.any?.[0] ?? hit.ns, hit.ns];
      if (steppedBy(probe, hit) !== world.data) continue;
      open.own = [open.own?.[0] ?? hit.ns, hit.ns];
      open.steps += 1;
    }
  }
}

function isGone({ from, last, own, any }: Open): boolean {
  if (any === undefined) return false;
  const most = Number(last.ns - from.ns) * GONE;
  return own === undefined || own[0] - any[0] > most || any[1] - own[1] > most;
}
