import type { Finding, Profile } from '../model/index.js';
import { chromeText, MOST_CHROME_DEPTH } from './chrome-events.js';
import type { Format } from './format.js';
import { stackDepths } from './speedscope-samples.js';
import { withoutTimesNote } from './time-notes.js';

/**
 * The Trace Event Format of Chrome ("Trace Event Format", Google document 1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU): JSON object
 * form, for ui.perfetto.dev and chrome://tracing. It is only written.
 */
export const CHROME: Format = {
  id: 'chrome',
  title: 'Chrome trace events (Perfetto)',
  sniff: () => 'no',
  write: chromeText,
  writeNotes: (profile) => [...withoutTimesNote(profile), ...deepStacks(profile)],
};

function deepStacks(profile: Profile): Finding[] {
  const depths = stackDepths(profile.stacks);
  if (!profile.samples.stack.some((row) => row >= 0 && (depths[row] as number) > MOST_CHROME_DEPTH))
    return [];
  return [
    {
      level: 'note',
      id: 'deep-stacks',
      what: `Stacks of more than ${MOST_CHROME_DEPTH} frames are written without their middle: "(frames left out)".`,
      why: 'Viewers of these files drop what is nested deeper.',
    },
  ];
}
