import type { Format } from './format.js';
import { firefoxText } from './firefox-file.js';
import { withoutTimesNote } from './time-notes.js';

/**
 * The processed profile of the Firefox Profiler (https://profiler.firefox.com), version 60: `src/types/profile.ts` and
 * `docs-developer/CHANGELOG-formats.md` of firefox-devtools/profiler. Newer ones of the page upgrade it, and Perfetto reads its tables.
 * It is only written.
 */
export const FIREFOX: Format = {
  id: 'firefox',
  title: 'Firefox Profiler JSON',
  sniff: () => 'no',
  write: firefoxText,
  writeNotes: withoutTimesNote,
};
