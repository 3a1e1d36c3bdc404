import type { Bucket } from '../../model/index.js';
import { Markup, markup } from './markup.js';

/**
 * Fills of the buckets. Those that work have colours that stay apart for people with any kind of colour blindness (every two at least 15
 * apart in CIE Lab, as seen with each of them; a test holds that) and carry black text. Those that rest are grey with stripes, each at an
 * angle of its own, so that no colour has to tell them.
 */
export const BUCKET_FILL: Readonly<Record<Bucket, Fill>> = {
  physics: { color: '#58b4e9' },
  raycast: { color: '#e39e00' },
  render: { color: '#cf7aa9' },
  publishing: { color: '#019e73' },
  plugin: { color: '#f0e542' },
  executor: { color: '#3f79df' },
  load: { color: '#d55d00' },
  python: { color: '#a8caa6' },
  gc: { color: '#b66939' },
  'lock-wait': { color: '#d9d9d9', stripe: { angle: 0, gap: 4 } },
  'io-wait': { color: '#d9d9d9', stripe: { angle: 90, gap: 4 } },
  'gil-wait': { color: '#d9d9d9', stripe: { angle: 45, gap: 4 } },
  'cpu-wait': { color: '#d9d9d9', stripe: { angle: 135, gap: 4 } },
  pacer: { color: '#ececec', stripe: { angle: 45, gap: 9 } },
  idle: { color: '#ececec', stripe: { angle: 135, gap: 9 } },
  unclassified: { color: '#d9d9d9' },
};

export interface Fill {
  readonly color: string;
  /** Degrees clockwise from upright, and pixels between two stripes. */
  readonly stripe?: { readonly angle: number; readonly gap: number };
}

const patternId = (bucket: string): string => `stripes-${bucket}`;

/** What to write into `fill`. */
export function fillOf(bucket: Bucket): string {
  const { color, stripe } = BUCKET_FILL[bucket];
  return stripe === undefined ? color : `url(#${patternId(bucket)})`;
}

/** The stripes, once in a page. */
export function patterns(): Markup {
  const made = Object.entries(BUCKET_FILL).map(([bucket, { color, stripe }]) =>
    stripe === undefined
      ? undefined
      : markup`<pattern id="${patternId(bucket)}" width="${stripe.gap}" height="${stripe.gap}" patternUnits="userSpaceOnUse" patternTransform="rotate(${stripe.angle})">
          <rect width="${stripe.gap}" height="${stripe.gap}" fill="${color}" />
          <rect width="1.5" height="${stripe.gap}" fill="#8a8a8a" />
        </pattern>`,
  );
  return markup`<svg class="defs" width="0" height="0" aria-hidden="true"><defs>${made}</defs></svg>`;
}

/** A small square in the fill of a bucket. */
export function swatch(bucket: Bucket): Markup {
  return markup`<svg class="swatch" width="14" height="14" aria-hidden="true">
    <rect width="14" height="14" rx="2" fill="${fillOf(bucket)}" />
  </svg>`;
}
