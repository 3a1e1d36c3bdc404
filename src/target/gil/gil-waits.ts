// What the kernel writes down of threads that take the GIL, made into one row for each time that a thread asked for it.

/** One time that a thread asked for the GIL, from then until it had it. Nanoseconds; moments are of CLOCK_MONOTONIC, to the microsecond. */
export interface GilTaken {
  readonly tid: number;
  readonly startNs: number;
  readonly endNs: number;
  /** Of that: asleep until the GIL was let go. */
  readonly blockedNs: number;
  /** Woken, and without a CPU. */
  readonly runnableNs: number;
  /** Address in the process of who asked for it; undefined where the interpreter itself did, when it had to let go of it. */
  readonly caller: bigint | undefined;
}

/** Names of the probes: a thread asks for the GIL and has it (a number behind each tells copies of the function apart), or comes back from code that needs none. */
export const GIL_EVENTS = { ask: 'g_ask', have: 'g_have', back: 'g_back' } as const;

/**
 * `  python3-123 [001] DBZff 86554.883996: g_ask: …`. Names of threads are hostile: at most 15 bytes of anything, also of line ends. A line that begins no
 * event belongs to the one before, or to a name before the next one; so what counts of an event ends at the end of any line of it.
 */
const LINE = /-(\d+) +\[\d+\] \S+ +(\d+)\.(\d{6}): (\w+): (.*)$/;
/** Of an event with the lines behind it; two names with 15 line ends each are far below. */
const LONGEST = 2000;
const LOST = /^CPU:\d+ \[LOST (\d+) EVENTS\]$/;
const CALLER = /^\(0x[0-9a-f]+\) c=0x([0-9a-f]+)$/m;
const SWITCH = / prev_prio=-?\d+ prev_state=(\S+) ==> next_comm=[^]{0,15} next_pid=(\d+) next_prio=-?\d+$/m;
const WAKING = / pid=(\d+) prio=-?\d+ (?:success=\d+ )?target_cpu=\d+$/m;

/** Each processor writes for itself: what another one wrote a moment earlier may be read after it. */
const SETTLED_NS = 5e6;

/** `stopped`: by a signal or a tracer, which is no wait for anything. */
type Doing = 'running' | 'runnable' | 'blocked' | 'stopped';

interface Thread {
  doing: Doing;
  /** Where it came back from code without the GIL, as long as it did not ask for it. */
  back: bigint | undefined;
  taking: { startNs: number; sinceNs: number; blockedNs: number; runnableNs: number } | undefined;
}

interface Event {
  readonly ns: number;
  readonly tid: number;
  readonly name: string;
  /** Grows by lines that begin no event. */
  rest: string;
}

/** Reads what the kernel prints of such a trace, piece by piece. */
export class GilWaitReader {
  readonly #threads = new Map<number, Thread>();
  #rest = '';
  #events: Event[] = [];
  #last: Event | undefined;
  #lost = 0;

  /** Events that the kernel dropped, since nobody read them in time, and those that cannot be read. */
  get lost(): number {
    return this.#lost;
  }

  /** Whole lines of a piece. */
  push(piece: string): void {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const found = LINE.exec(line);
      if (found === null) {
        const lost = LOST.exec(line)?.[1];
        if (lost !== undefined) this.#drop(Number(lost));
        else if (this.#last !== undefined && this.#last.rest.length < LONGEST) this.#last.rest += `\n${line}`;
        continue;
      }
      const [, tid, seconds, micros, name = '', rest = ''] = found;
      const ns = (Number(seconds) * 1e6 + Number(micros)) * 1e3;
      this.#last = { ns, tid: Number(tid), name, rest };
      this.#events.push(this.#last);
    }
  }

  /** What ended by now, in order; events that are younger than a moment before `nowNs` wait for their elders. */
  taken(nowNs = Infinity): readonly GilTaken[] {
    const events = this.#events.toSorted((a, b) => a.ns - b.ns);
    const young = events.findIndex(({ ns }) => ns > nowNs - SETTLED_NS);
    const settled = young < 0 ? events : events.slice(0, young);
    this.#events = young < 0 ? [] : events.slice(young);
    return settled.flatMap((event) => this.#follow(event));
  }

  /** And what has not ended by the end: a thread may ask for the GIL for seconds. */
  unfinished(nowNs: number): readonly GilTaken[] {
    return [...this.#threads].flatMap(([tid, thread]) => {
      this.#turn(tid, thread.doing, nowNs);
      return close(thread, tid, nowNs);
    });
  }

  /** Nothing is known of waits that a hole is in. */
  #drop(count: number): void {
    if (count === 0) return;
    this.#lost += count;
    this.#last = undefined;
    this.#events = [];
    this.#threads.clear();
  }

  #follow({ ns, tid, name, rest }: Event): readonly GilTaken[] {
    if (name === 'sched_switch') {
      const [, state = '', next] = SWITCH.exec(rest) ?? [];
      if (next === undefined) return this.#unread();
      this.#turn(tid, doingOf(state), ns);
      this.#turn(Number(next), 'running', ns);
      return [];
    }
    if (name === 'sched_waking') {
      const woken = WAKING.exec(rest)?.[1];
      if (woken === undefined) return this.#unread();
      const doing = this.#threads.get(Number(woken))?.doing;
      if (doing === 'blocked' || doing === 'stopped') this.#turn(Number(woken), 'runnable', ns);
      return [];
    }
    const thread = this.#threads.get(tid) ?? { doing: 'running', back: undefined, taking: undefined };
    this.#threads.set(tid, thread);
    if (name.startsWith(GIL_EVENTS.have)) return this.#end(thread, tid, ns);
    const [, caller] = CALLER.exec(rest) ?? [];
    if (name === GIL_EVENTS.back) thread.back = caller === undefined ? undefined : BigInt(`0x${caller}`);
    if (name.startsWith(GIL_EVENTS.ask)) {
      thread.doing = 'running';
      thread.taking = { startNs: ns, sinceNs: ns, blockedNs: 0, runnableNs: 0 };
    }
    return [];
  }

  #unread(): readonly GilTaken[] {
    this.#lost += 1;
    return [];
  }

  #turn(tid: number, doing: Doing, ns: number): void {
    const thread = this.#threads.get(tid);
    if (thread === undefined) return;
    const { taking } = thread;
    if (taking !== undefined) {
      if (thread.doing === 'blocked') taking.blockedNs += ns - taking.sinceNs;
      if (thread.doing === 'runnable') taking.runnableNs += ns - taking.sinceNs;
      taking.sinceNs = ns;
    }
    thread.doing = doing;
  }

  #end(thread: Thread, tid: number, ns: number): readonly GilTaken[] {
    // Whoever returns is on a CPU, whatever we missed.
    this.#turn(tid, 'running', ns);
    return close(thread, tid, ns);
  }
}

function doingOf(state: string): Doing {
  if (state.startsWith('R')) return 'runnable';
  return state.startsWith('T') || state.startsWith('t') ? 'stopped' : 'blocked';
}

function close(thread: Thread, tid: number, endNs: number): readonly GilTaken[] {
  const { taking, back } = thread;
  thread.taking = undefined;
  thread.back = undefined;
  if (taking === undefined) return [];
  const { startNs, blockedNs, runnableNs } = taking;
  return [{ tid, startNs, endNs, blockedNs, runnableNs, caller: back }];
}
