import type { Finding, Profile } from '../model/index.js';
import { chromeCalls, chromeText, MOST_CHROME_DEPTH } from './chrome-events.js';
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
  writeNotes: (profile) => [...withoutTimesNote(profile), ...deepStacks(profile), ...large(profile)],
};

/** Calls that a browser should open: some 300 MB of text. */
export const MOST_CHROME_CALLS = 2_000_000;

function large(profile: Profile): Finding[] {
  if (chromeCalls(profile, MOST_CHROME_CALLS) <= MOST_CHROME_CALLS) return [];
  return [
    {
      level: 'note',
      id: 'large-trace',
      what: `The trace has more than ${MOST_CHROME_CALLS / 1e6} million calls.`,
      why: 'A browser may take minutes to open it, or fail.',
      fix: 'profiler view --in perfetto --from 3.2 --to 3.4 -o FILE, or --in firefox, whose file is a small part of it',
    },
  ];
}

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
