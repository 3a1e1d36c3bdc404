/**
 * py-spy, https://github.com/benfred/py-spy: `py-spy record -f raw`, versions 0.3 to 0.4.
 *
 * Why these flags: the idle filter reads the thread's state apart from its stack and mislabels fast loops, so every thread is
 * recorded (`--idle`) and sorted later; `--gil` would hide every call that releases the GIL; a sampler of normal priority gets its
 * turn when the target sleeps, so it runs under SCHED_FIFO; stopping the target (the default) costs it 0.2 ms a sample.
 */
import type { PlannedCommand, RatedPlanRequest } from '../request.js';
import type { Backend, PlannedSlice, SamplerLine, SlicePlan } from '../backend.js';
import { sliceLengths } from '../slice-lengths.js';

/** One sample takes the CPU about this long, where the sampler shares it with the thread. */
const SAMPLE_ON_CPU_MS = 0.6;
/** py-spy stops its target's threads for about this long per native sample. */
const NATIVE_STOP_MS = 0.5;

function sliceArgs(request: RatedPlanRequest, file: string, seconds: number): readonly string[] {
  const { route } = request;
  const record = ['record', '--pid', String(route.targetPid), '--idle', '--threads'];
  const mode = request.native ? '--native' : '--nonblocking';
  const output = ['--full-filenames', '-f', 'raw', '-r', String(request.rateHz), '-d', String(seconds)];
  const to = route.output === 'file' ? `${request.folder}/${file}` : '/dev/stderr';
  return [...record, mode, ...output, '-o', to];
}

/**
 * Lengths of the slices in whole seconds, the only ones py-spy takes. It counts ticks with random gaps, so the sum is off by about
 * `sqrt(duration / rate)`: the last slice is given more, and is ended when the measured time is reached.
 */
function sliceSeconds(request: RatedPlanRequest): readonly number[] {
  const lengths = sliceLengths(request);
  const slack = 1 + Math.ceil(4 * Math.sqrt(request.durationS / request.rateHz));
  return [...lengths.slice(0, -1), Math.ceil(lengths.at(-1) ?? request.durationS) + slack];
}

function cost(request: RatedPlanRequest): string {
  if (!request.native)
    return (
      `Nothing is stopped by a signal or a tracer. The sampler takes 5 to 15 % of one core at ${request.rateHz} Hz; ` +
      `a loop that never sleeps loses up to ${Math.min(100, Math.round(request.rateHz * SAMPLE_ON_CPU_MS * 0.1))} % of its speed meanwhile, one that sleeps in its pacer about 1 %.`
    );
  const share = Math.min(100, (request.rateHz * NATIVE_STOP_MS) / 10);
  return (
    `Every sample stops all threads of the target for about ${NATIVE_STOP_MS} ms (ptrace): ` +
    `at ${request.rateHz} Hz about ${share.toFixed(share < 10 ? 1 : 0)} % of its time, booked as blocked.`
  );
}

function plan(request: RatedPlanRequest): SlicePlan {
  const { route } = request;
  const slices = sliceSeconds(request).map((seconds, index): PlannedSlice => {
    const name = String(index).padStart(3, '0');
    const file = `slices/${name}.raw`;
    const args = sliceArgs(request, file, seconds);
    return { file, log: `slices/${name}.log`, args, argv: route.commands(args).at(-1) ?? args, seconds };
  });
  // What a route does before its sampler is the same for every slice.
  const before = route.commands(slices[0]?.args ?? []).slice(0, -1);
  const commands = slices.map(({ argv }, index): PlannedCommand => {
    const end = index === slices.length - 1 ? `, ended by SIGINT after ${request.durationS} s in all` : '';
    return { argv, purpose: `sample every thread, slice ${index + 1} of ${slices.length}${end}` };
  });
  return {
    backend: 'py-spy',
    route: route.id,
    commands: [
      ...before.map((argv): PlannedCommand => ({ argv, purpose: 'bring the sampler beside the target' })),
      ...commands,
    ],
    cost: cost(request),
    slices,
  };
}

function readLine(line: string): SamplerLine | undefined {
  if (/Sampling process \d+ times a second/.test(line)) return { kind: 'started' };
  if (/Stopped sampling because process exited/.test(line))
    return { kind: 'stopped', because: 'target-ended' };
  if (/Stopped sampling because/.test(line)) return { kind: 'stopped', because: 'asked' };
  const written = /Wrote .* Samples: (\d+) Errors: (\d+)\s*$/.exec(line);
  if (written) return { kind: 'written', samples: Number(written[1]), errors: Number(written[2]) };
  const behind = /(\d+(?:\.\d+)?)(ns|µs|us|ms|s) behind in sampling/.exec(line);
  if (behind)
    return {
      kind: 'behind',
      seconds: Number(behind[1]) * (behind[2] === 's' ? 1 : behind[2] === 'ms' ? 1e-3 : 0),
    };
  return undefined;
}

export const pySpy: Backend = {
  id: 'py-spy',
  format: 'pyspy-raw',
  ends: 'counted',
  talk: 'stdout',
  plan,
  readLine,
};
