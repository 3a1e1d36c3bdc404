import type { BucketShare } from '../../stats/index.js';
import type { BucketAnswer, ThreadAnswer } from '../answer.js';
import { inReadingOrder, labelsOf } from '../breakdown-text.js';
import { bucketText, threadLabel } from '../names.js';
import type { Report } from '../report.js';
import { interval, percent, times, wholePercent } from '../share-text.js';
import { fillOf, swatch } from './bucket-color.js';
import { type Content, type Markup, markup } from './markup.js';
import { type Section, denominator, scrolling, section } from './sections.js';

/** A part below this share is in its bucket's row alone. */
const WORTH_SPLITTING = 0.01;
/** A segment below this share has no room for its name. */
const WORTH_NAMING = 0.07;

/** Attribute values in percent of the width. */
export const across = (share: number): string => `${(Math.min(1, Math.max(0, share)) * 100).toFixed(3)}%`;

/** The whole time of a thread as one bar; a whisker at the end of a segment is the 95 % interval of its width. */
function stackedBar(thread: ThreadAnswer, hasIntervals: boolean): Markup {
  const buckets = inReadingOrder(thread.buckets);
  let at = 0;
  const parts = buckets.map((bucket) => {
    const start = at;
    at += bucket.share;
    return { bucket, start, end: at };
  });
  const segments = parts.map(({ bucket, start }) => {
    const name = bucketText(bucket.bucket);
    const label =
      bucket.share < WORTH_NAMING
        ? undefined
        : markup`<svg x="${across(start)}" width="${across(bucket.share)}" height="34">
            <text x="6" y="21">${name}</text>
          </svg>`;
    const words = `${name}: ${percent(bucket.share)}${rangeText(bucket, hasIntervals)}`;
    return markup`<g>
      <title>${words}</title>
      <rect x="${across(start)}" width="${across(bucket.share)}" height="34" fill="${fillOf(bucket.bucket)}" class="segment" />
      ${label}
    </g>`;
  });
  const whiskers = parts
    .filter(({ bucket }) => hasIntervals && !bucket.exact && bucket.high > bucket.low)
    .map(({ bucket, start }, index) => {
      const [low, high] = [start + bucket.low, start + bucket.high];
      // Neighbours reach over each other: three rows keep them apart.
      const y = 39 + (index % 3) * 6;
      return [line(low, high, y, y), line(low, low, y - 2, y + 2), line(high, high, y - 2, y + 2)];
    });
  const words = buckets.map((bucket) => `${bucketText(bucket.bucket)} ${percent(bucket.share)}`).join(', ');
  return markup`<svg class="stacked" width="100%" height="56" role="img" aria-label="${threadLabel(thread.thread)}: ${words}">
    ${segments}${whiskers}
  </svg>`;
}

/** A line from one share of the width to another. */
function line(from: number, to: number, y1: number, y2: number): Markup {
  return markup`<line x1="${across(from)}" x2="${across(to)}" y1="${y1}" y2="${y2}" class="whisker" />`;
}

function rangeText(row: BucketShare, hasIntervals: boolean): string {
  if (row.exact) return ', exact';
  return hasIntervals ? `, 95 % interval ${interval(row.low, row.high)}` : '';
}

/** The share as a bar of its own, with its interval: all bars of a table have one scale. */
function shareBar(row: BucketShare, fill: string, hasIntervals: boolean): Markup {
  const whisker =
    row.exact || !hasIntervals
      ? undefined
      : markup`<line x1="${across(row.low)}" x2="${across(row.high)}" y1="7" y2="7" class="whisker" />`;
  return markup`<svg class="bar" width="100%" height="14" aria-hidden="true">
    <rect width="${across(row.share)}" height="14" fill="${fill}" class="segment" />
    ${whisker}
  </svg>`;
}

function tableRow(
  name: Content,
  one: BucketShare,
  fill: string,
  { hasIntervals, hasCeilings, isPart }: Columns & { readonly isPart: boolean },
): Markup {
  return markup`<tr class="${isPart ? 'part' : 'whole'}">
    <th scope="row">${name}</th>
    <td class="bars">${shareBar(one, fill, hasIntervals)}</td>
    <td>${percent(one.share)}</td>
    <td>${one.exact ? 'exact' : hasIntervals ? interval(one.low, one.high) : ''}</td>
    <td>${one.ofWork === undefined ? '' : wholePercent(one.ofWork)}</td>
    ${hasCeilings ? markup`<td>${one.ceiling === undefined ? '' : times(one.ceiling)}</td>` : undefined}
  </tr>`;
}

interface Columns {
  readonly hasIntervals: boolean;
  readonly hasCeilings: boolean;
}

function bucketRows(bucket: BucketAnswer, columns: Columns): Markup[] {
  const parts = bucket.parts.filter((part) => part.samples > 0 || part.share > 0);
  const only = parts.length === 1 ? parts[0] : undefined;
  const fill = fillOf(bucket.bucket);
  const labels = labelsOf(bucket);
  const name = markup`${swatch(bucket.bucket)}
  ${bucketText(bucket.bucket, only?.kind)}
    <span class="facts">${labels}</span>`;
  const whole = tableRow(name, bucket, fill, { ...columns, isPart: false });
  if (parts.length < 2) return [whole];
  const split = parts
    .filter((part) => part.share >= WORTH_SPLITTING)
    .map((part) => {
      const label = part.label ?? (part.kind === undefined ? '(rest)' : '');
      const kind = part.kind === undefined ? '' : `/${part.kind} `;
      return tableRow(`${kind}${label}`, part, fill, { ...columns, isPart: true });
    });
  return [whole, ...split];
}

/** Where the wall time of a thread goes: one bar, and a table with what the bar cannot say. */
function threadBreakdown(thread: ThreadAnswer, report: Report): Markup {
  const { unit } = report.breakdown;
  const columns = { hasIntervals: unit === 'samples', hasCeilings: thread.role === 'physics' };
  const share =
    thread.estimate.mode !== 'samples' ? 'of wall' : unit === 'samples' ? 'of samples' : 'of time';
  const table = markup`<table>
    
    <thead>
      <tr>
        <th scope="col">bucket</th>
        <td></td>
        <th scope="col">${share}</th>
        <th scope="col">95 %</th>
        <th scope="col">of work</th>
        ${columns.hasCeilings ? markup`<th scope="col">unpaced, if free</th>` : undefined}
      </tr>
    </thead>
    <tbody>
      ${inReadingOrder(thread.buckets).flatMap((bucket) => bucketRows(bucket, columns))}
    </tbody>
  </table>`;
  return markup`${stackedBar(thread, columns.hasIntervals)}
    <p class="facts">${denominator(thread, report)}</p>
    ${scrolling(`Buckets of ${threadLabel(thread.thread)}`, table)}`;
}

/** The breakdown of the physics thread; where none is known, of every thread that the answer is about, busiest first. */
export function breakdownSection(report: Report): Section {
  const { breakdown } = report;
  const sampled = breakdown.threads.filter((thread) => thread.buckets.length > 0);
  const [first] = sampled;
  if (first === undefined) return undefined;
  const others = sampled.slice(1, MOST_OTHERS + 1);
  const title = breakdown.physicsKnown
    ? `Where the time of ${threadLabel(first.thread)} goes`
    : 'Where the time goes';
  const rest =
    others.length === 0
      ? undefined
      : markup`<details class="others">
          <summary>Other threads (${sampled.length - 1})</summary>
          ${others.map(
            (thread) =>
              markup`<h3>${threadLabel(thread.thread)} (${thread.role})</h3>
                ${threadBreakdown(thread, report)}`,
          )}${sampled.length - 1 > others.length ? markup`<p class="facts">${sampled.length - 1 - others.length} more: <code>profiler buckets</code></p>` : undefined}
        </details>`;
  return section('breakdown', title, markup`${threadBreakdown(first, report)}${rest}`);
}

/** Threads whose tables are in the page: the rest have next to nothing to tell. */
const MOST_OTHERS = 12;
