import { BUCKETS } from '../model/index.js';
import type { Bucket } from '../model/index.js';
import { viewerName } from './viewer-name.js';

/** Of `CategoryColor`: the page knows these, and no others. Transparent is what does not work. */
const COLORS: Readonly<Record<Bucket, string>> = {
  physics: 'blue',
  raycast: 'orange',
  render: 'magenta',
  publishing: 'green',
  plugin: 'yellow',
  executor: 'purple',
  load: 'brown',
  python: 'lightblue',
  gc: 'red',
  'lock-wait': 'lightred',
  'io-wait': 'lightred',
  'gil-wait': 'lightred',
  'cpu-wait': 'lightred',
  pacer: 'transparent',
  idle: 'transparent',
  unclassified: 'darkgrey',
};

export interface FirefoxCategory {
  readonly name: string;
  readonly color: string;
  /** The first is the category itself. */
  readonly subcategories: readonly string[];
}

/** Category and subcategory, as two columns have them. */
export type CategoryPlace = readonly [category: number, subcategory: number];

/** The category of what has none: the page asks for a grey one. */
export const OTHER: CategoryPlace = [0, 0];

/** Buckets as categories, their kinds as subcategories, in the order in which they are asked for. */
export class FirefoxCategories {
  readonly #kinds = new Map<Bucket, string[]>(BUCKETS.map((bucket) => [bucket, ['Other']]));

  place(bucket: Bucket, kind?: string): CategoryPlace {
    const category = BUCKETS.indexOf(bucket) + 1;
    if (kind === undefined) return [category, 0];
    const kinds = this.#kinds.get(bucket) ?? [];
    const name = viewerName(kind);
    const known = kinds.indexOf(name);
    return [category, known >= 0 ? known : kinds.push(name) - 1];
  }

  list(): readonly FirefoxCategory[] {
    const buckets = BUCKETS.map((bucket) => ({
      name: bucket,
      color: COLORS[bucket],
      subcategories: this.#kinds.get(bucket) ?? ['Other'],
    }));
    return [{ name: 'Other', color: 'grey', subcategories: ['Other'] }, ...buckets];
  }
}
