/**
 * perf, https://perf.wiki.kernel.org: `perf record` of a running process with a software clock, from version 5.9.
 *
 * Why these flags: see `perfRecordArgs`. It runs at its own priority: the kernel takes the samples, perf only writes them down.
 */
import type { PlannedCommand, RatedPlanRequest } from '../request.js';
import type { Backend, PlannedSlice, SamplerLine, SlicePlan } from '../backend.js';
import { sliceLengths } from '../slice-lengths.js';
import { DWARF_BYTES, perfRecordArgs } from '../../target/index.js';

function cost(request: RatedPlanRequest): string {
  const switches =
    request.perf?.mode.switches === 'stacks'
      ? ' and a stack of every switch of a thread (a few microseconds each)'
      : '';
  const copies =
    request.perf?.mode.callGraph === 'dwarf'
      ? ` Each sample copies up to ${DWARF_BYTES / 1024} KiB of stack: about ${((request.rateHz * DWARF_BYTES) / 1e6).toFixed(0)} MB a second for each thread that runs.`
      : '';
  return `Nothing is stopped. The kernel takes ${request.rateHz} samples a second of each thread that runs${switches}: less than 1 % of a core.${copies}`;
}

function plan(request: RatedPlanRequest): SlicePlan {
  const { route, perf, folder } = request;
  const mode = perf?.mode ?? { switches: 'stacks', kernel: true, callGraph: 'fp' };
  const lengths = sliceLengths(request);
  const slices = lengths.map((seconds, index): PlannedSlice => {
    const name = String(index).padStart(3, '0');
    const file = `slices/${name}.perf.data`;
    const args = perfRecordArgs(mode, route.targetPid, request.rateHz, `${folder}/${file}`);
    return { file, log: `slices/${name}.log`, args, argv: route.commands(args).at(-1) ?? args, seconds };
  });
  const commands = slices.flatMap(({ argv, file, seconds }, index): PlannedCommand[] => [
    {
      argv,
      purpose: `sample every thread, slice ${index + 1} of ${slices.length}, ended by SIGINT after ${seconds} s`,
    },
    ...(perf === undefined
      ? []
      : [
          {
            argv: perf.script(`${folder}/${file}`),
            purpose: 'print it with symbols, while the target lives',
          },
        ]),
  ]);
  return { backend: 'perf', route: route.id, commands, cost: cost(request), slices };
}

function readLine(line: string): SamplerLine | undefined {
  if (line.startsWith('Events enabled')) return { kind: 'started' };
  // How many it wrote, the recording itself tells: here it is rounded, or missing.
  if (/Captured and wrote /.test(line)) return { kind: 'written' };
  return undefined;
}

export const perf: Backend = {
  id: 'perf',
  format: 'pyspy-raw',
  ends: 'told',
  talk: 'stderr',
  plan,
  readLine,
};
