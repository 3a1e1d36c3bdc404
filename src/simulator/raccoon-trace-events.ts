import { asRecord, asText } from '../formats/index.js';
import { asTime } from './trace-events.js';
import type { TraceEvent } from './trace-events.js';

/** What a step did for a while: `execute`, `db_read`, `db_write`, `acquire`, `sleep`, `hal:Class.method`. */
export interface RaccoonPhase {
  readonly name: string;
  readonly startUs: number;
  readonly endUs: number;
}

/** One run of one step. What the profiler measured as 0 may be switched off, so it counts as unknown. */
export interface RaccoonStep {
  readonly signature: string;
  readonly path: string;
  readonly isComposite: boolean;
  readonly task: number;
  readonly startUs: number;
  readonly endUs: number;
  readonly executeUs: number;
  readonly dbReadUs: number;
  readonly dbWriteUs: number;
  readonly acquireUs: number;
  readonly sleepUs: number;
  readonly halUs: number;
  readonly halCalls: number;
  readonly phases: readonly RaccoonPhase[];
}

/** How late the event loop was when it came back to the monitor. */
export interface LagSample {
  readonly atUs: number;
  readonly lagUs: number;
}

export interface RaccoonTrace {
  readonly steps: readonly RaccoonStep[];
  /** Names of the rows of tasks, by their number. */
  readonly tasks: ReadonlyMap<number, string>;
  readonly lag: readonly LagSample[];
  /** Those of `lag` that the profiler marked, and whatever it marks by default: the marks are the last that it writes. */
  readonly spikes: readonly LagSample[];
  /** Events that are none of a profiler's. */
  readonly unreadable: number;
}

const SPIKE_US = 5000;
const LAG_ROW = 'event-loop-lag';

/** A trace of raccoon's StepProfiler: one of its steps, or the row that it makes for the lag of the event loop. */
export function isRaccoon(events: readonly unknown[]): boolean {
  return events.some((one) => {
    const event = asRecord(one);
    if (event === undefined) return false;
    if (event['cat'] === 'step' || event['cat'] === 'composite')
      return asRecord(event['args'])?.['execute_ms'] !== undefined;
    return event['ph'] === 'M' && asRecord(event['args'])?.['name'] === LAG_ROW;
  });
}

export function raccoonTrace(events: readonly unknown[]): RaccoonTrace {
  const steps: (RaccoonStep & { readonly phases: RaccoonPhase[] })[] = [];
  const tasks = new Map<number, string>();
  const lag: LagSample[] = [];
  const marked: number[] = [];
  let unreadable = 0;
  for (const one of events) {
    const event = asRecord(one) ?? {};
    const step = stepOf(event);
    if (step !== undefined) steps.push(step);
    else if (event['cat'] === 'phase') {
      // Phases follow the step that they are of: a task that it left behind may end one of them after the step.
      const phase = phaseOf(event);
      const owner = steps.at(-1);
      if (phase === undefined || owner === undefined || owner.task !== event['tid']) unreadable += 1;
      else owner.phases.push(phase);
    } else if (event['ph'] === 'M') nameTask(event, tasks);
    else if (!addLag(event, lag, marked)) unreadable += 1;
  }
  const isMarked = new Set(marked);
  const spikes = lag.filter(({ atUs, lagUs }) => lagUs >= SPIKE_US || isMarked.has(atUs));
  return { steps, tasks, lag, spikes, unreadable };
}

function stepOf(event: TraceEvent): (RaccoonStep & { readonly phases: RaccoonPhase[] }) | undefined {
  const category = event['cat'];
  if (category !== 'step' && category !== 'composite') return undefined;
  const args = asRecord(event['args']) ?? {};
  const startUs = asTime(event['ts']);
  const duration = asTime(event['dur']);
  const executeUs = micros(args['execute_ms']);
  const task = event['tid'];
  if (startUs === undefined || duration === undefined || executeUs === undefined || typeof task !== 'number')
    return undefined;
  return {
    signature: asText(event['name']) ?? '(no name)',
    path: asText(args['path']) ?? '',
    isComposite: category === 'composite',
    task,
    startUs,
    endUs: startUs + duration,
    executeUs,
    dbReadUs: micros(args['db_read_ms']) ?? 0,
    dbWriteUs: micros(args['db_write_ms']) ?? 0,
    acquireUs: micros(args['acquire_ms']) ?? 0,
    sleepUs: micros(args['sleep_ms']) ?? 0,
    halUs: micros(args['hal_ms']) ?? 0,
    halCalls: asTime(args['hal_calls']) ?? 0,
    phases: [],
  };
}

function phaseOf(event: TraceEvent): RaccoonPhase | undefined {
  const [name, startUs, duration] = [asText(event['name']), asTime(event['ts']), asTime(event['dur'])];
  if (name === undefined || startUs === undefined || duration === undefined) return undefined;
  return { name, startUs, endUs: startUs + duration };
}

function nameTask(event: TraceEvent, tasks: Map<number, string>): void {
  const name = asText(asRecord(event['args'])?.['name']);
  const task = event['tid'];
  if (typeof task === 'number' && name !== undefined && name !== LAG_ROW) tasks.set(task, name);
}

/** Whether it was a sample of the lag, or the mark of a spike; the mark is at the same moment, and rounds its lag to whole milliseconds. */
function addLag(event: TraceEvent, lag: LagSample[], marked: number[]): boolean {
  const atUs = asTime(event['ts']);
  if (atUs === undefined) return false;
  const lagUs = micros(asRecord(event['args'])?.['ms']);
  if (event['ph'] === 'C' && event['name'] === 'loop_lag' && lagUs !== undefined) lag.push({ atUs, lagUs });
  else if (event['ph'] === 'i' && asText(event['name'])?.startsWith('LAG ') === true) marked.push(atUs);
  else return false;
  return true;
}

/** Milliseconds with three digits behind the point, as whole microseconds. */
function micros(ms: unknown): number | undefined {
  const value = asTime(ms);
  return value === undefined ? undefined : Math.round(value * 1000);
}
