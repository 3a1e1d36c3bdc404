import { inForeground, type Program } from '../target/index.js';
import { ENDING_SIGNALS, type Interruption, OWN_SIGNALS } from './interrupt.js';

/** What a terminal sends to its whole foreground group, the program included. */
const OF_TERMINAL: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT', 'SIGHUP']);
const ENDING: readonly NodeJS.Signals[] = [...ENDING_SIGNALS, 'SIGQUIT'];
const OTHERS: readonly NodeJS.Signals[] = ['SIGUSR1', 'SIGUSR2'];

interface Signalled {
  readonly on: (signal: NodeJS.Signals, listener: () => void) => unknown;
  readonly off: (signal: NodeJS.Signals, listener: () => void) => unknown;
  readonly inForeground: () => boolean;
}

const THIS_PROCESS: Signalled = {
  ...OWN_SIGNALS,
  inForeground,
};

/** Signals on their way to a program that we started. We never leave before it: who waits for us waits for it. */
export interface PassedSignals {
  /** Given by the first signal that asks a program to end. */
  readonly signal: AbortSignal;
  /** From now on they go there; one that came before goes at once. */
  readonly to: (program: Pick<Program, 'signal'>) => void;
  readonly stop: () => void;
}

/** Passes signals on: each of them once, so none that the terminal gave to the program as well. */
export function passSignals(signalled: Signalled = THIS_PROCESS): PassedSignals {
  const controller = new AbortController();
  const waiting: NodeJS.Signals[] = [];
  let program: Pick<Program, 'signal'> | undefined;
  const listeners = [...ENDING, ...OTHERS].map((signal) => {
    const listener = (): void => {
      if (ENDING.includes(signal)) controller.abort();
      if (OF_TERMINAL.has(signal) && signalled.inForeground() && program !== undefined) return;
      if (program === undefined) waiting.push(signal);
      else program.signal(signal);
    };
    signalled.on(signal, listener);
    return { signal, listener };
  });
  return {
    signal: controller.signal,
    to: (started) => {
      program = started;
      for (const signal of waiting.splice(0)) started.signal(signal);
    },
    stop: () => {
      for (const { signal, listener } of listeners) signalled.off(signal, listener);
    },
  };
}

/** The same to what `interruptible` gives: nothing is said, and insisting does nothing but reach the program again. */
export function interruptionOf({ signal }: PassedSignals): Interruption {
  return { signal, phase: () => undefined };
}
