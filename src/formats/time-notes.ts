import type { Finding, Profile } from '../model/index.js';

/** What the times in a file are, in a sentence for people. */
export function timesText({ unit, samples }: Profile): string {
  if (samples.timeNs === undefined)
    return 'The source has no times: equal stacks stand together, the heaviest first, and when something ran is not known.';
  return unit === 'nanoseconds'
    ? 'Every sample stands at its own time, as long as it was measured.'
    : 'Every sample stands at its own time, until the next one of its thread.';
}

/** For a viewer that draws time. */
export function withoutTimesNote(profile: Profile): Finding[] {
  if (profile.samples.timeNs !== undefined) return [];
  return [
    {
      level: 'note',
      id: 'no-sample-times',
      what: 'The source has no times of its samples: in the file their stacks lie end to end, the heaviest first.',
      why: 'Widths are right; the axis is no time, so nothing can be read from what stands before or after.',
      fix: 'profiler attach --backend cpython (or node): they keep the time of every sample',
    },
  ];
}
