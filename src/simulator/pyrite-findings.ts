import type { Finding } from '../model/index.js';
import { FRAME, RING } from './pyrite-category.js';
import type { PyriteCategory } from './pyrite-category.js';

/** Of fewer samples the 99th percentile is little else than the largest. */
const FEWEST = 100;
const FAR = 3;

export function pyriteFindings(categories: readonly PyriteCategory[]): readonly Finding[] {
  return [...stutter(categories), ...capped(categories), ...maybeCapped(categories), ...nested(categories)];
}

/** Which categories stutter; a warning where frames do. */
export function stutter(
  categories: readonly Pick<PyriteCategory, 'name' | 'calls' | 'meanUs' | 'p99Us'>[],
): readonly Finding[] {
  const found = categories.filter(
    ({ calls, meanUs, p99Us }) => calls >= FEWEST && meanUs > 0 && p99Us > FAR * meanUs,
  );
  if (found.length === 0) return [];
  const texts = found
    .toSorted((a, b) => b.p99Us - a.p99Us)
    .map(({ name, meanUs, p99Us }) => `${name} (mean ${ms(meanUs)}, P99 ${ms(p99Us)})`);
  return [
    {
      level: found.some(({ name }) => name === FRAME) ? 'warning' : 'note',
      id: 'stutter',
      what: `The slowest hundredth takes more than ${FAR} times the mean in ${texts.join(', ')}.`,
      why: 'That is stutter: a mean that looks fine hides single frames that do not; of a category of several threads it may also be one slow thread.',
    },
  ];
}

function ms(us: number): string {
  return `${(us / 1000).toFixed(3)} ms`;
}

function capped(categories: readonly PyriteCategory[]): readonly Finding[] {
  const names = categories.filter(({ isCapped }) => isCapped).map(({ name }) => name);
  if (names.length === 0) return [];
  return [
    {
      level: 'warning',
      id: 'ring-full',
      what: `Counts and totals are capped in ${names.join(', ')}: only the last ${RING} calls of each thread are kept.`,
      why: 'How often they were called in all is unknown, and the cold start with its slowest calls is gone from the maximum.',
      fix: 'Profiler(max_samples_per_category=...) with more than the calls of a run',
    },
  ];
}

/** The ring of one thread may be full while that of another is not. */
function maybeCapped(categories: readonly PyriteCategory[]): readonly Finding[] {
  const names = categories.filter(({ calls, isCapped }) => calls > RING && !isCapped).map(({ name }) => name);
  if (names.length === 0) return [];
  return [
    {
      level: 'note',
      id: 'ring-may-be-full',
      what: `More than ${RING} calls are kept of ${names.join(', ')}, so several threads made them, and the ring of one may be full.`,
      why: 'Then their counts and totals are too small.',
    },
  ];
}

function nested(categories: readonly PyriteCategory[]): readonly Finding[] {
  if (categories.length < 2) return [];
  return [
    {
      level: 'note',
      id: 'categories-nest',
      what: 'Categories contain each other: totals are not to be added.',
      why: 'Frame_Total holds Pyrite_Update and Pyrite_Render, these hold World_*, and a category that calls itself holds itself; threads are merged under one name.',
    },
  ];
}
