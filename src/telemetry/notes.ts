import type { CategoryFigures } from './api.js';
import { BEYOND } from './recorder.js';

/** Of fewer calls the 99th percentile is little else than the largest. */
const FEWEST = 100;
const FAR = 3;
/** Less than that nobody sees in a frame. */
const VISIBLE_MS = 1;

export function stutters({ calls, meanMs, p99Ms }: CategoryFigures): boolean {
  return calls >= FEWEST && p99Ms > FAR * meanMs;
}

export function hasSlowFirst({ calls, threads, firstMs, meanOfOthersMs }: CategoryFigures): boolean {
  return calls > threads && firstMs > FAR * meanOfOthersMs && firstMs - meanOfOthersMs >= VISIBLE_MS;
}

/** What one has to know before numbers are believed. */
export function notesOf(categories: readonly CategoryFigures[], maxCategories: number): readonly string[] {
  return categories.flatMap((category) => [
    ...(category.name === BEYOND
      ? [
          `${counted(category.calls, 'call')} of categories beyond the first ${maxCategories} of a thread are in ${BEYOND}: names with a number in them make a category each (maxCategories).`,
        ]
      : []),
    ...SENTENCES.flatMap(([key, say]) => (category[key] > 0 ? [say(category, category[key])] : [])),
  ]);
}

type Count =
  | 'open'
  | 'illPaired'
  | 'clockBack'
  | 'untouchedPromises'
  | 'refused'
  | 'torn'
  | 'ownUnknownCalls';

const SENTENCES: readonly (readonly [Count, (category: CategoryFigures, count: number) => string])[] = [
  ['open', ({ name }, n) => `${name}: ${counted(n, 'call')} begun and not ended.`],
  [
    'illPaired',
    ({ name }, n) =>
      `${name}: ${counted(n, 'end')} out of order, of a span that had ended, or never made; durations hold, own time of these is not known.`,
  ],
  [
    'clockBack',
    ({ name }, n) => `${name}: the clock went back, or was none, in ${counted(n, 'call')}, counted as 0 ms.`,
  ],
  [
    'untouchedPromises',
    ({ name }, n) =>
      `${name}: ${counted(n, 'call')} returned a promise with something of its own, and ended there; in an async function it is timed to the end.`,
  ],
  ['refused', ({ name }, n) => `${name}: ${counted(n, 'value')} given to record() were no durations.`],
  [
    'torn',
    ({ name }, n) =>
      `${name}: ${counted(n, 'thread')} could not be read between two writes: its last call may be counted in part.`,
  ],
  [
    'ownUnknownCalls',
    ({ name, calls }, n) =>
      `${name}: own time is of ${calls - n} of ${counted(calls, 'call')}; of the others it is not known what was inside.`,
  ],
];

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
