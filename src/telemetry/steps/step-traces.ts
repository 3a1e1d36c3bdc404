import { missionPath } from './mission-path.js';
import { StepTrace, TraceRoom } from './step-trace.js';
import type { TraceState } from './step-trace.js';
import { WorkerWriter } from './trace-writer.js';
import type { TraceWriter } from './trace-writer.js';

/** What all traces of a program that are kept in memory may take together. */
export const MAX_TRACE_BYTES = 64 * 2 ** 20;

/** The program, as far as it ends. */
export interface Exiting {
  readonly onExit: (call: () => void) => void;
  readonly offExit: (call: () => void) => void;
}

const OF_NODE: Exiting = {
  onExit: (call) => process.on('exit', call),
  offExit: (call) => process.off('exit', call),
};

/** The traces of a program: those of missions that run, and those that are kept until `flush`. */
export class StepTraces {
  readonly #writer: TraceWriter;
  readonly #room: TraceRoom;
  readonly #exiting: Exiting;
  readonly #warn: (line: string) => void;
  /** Those that are not written to their end. */
  readonly #unwritten = new Set<StepTrace>();
  /** Of them, those that nobody writes yet. */
  readonly #held = new Set<StepTrace>();
  readonly #turns = new Map<string, number>();
  readonly #runs = new Set<() => void>();
  readonly #atExit = (): void => this.#finishNow();
  #isListening = false;
  #isOurs = true;
  #flushing: Promise<unknown> = Promise.resolve();
  /** Written without anyone waiting for it: the next `flush` says so. */
  readonly #unanswered: string[] = [];

  constructor(of: {
    readonly warn: (line: string) => void;
    readonly writer?: TraceWriter;
    readonly exiting?: Exiting;
    readonly maxBytes?: number;
  }) {
    this.#warn = of.warn;
    this.#writer = of.writer ?? new WorkerWriter();
    this.#exiting = of.exiting ?? OF_NODE;
    this.#room = new TraceRoom(of.maxBytes ?? MAX_TRACE_BYTES);
  }

  begin(path: string, mission: string | undefined, isStream: boolean): StepTrace {
    const name = this.#nameFor(path, mission);
    const trace = new StepTrace({ path: name, isStream, room: this.#room, writer: this.#writer });
    this.#unwritten.add(trace);
    this.#listen();
    return trace;
  }

  /** Calls it when the program ends before `forget` is called with the same. */
  watch(run: () => void): void {
    this.#runs.add(run);
    this.#listen();
  }

  forget(run: () => void): void {
    this.#runs.delete(run);
    this.#listen();
  }

  /** A closed trace, to be written by `flush`, or when the program ends. */
  hold(trace: StepTrace): void {
    this.#held.add(trace);
  }

  /** Writes a closed one now. */
  async finish(trace: StepTrace): Promise<TraceState> {
    this.#held.delete(trace);
    const state = await trace.finish();
    this.#ended(trace, state);
    if (this.#unwritten.size === 0) this.#writer.rest();
    return state;
  }

  /** Writes a closed one without anyone waiting for it, but `flush`. */
  finishSoon(trace: StepTrace): void {
    const writing = this.#finishUnasked(trace);
    this.#flushing = Promise.all([this.#flushing, writing]);
  }

  async #finishUnasked(trace: StepTrace): Promise<void> {
    const state = await this.finish(trace);
    if (state.is === 'written') this.#unanswered.push(trace.path);
  }

  /** Writes all that are held, and answers the paths of those that are whole. Who calls again meanwhile waits, and finds nothing. */
  flush(): Promise<string[]> {
    const traces = [...this.#held];
    this.#held.clear();
    const before = this.#flushing;
    const flushing = (async () => {
      await before;
      const written: string[] = [];
      for (const trace of traces) {
        const state = await this.finish(trace);
        if (state.is === 'written') written.push(trace.path);
      }
      return [...this.#unanswered.splice(0), ...written];
    })();
    this.#flushing = flushing;
    return flushing;
  }

  #ended(trace: StepTrace, state: TraceState): void {
    this.#unwritten.delete(trace);
    this.#listen();
    if (state.is === 'failed')
      this.#warn(`The trace ${state.path} is not whole: ${state.lost} events are missing (${state.error}).`);
  }

  /** Only while there is something to do when the program ends. */
  #listen(): void {
    const isNeeded = this.#runs.size + this.#unwritten.size > 0;
    if (isNeeded === this.#isListening) return;
    this.#isListening = isNeeded;
    if (isNeeded) this.#exiting.onExit(this.#atExit);
    else this.#exiting.offExit(this.#atExit);
  }

  #finishNow(): void {
    this.#isOurs = this.#writer.takeOver();
    for (const run of this.#runs) run();
    for (const trace of this.#unwritten) this.endNow(trace);
  }

  /** Writes one when the program ends. */
  endNow(trace: StepTrace): TraceState {
    const state = this.#isOurs
      ? trace.finishNow()
      : trace.finishNow(() => new Error('the disk did not answer'));
    this.#held.delete(trace);
    if (this.#unwritten.has(trace)) this.#ended(trace, state);
    return state;
  }

  #nameFor(path: string, mission: string | undefined): string {
    if (mission === undefined) return this.#isTaken(path) ? this.#besideOf(path) : path;
    const first = missionPath(path, mission, 1);
    for (;;) {
      const turn = (this.#turns.get(first) ?? 0) + 1;
      this.#turns.set(first, turn);
      const name = missionPath(path, mission, turn);
      if (!this.#isTaken(name)) return name;
    }
  }

  #isTaken(path: string): boolean {
    for (const trace of this.#unwritten) if (trace.path === path) return true;
    return false;
  }

  /** Two that write one file would each destroy the other's. */
  #besideOf(path: string): string {
    const end = path.endsWith('.json') ? '.json' : '';
    const stem = end === '' ? path : path.slice(0, -end.length);
    let turn = 2;
    while (this.#isTaken(`${stem}-${turn}${end}`)) turn += 1;
    const name = `${stem}-${turn}${end}`;
    this.#warn(`The trace ${path} is of another profiler that has not written it yet: this one is ${name}.`);
    return name;
  }
}
