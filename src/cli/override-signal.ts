import { ENDING_SIGNALS, OWN_SIGNALS } from './interrupt.js';
import type { Io } from './io.js';

/**
 * Runs `work` so that Ctrl-C, SIGTERM or a closed terminal makes it put everything back instead of ending this process half way. The
 * handlers stay until it has ended: who insists gets no faster end, only an unfinished one.
 */
export async function untilSignal<T>(io: Io, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (!controller.signal.aborted) io.err('\nStopping; the original is put back first.\n');
    controller.abort();
  };
  for (const signal of ENDING_SIGNALS) OWN_SIGNALS.on(signal, onSignal);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of ENDING_SIGNALS) OWN_SIGNALS.off(signal, onSignal);
  }
}

/**
 * Runs `work` so that no signal ends this process, even between two steps that answer signals themselves: what `work` lends is then
 * always taken back. The signal that `work` gets says that one came.
 */
export async function heldSignals<T>(work: (came: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const onSignal = (): void => controller.abort();
  for (const signal of ENDING_SIGNALS) OWN_SIGNALS.on(signal, onSignal);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of ENDING_SIGNALS) OWN_SIGNALS.off(signal, onSignal);
  }
}
