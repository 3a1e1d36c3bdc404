import { appendFileSync } from 'node:fs';
import { type RecordedSteps, type StepPhase, STEP_FILE, stepLine } from '../recording/index.js';
import {
  HIT_COST_S,
  learnWorlds,
  simulatedS,
  steppedBy,
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
    timestepS,
    learnS = LEARN_S,
  }: Pick<CaptureRequest, 'steps' | 'target'> & {
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
  const stamped = stepsPerS * HIT_COST_S <= MOST_COST;
  if (world === undefined || !stamped) probe.turn(false);
  if (world === undefined) return undefined;
  const meter = new Meter(
    { probe, pid: target.pid, world, worlds: worlds.length, stepsPerS, clock },
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
  readonly clock: () => bigint;
}

interface Open {
  readonly phase: StepPhase['phase'];
  readonly fromNs: bigint;
  lastNs: bigint;
  /** Of the program's own time; undefined where that is not known. */
  last: number | undefined;
  simulatedS: number;
  resets: number;
  steps: number;
}

class Meter implements StepMeter {
  readonly #of: Metered;
  /** Whether the probe is on. */
  #counts: boolean;
  #file: string | undefined;
  readonly #numbers = new Map<bigint, number>();
  readonly #phases: StepPhase[] = [];
  readonly #timer: NodeJS.Timeout;
  #open: Open | undefined;

  constructor(of: Metered, counts: boolean, file: string | undefined) {
    this.#of = of;
    this.#counts = counts;
    this.#file = file;
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#timer.unref();
  }

  enter(phase: StepPhase['phase']): void {
    this.leave();
    const { pid, world, clock } = this.#of;
    this.#tick();
    const fromNs = clock();
    this.#open = {
      phase,
      fromNs,
      lastNs: fromNs,
      last: simulatedS(pid, world),
      simulatedS: 0,
      resets: 0,
      steps: 0,
    };
  }

  leave(): void {
    this.#tick();
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined || open.lastNs <= open.fromNs) return;
    const { timestepS } = this.#of.world;
    const byMemory = open.last === undefined ? undefined : open.simulatedS;
    const bySteps = !this.#counts || timestepS === undefined ? undefined : open.steps * timestepS;
    const simulated = byMemory ?? bySteps;
    this.#phases.push({
      phase: open.phase,
      startNs: String(open.fromNs),
      endNs: String(open.lastNs),
      ...(simulated === undefined ? {} : { simulatedS: simulated }),
      ...(this.#counts ? { steps: open.steps } : {}),
      ...(open.resets === 0 ? {} : { resets: open.resets }),
    });
  }

  close(): void {
    this.leave();
    clearInterval(this.#timer);
  }

  recorded(): RecordedSteps {
    const { probe, world, worlds, stepsPerS } = this.#of;
    const timedBy = world.timeAt === undefined ? 'steps' : 'memory';
    const isTimed = this.#phases.some(({ simulatedS: some }) => some !== undefined);
    return {
      symbol: probe.functions[world.event]?.symbol ?? '',
      tid: world.tid,
      worlds,
      stepsPerS,
      ...(world.timestepS === undefined ? {} : { timestepS: world.timestepS }),
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

  #tick(): void {
    const { probe, pid, world, clock } = this.#of;
    const hits = this.#counts ? probe.read() : [];
    this.write(hits);
    const open = this.#open;
    if (open === undefined) return;
    const from = Number(open.fromNs);
    for (const hit of hits) if (steppedBy(probe, hit) === world.data && hit.ns >= from) open.steps += 1;
    const now = simulatedS(pid, world);
    // Of a target that has ended, only what was seen of it counts.
    if (world.timeAt !== undefined && now === undefined) return;
    open.lastNs = clock();
    if (now === undefined || open.last === undefined) return;
    if (now < open.last) {
      open.resets += 1;
      open.simulatedS += Math.max(0, now);
    } else open.simulatedS += now - open.last;
    open.last = now;
  }
}
