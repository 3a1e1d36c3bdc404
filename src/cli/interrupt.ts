import type { Io } from './io.js';

/** As for every program that a signal ended. */
export const EXIT_INTERRUPTED = 130;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs `work` so that Ctrl-C, SIGTERM or a closed terminal ends it early instead of killing this process: what it has is kept.
 * A sampler in the terminal's foreground group gets the same Ctrl-C, which it takes as its own order to finish.
 */
export async function interruptible<T>(io: Io, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const onSignal = (): void => {
    // Asked twice: go at once. The slices so far are on disk, and the samplers end when their parent does.
    if (controller.signal.aborted) process.exit(EXIT_INTERRUPTED);
    io.err('\nStopping; what was recorded is kept.\n');
    controller.abort();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}
