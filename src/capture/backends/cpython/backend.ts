/**
 * Our own sampler of CPython: reads its memory from outside and, at the same instant, what the kernel says of each thread.
 *
 * Why: a stack alone does not tell a thread that runs from one that waits for the lock of the interpreter or for a CPU, and shares that
 * hold such waits are off by up to 20 points where threads compete.
 */
import type { PlannedCommand, RatedPlanRequest } from '../../request.js';
import type { Backend, PlannedSlice, SamplerLine, SlicePlan } from '../../backend.js';
import { sliceLengths } from '../../slice-lengths.js';
import type { SamplerMessage } from './protocol.js';

/** CPU that one look at one thread takes, in milliseconds. */
const LOOK_MS = 0.1;

function cost({ rateHz }: RatedPlanRequest): string {
  return (
    `Nothing is stopped, and nothing is made inside. The sampler takes about ${Math.max(1, Math.round(rateHz * LOOK_MS * 0.1))} % of one core ` +
    `at ${rateHz} Hz for one thread; a loop that never sleeps loses up to 2 % of its speed meanwhile.`
  );
}

function plan(request: RatedPlanRequest): SlicePlan {
  const { route, folder, rateHz } = request;
  const slices = sliceLengths(request).map((seconds, index): PlannedSlice => {
    const name = String(index).padStart(3, '0');
    const file = `slices/${name}.samples`;
    const args = [`${folder}/${file}`, String(rateHz), String(seconds)];
    return { file, log: `slices/${name}.log`, args, argv: route.commands(args).at(-1) ?? args, seconds };
  });
  const commands = slices.map(({ argv, seconds }, index): PlannedCommand => ({
    argv,
    purpose: `sample every Python thread and its state, slice ${index + 1} of ${slices.length}, ${seconds} s`,
  }));
  return { backend: 'cpython', route: route.id, commands, cost: cost(request), slices };
}

/** A line of the sampler, as what it says; undefined for what is none. */
export function parseMessage(line: string): SamplerMessage | undefined {
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === 'object' && message !== null && 'kind' in message
      ? (message as SamplerMessage)
      : undefined;
  } catch {
    return undefined;
  }
}

function readLine(line: string): SamplerLine | undefined {
  const message = parseMessage(line);
  if (message?.kind === 'sampling') return { kind: 'started' };
  if (message?.kind === 'stopped')
    return { kind: 'stopped', because: message.because === 'target-ended' ? 'target-ended' : 'asked' };
  if (message?.kind === 'written')
    return { kind: 'written', samples: message.samples, threads: message.threads, facts: message.facts };
  return undefined;
}

export const cpython: Backend = {
  id: 'cpython',
  format: 'cpython',
  ends: 'counted',
  talk: 'stdout',
  plan,
  readLine,
};
