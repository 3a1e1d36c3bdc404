import { cleanText } from '../report/index.js';
import type { Io } from './io.js';

/** As for every program that a signal ended. */
export const EXIT_INTERRUPTED = 130;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A terminal, or a hurried hand, sends two signals for one wish: what follows the first this soon is the same one. */
const SAME_WISH_MS = 1500;

/** This process, as far as signals need it. */
interface Signalled {
  readonly on: (signal: NodeJS.Signals, listener: () => void) => unknown;
  readonly off: (signal: NodeJS.Signals, listener: () => void) => unknown;
  readonly exit: (code: number) => void;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

const THIS_PROCESS: Signalled = {
  on: (signal, listener) => process.on(signal, listener),
  off: (signal, listener) => process.off(signal, listener),
  exit: (code) => process.exit(code),
  now: () => performance.now(),
};

/**
 * Runs `work` so that Ctrl-C, SIGTERM or a closed terminal ends it early instead of killing this process: what it has is kept.
 * A sampler in the terminal's foreground group gets the same Ctrl-C, which it takes as its own order to finish. `folder` is the
 * recording's: whoever insists is told that what was sampled lies there.
 */
export async function interruptible<T>(
  io: Io,
  folder: string,
  work: (signal: AbortSignal) => Promise<T>,
  signalled: Signalled = THIS_PROCESS,
): Promise<T> {
  const controller = new AbortController();
  let firstMs: number | undefined;
  let working = true;
  const onSignal = (): void => {
    if (firstMs === undefined) {
      firstMs = signalled.now();
      io.err('\nStopping; what was recorded is kept.\n');
      controller.abort();
    } else if (signalled.now() - firstMs >= SAME_WISH_MS) {
      // The samplers end when their parent does.
      if (working) io.err(`\nLeft at once; the raw slices lie in ${cleanText(folder)}/slices.\n`);
      signalled.exit(EXIT_INTERRUPTED);
    }
  };
  for (const signal of SIGNALS) signalled.on(signal, onSignal);
  try {
    return await work(controller.signal);
  } finally {
    working = false;
    // After an interruption the handlers stay: the second half of a double Ctrl-C must not cut the answer short.
    if (firstMs === undefined) for (const signal of SIGNALS) signalled.off(signal, onSignal);
  }
}
