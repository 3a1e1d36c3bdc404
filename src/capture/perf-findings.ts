import type { Finding } from '../model/index.js';
import type { ResolvedPerf } from './resolve-perf.js';

/** What perf itself says went wrong, over all slices. `beside`: it sampled beside another sampler, at its own rate. */
export function perfFindings(slices: readonly ResolvedPerf[], beside: boolean): readonly Finding[] {
  const less = beside
    ? 'profiler attach … --backend py-spy  (without perf)'
    : 'profiler attach … --backend perf --rate 199';
  const sum = (of: (slice: ResolvedPerf) => number): number =>
    slices.reduce((all, slice) => all + of(slice), 0);
  const lost = sum((slice) => slice.lost);
  const throttled = sum((slice) => slice.throttled);
  const broken = slices.find(({ said }) => said !== '');
  const found: Finding[] = [];
  if (lost > 0)
    found.push({
      level: 'warning',
      id: 'perf-lost',
      what: `The kernel dropped ${lost} of perf's events.`,
      why: 'perf could not write as fast as they came: what is missing is most likely of the busiest moments.',
      fix: less,
    });
  if (throttled > 0)
    found.push({
      level: 'warning',
      id: 'perf-throttled',
      what: `The kernel paused sampling ${throttled} times.`,
      why: 'Taking the samples took more time than kernel.perf_cpu_time_max_percent allows.',
      fix: less,
    });
  if (broken !== undefined)
    found.push({
      level: 'warning',
      id: 'perf-script-failed',
      what: 'perf could not print a slice to its end.',
      why: `Its own words: ${broken.said.slice(-200)}`,
      fix: 'perf script -i SLICE.perf.data',
    });
  return found;
}
