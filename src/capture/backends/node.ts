/**
 * Node's inspector, https://nodejs.org/api/debugger.html: V8's own CPU profiler of the running process, by the DevTools protocol.
 *
 * V8 interrupts its main thread for every sample and walks the stack by itself, so that nobody has to read the target's memory. The
 * program that asks it to (`target/node/inspector/main.ts`) writes what it gets, one profile a slice and thread.
 */
import type { PlannedCommand, RatedPlanRequest } from '../request.js';
import type { Backend, PlannedSlice, SamplerLine, SlicePlan } from '../backend.js';
import { sliceLengths } from '../slice-lengths.js';

/** A sample, with waking a thread that rests for it, takes about this long. */
const WAKE_MS = 0.02;
const DEFAULT = { address: { host: '127.0.0.1', port: 9229 }, wasOpen: false } as const;

function cost(request: RatedPlanRequest): string {
  const { wasOpen, address } = request.node ?? DEFAULT;
  const inspector = wasOpen
    ? 'Its inspector is open already, and stays so.'
    : `SIGUSR1 opens its inspector at ${address.host}:${address.port}, which it says on its standard error; it is closed again at the end.`;
  return (
    `Nothing is stopped for longer than a sample. V8 takes ${request.rateHz} samples a second of each JavaScript thread by itself, which cost it about ` +
    `${Math.max(1, Math.round(request.rateHz * WAKE_MS * 0.1))} % of a core, also while it rests, and 10 to 50 ms at the beginning of each slice. ${inspector}`
  );
}

function plan(request: RatedPlanRequest): SlicePlan {
  const { route, folder, rateHz } = request;
  const { host, port } = (request.node ?? DEFAULT).address;
  const lengths = sliceLengths(request);
  const slices = lengths.map((seconds, index): PlannedSlice => {
    const name = String(index).padStart(3, '0');
    const file = `slices/${name}.cpuprofile`;
    const interval = String(Math.round(1e6 / rateHz));
    const args = ['record', host, String(port), interval, String(seconds), `${folder}/${file}`];
    return { file, log: `slices/${name}.log`, args, argv: route.commands(args).at(-1) ?? args, seconds };
  });
  const before = route.commands(slices[0]?.args ?? []).slice(0, -1);
  const commands = slices.map(({ argv, seconds }, index): PlannedCommand => ({
    argv,
    purpose: `have V8 sample its JavaScript threads, slice ${index + 1} of ${slices.length}, ${seconds} s`,
  }));
  return {
    backend: 'node',
    route: route.id,
    commands: [
      ...before.map((argv): PlannedCommand => ({ argv, purpose: 'open the inspector, where it is not' })),
      ...commands,
    ],
    cost: cost(request),
    slices,
  };
}

function readLine(line: string): SamplerLine | undefined {
  if (line === 'Sampling.') return { kind: 'started' };
  if (line === 'Stopped: asked.') return { kind: 'stopped', because: 'asked' };
  if (line === 'Stopped: target-ended.') return { kind: 'stopped', because: 'target-ended' };
  const samples = /^Wrote (\d{1,12}) samples of \d+ threads\.$/.exec(line)?.[1];
  return samples === undefined ? undefined : { kind: 'written', samples: Number(samples) };
}

export const node: Backend = {
  id: 'node',
  format: 'cpuprofile',
  ends: 'counted',
  talk: 'stdout',
  plan,
  readLine,
};
