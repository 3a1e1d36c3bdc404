import { execa } from 'execa';
import type { ThreadStates } from '../model/index.js';
import type { StateCommand, StateMessage, Tally } from './state-sampler/protocol.js';

/** The state sampler, seen from its parent. */
export interface StateWatch {
  readonly pid: number | undefined;
  /** Resolves once it is warm, or once it is clear that it will not be. */
  readonly ready: Promise<void>;
  readonly command: (command: StateCommand) => void;
  /** What was seen between two CLOCK_MONOTONIC stamps, by host tid; the totals come about ten times a second. */
  readonly between: (startNs: bigint, endNs: bigint) => Promise<ReadonlyMap<number, ThreadStates>>;
  /** Why there are no states, if there are none. */
  readonly refusal: () => string | undefined;
  /** Ends it and waits for its end. */
  readonly stop: () => Promise<void>;
}

interface Totals {
  readonly atNs: bigint;
  readonly threads: Readonly<Record<string, Tally>>;
}

const NOTHING: Tally = [0, 0, 0, 0, 0];
/** A sampler that says nothing for this long has been held off: its slice goes without states. */
const PATIENCE_MS = 1000;
/** Starting takes 0.2 s; on a machine that is too busy for it, sampling does not wait. */
const START_PATIENCE_MS = 5000;

/** Differences of two running totals, for the threads that were looked at. */
export function statesBetween(from: Totals | undefined, to: Totals): ReadonlyMap<number, ThreadStates> {
  const states = new Map<number, ThreadStates>();
  for (const [tid, now] of Object.entries(to.threads)) {
    const then = from?.threads[tid] ?? NOTHING;
    const looks = now[0] - then[0];
    if (looks <= 0) continue;
    states.set(Number(tid), {
      looks,
      running: now[1] - then[1],
      gil: now[2] - then[2],
      sleep: now[3] - then[3],
      other: now[4] - then[4],
    });
  }
  return states;
}

function parse(line: string): StateMessage | undefined {
  try {
    return JSON.parse(line) as StateMessage;
  } catch {
    return undefined;
  }
}

/** Starts the state sampler. It rests until it is commanded. */
export function startStateWatch(argv: readonly string[]): StateWatch {
  const [file = '', ...args] = argv;
  const child = execa(file, args, {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    buffer: false,
    reject: false,
    // Options meant for the user's own programs, such as a debugger's port.
    env: { NODE_OPTIONS: '' },
  });
  const totals: Totals[] = [];
  let refusal: string | undefined;
  const state = { ended: false, resting: true };
  let pending = '';
  let heard: (() => void) | undefined;
  let warm: (() => void) | undefined;
  const ready = new Promise<void>((resolve) => {
    const impatient = setTimeout(resolve, START_PATIENCE_MS);
    warm = () => {
      clearTimeout(impatient);
      resolve();
    };
  });

  const take = (message: StateMessage | undefined): void => {
    if (message?.kind === 'ready') warm?.();
    if (message?.kind === 'refused') refusal = message.because;
    if (message?.kind === 'tally') totals.push({ atNs: BigInt(message.atNs), threads: message.threads });
    heard?.();
  };
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk: string) => {
    const lines = (pending + chunk).split('\n');
    pending = lines.pop() ?? '';
    for (const line of lines) take(parse(line));
  });
  child.stderr.resume();
  // A write after its end is no news: its end is.
  child.stdin.on('error', () => {});
  const end = async (): Promise<void> => {
    const { exitCode, signal, code } = await child;
    state.ended = true;
    if (!child.stdin.writableEnded)
      refusal ??= `the state sampler ended with ${exitCode ?? signal ?? code ?? 'an error'}`;
    warm?.();
    heard?.();
  };
  const done = end();

  const until = async (atNs: bigint): Promise<void> => {
    const limit = performance.now() + PATIENCE_MS;
    while (
      !state.ended &&
      !state.resting &&
      (totals.at(-1)?.atNs ?? 0n) < atNs &&
      performance.now() < limit
    ) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, PATIENCE_MS);
        heard = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };

  return {
    pid: child.pid,
    ready,
    command: (command) => {
      state.resting = command.rateHz === 0;
      if (!state.ended) child.stdin.write(`${JSON.stringify(command)}\n`);
    },
    between: async (startNs, endNs) => {
      await until(endNs);
      const to = totals.find(({ atNs }) => atNs >= endNs) ?? totals.at(-1);
      const from = totals.findLast(({ atNs }) => atNs <= startNs) ?? totals[0];
      if (to === undefined || to.atNs <= startNs) return new Map();
      while (totals.length > 1 && (totals[0]?.atNs ?? 0n) < (from?.atNs ?? 0n)) totals.shift();
      return statesBetween(from, to);
    },
    refusal: () => refusal,
    stop: async () => {
      child.stdin.end();
      const impatient = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
      await done;
      clearTimeout(impatient);
    },
  };
}
