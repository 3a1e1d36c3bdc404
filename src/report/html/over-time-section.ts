import { STATE_TEXT, type SampleState } from '../../model/index.js';
import { bucketText, threadLabel } from '../names.js';
import type { OverTime } from '../over-time.js';
import { axisText, changeTexts, rangeText } from '../over-time-text.js';
import { secondText } from '../header-text.js';
import type { Report } from '../report.js';
import { count, percent, wholePercent } from '../share-text.js';
import type { OverTimeRow, TimeBin } from '../time-bins.js';
import { fillOf, swatch } from './bucket-color.js';
import { across } from './breakdown-section.js';
import { type Content, Markup, markup } from './markup.js';
import { type Section, scrolling, section } from './sections.js';

const HEIGHT = 140;
const STATE_HEIGHT = 24;

/** As in the rows of threads: what runs is dark, what waits is striped, what rests is light. */
const STATE_LOOK: Readonly<Record<SampleState, string>> = {
  running: 'class="on-cpu"',
  'cpu-wait': 'fill="url(#stripes-cpu-wait)"',
  'gil-wait': 'fill="url(#stripes-gil-wait)"',
  blocked: 'fill="url(#stripes-lock-wait)"',
  sleep: 'class="blocked"',
  unknown: 'fill="none"',
};

interface Part<Id> {
  readonly row: OverTimeRow<Id>;
  readonly name: string;
  /** Attribute that says how it looks. */
  readonly look: Markup;
}

/** One moment, its parts stacked from the bottom. */
function column<Id>(
  bin: TimeBin,
  at: number,
  parts: readonly Part<Id>[],
  { fromS, wholeS, height }: { readonly fromS: number; readonly wholeS: number; readonly height: number },
): Markup {
  const x = across((bin.fromS - fromS) / wholeS);
  const width = across((bin.toS - bin.fromS) / wholeS);
  const present = parts.filter(({ row }) => (row.shares[at] ?? 0) > 0);
  const words = present.map(({ row, name }) => `${name} ${percent(row.shares[at] ?? 0)}`).join(', ');
  let below = 0;
  const rects = present.map(({ row, look }) => {
    const share = Math.min(1, row.shares[at] ?? 0);
    below += share;
    return markup`<rect x="${x}" width="${width}" y="${((1 - Math.min(1, below)) * height).toFixed(2)}" height="${(share * height).toFixed(2)}" ${look}/>`;
  });
  const title = `${secondText(bin.fromS)} to ${secondText(bin.toS)} s: ${words === '' ? 'no samples' : words}`;
  return markup`<g><title>${title}</title>${rects}</g>`;
}

function chart<Id>(overTime: OverTime, parts: readonly Part<Id>[], height: number, about: string): Markup {
  const { bins } = overTime;
  const fromS = bins[0]?.fromS ?? 0;
  const wholeS = (bins.at(-1)?.toS ?? 0) - fromS;
  const ranges = parts.map(({ row, name }) => `${name} ${rangeText(row)}`).join(', ');
  return markup`<svg class="over-time" width="100%" height="${height}" role="img" aria-label="${about}: ${ranges}">
    ${bins.map((bin, at) => column(bin, at, parts, { fromS, wholeS, height }))}
  </svg>`;
}

function key<Id>(parts: readonly Part<Id>[], swatchOf: (id: Id) => Content): Markup {
  return markup`<p class="facts key">
    ${parts.map(({ row, name }) => markup`<span class="entry">${swatchOf(row.id)} ${name} ${rangeText(row)}</span> `)}
  </p>`;
}

/** The numbers behind the picture, for who does not see it and for who wants them. */
function numbers({ bins, buckets }: OverTime): Markup {
  const rows = bins.map(
    ({ fromS, toS, looks }, at) => markup`<tr>
      <th scope="row">${secondText(fromS)}–${secondText(toS)} s</th>
      <td>${count(looks)}</td>
      ${buckets.map(({ shares }) => markup`<td>${shares[at] === undefined ? '' : wholePercent(shares[at])}</td>`)}
    </tr>`,
  );
  const table = markup`<table>
    <thead>
      <tr>
        <th scope="col">moment</th>
        <th scope="col">samples</th>
        ${buckets.map(({ id }) => markup`<th scope="col">${bucketText(id)}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
  return markup`<details>
    <summary>In numbers</summary>
    ${scrolling('Buckets over time, in numbers', table)}
  </details>`;
}

function stateSwatch(id: SampleState): Markup {
  return markup`<svg width="14" height="14" aria-hidden="true"><rect width="14" height="14" ${new Markup(STATE_LOOK[id])} /></svg>`;
}

function stateChart(overTime: OverTime, name: string): Content {
  if (overTime.states === undefined) return undefined;
  const parts = overTime.states.map((row) => ({
    row,
    name: STATE_TEXT[row.id],
    look: new Markup(STATE_LOOK[row.id]),
  }));
  return [chart(overTime, parts, STATE_HEIGHT, `${name} over time, by the kernel`), key(parts, stateSwatch)];
}

/** The buckets of the first thread, moment by moment, where samples have times. */
export function overTimeSection({ overTime }: Report): Section {
  if (overTime === undefined) return undefined;
  const { bins, binS, buckets, thread } = overTime;
  const name = threadLabel(thread);
  const parts = buckets.map((row) => ({
    row,
    name: bucketText(row.id),
    look: markup`fill="${fillOf(row.id)}"`,
  }));
  return section(
    'over-time',
    `${name} over time`,
    markup`${changeTexts(overTime).map((text) => markup`<p>${text}</p>`)}
      ${chart(overTime, parts, HEIGHT, `Buckets of ${name} over time`)}${stateChart(overTime, name)}
      <p class="facts axis">
        <span>${axisText(bins[0]?.fromS ?? 0)} s</span><span>${axisText(bins.at(-1)?.toS ?? 0)} s</span>
      </p>
      ${key(parts, swatch)}
      <p class="facts">
        One column is ${secondText(binS)} s; shares are of the samples of the moment, and behind each bucket stands
        its lowest and highest.
      </p>
      ${numbers(overTime)}`,
  );
}
