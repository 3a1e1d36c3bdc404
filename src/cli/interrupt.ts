import type { Io } from './io.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs `work` so that Ctrl-C, SIGTERM or a closed terminal ends it early instead of killing this process: what it has is kept.
 * A sampler in the terminal's foreground group gets the same Ctrl-C, which it takes as its own order to finish.
 */
export async function interruptible<T>(io: Io, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) return;
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
