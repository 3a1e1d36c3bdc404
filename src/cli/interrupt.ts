import { ProfilerError } from '../model/index.js';
import { endWithTerminal } from './gone-terminal.js';
import type { Io } from './io.js';

/** As for every program that a signal ended. */
export const EXIT_INTERRUPTED = 130;

/** A signal came before there was anything to keep. */
export function interrupted(
  before = ' before the first sample',
  outcome = 'nothing was recorded',
): ProfilerError {
  return new ProfilerError(
    {
      id: 'interrupted',
      what: `Interrupted${before}: ${outcome}.`,
      why: 'It was asked to stop by a signal.',
    },
    EXIT_INTERRUPTED,
  );
}

/** What asks a program to end. */
export const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A terminal, or a hurried hand, sends two signals for one wish: what follows the first this soon is the same one. */
const SAME_WISH_MS = 1500;

/** Time enough to write an answer. */
const LEAVE_MS = 3000;

/** This process, as far as signals need it. */
interface Signalled {
  readonly on: (signal: NodeJS.Signals, listener: () => void) => unknown;
  readonly off: (signal: NodeJS.Signals, listener: () => void) => unknown;
  readonly exit: (code: number) => void;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/** How signals to this process are handled: whoever handles that of a closed terminal also ends well without one. */
export const OWN_SIGNALS: Pick<Signalled, 'on' | 'off'> = {
  on: (signal, listener) => {
    endWithTerminal();
    process.on(signal, listener);
  },
  off: (signal, listener) => process.off(signal, listener),
};

const THIS_PROCESS: Signalled = {
  ...OWN_SIGNALS,
  exit: (code) => process.exit(code),
  now: () => performance.now(),
};

/** What is said to whoever presses Ctrl-C; it changes with what is at work. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** From now on `said` answers the first signal, and `left` whoever insists. */
  readonly phase: (said: string, left: () => string) => void;
}

/** Ends this process soon, also where something that was given up would keep it alive. */
export function leaveSoon(): void {
  setTimeout(() => process.exit(), LEAVE_MS).unref();
}

/**
 * Runs `work` so that Ctrl-C, SIGTERM or a closed terminal ends it early instead of killing this process: what it has is kept,
 * and what it made is taken back. A sampler in the terminal's foreground group gets the same Ctrl-C, which it takes as its own order to
 * finish. Whoever insists is told what is left.
 */
export async function interruptible<T>(
  io: Io,
  work: (interruption: Interruption) => Promise<T>,
  signalled: Signalled = THIS_PROCESS,
): Promise<T> {
  const controller = new AbortController();
  let firstMs: number | undefined;
  let working = true;
  let words = { said: '', left: (): string => '' };
  const onSignal = (): void => {
    if (firstMs === undefined) {
      firstMs = signalled.now();
      if (words.said !== '') io.err(`\n${words.said}\n`);
      controller.abort();
    } else if (signalled.now() - firstMs >= SAME_WISH_MS) {
      // The samplers end when their parent does.
      if (working) io.err(`\nLeft at once; ${words.left()}\n`);
      signalled.exit(EXIT_INTERRUPTED);
    }
  };
  for (const signal of ENDING_SIGNALS) signalled.on(signal, onSignal);
  try {
    return await work({
      signal: controller.signal,
      phase: (said, left) => {
        words = { said, left };
      },
    });
  } finally {
    working = false;
    // After an interruption the handlers stay: the second half of a double Ctrl-C must not cut the answer short.
    if (firstMs === undefined) for (const signal of ENDING_SIGNALS) signalled.off(signal, onSignal);
  }
}
