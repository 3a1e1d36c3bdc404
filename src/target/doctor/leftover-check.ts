import type { JournalEntry } from '../journal/journal.js';
import type { Check } from './check.js';

/** What ended runs wrote down and did not take back. Nothing to say where there is none. */
export function leftoverCheck(
  journals: readonly Pick<JournalEntry, 'traces'>[],
  unreadable = 0,
): readonly Check[] {
  const things = journals.reduce((sum, { traces }) => sum + traces.length, 0);
  if (things === 0 && unreadable === 0) return [];
  const ended = `${journals.length === 1 ? 'a run' : `${journals.length} runs`} ended without taking back ${things === 1 ? 'one thing' : `${things} things`}`;
  const damaged = `${unreadable === 1 ? 'a journal' : `${unreadable} journals`} of earlier runs cannot be read`;
  return [
    {
      group: 'leftovers',
      id: 'leftovers',
      name: 'leftovers',
      state: 'limited',
      what: [...(things === 0 ? [] : [ended]), ...(unreadable === 0 ? [] : [damaged])].join('; '),
      fix: 'profiler cleanup --dry-run  (says what; without --dry-run it takes it back)',
    },
  ];
}
