import { threadLabel } from '../names.js';
import { bucketText } from '../names.js';
import type { FlameData } from '../../page/index.js';
import type { Bucket } from '../../model/index.js';
import type { Flame, Report } from '../report.js';
import { percent, plural } from '../share-text.js';
import { safeJson } from '../terminal-text.js';
import { fillOf } from './bucket-color.js';
import { Markup, markup } from './markup.js';
import { type Section, section } from './sections.js';

/** Said where the drawing leaves something out. */
function lossText({ tree }: Flame): string {
  const parts = [
    ...(tree.pooledNodes > 0
      ? [`${plural(tree.pooledNodes, 'frame')} too small to draw stand pooled (${percent(tree.pooledShare)})`]
      : []),
    ...(tree.deepShare > 0
      ? [
          `${percent(tree.deepShare)} is in stacks deeper than what is drawn, and belongs to the last frame drawn`,
        ]
      : []),
  ];
  return parts.length === 0 ? '' : `${parts.join('; ')}. The whole is in: profiler view.`;
}

/** The flame graph of the first thread; the page's program draws it. */
export function flameSection(report: Report): Section {
  const { flame, breakdown } = report;
  const thread = breakdown.threads.find(({ buckets }) => buckets.length > 0);
  if (flame === undefined || thread === undefined) return undefined;
  const loss = lossText(flame);
  return section(
    'flame',
    `Flame graph of ${threadLabel(thread.thread)}`,
    markup`<p class="facts">
        Width is time, colour is bucket. Lines of one function are one frame.${loss === '' ? '' : ` ${loss}`}
      </p>
      <noscript><p>The flame graph needs JavaScript; everything else does not.</p></noscript>
      <div class="flame-tools" hidden>
        <label>Search
          <input type="search" id="flame-search" placeholder="function, file or bucket" autocomplete="off" spellcheck="false">
        </label>
        <button type="button" id="flame-reset">Reset zoom</button>
        <button type="button" id="flame-turn" aria-pressed="false">Flames up</button>
        <span id="flame-found" role="status"></span>
      </div>
      <div id="flame-graph"></div>
      <p id="flame-details" class="facts" aria-live="polite">
        Click or press Enter to zoom, arrow keys to move, Escape to zoom out, / to search.
      </p>`,
  );
}

/** What the page's program reads. In it no `<` stands, so nothing can end its element. */
export function flameScript({ flame, breakdown }: Report): Markup | undefined {
  const thread = breakdown.threads.find(({ buckets }) => buckets.length > 0);
  if (flame === undefined || thread === undefined) return undefined;
  const { names, nodes, buckets } = flame.tree;
  const sampled = breakdown.unit === 'samples' ? 'samples' : 'recorded time';
  const data: FlameData = {
    names,
    nodes,
    buckets,
    bucketTexts: buckets.map((bucket) => bucketText(bucket as Bucket)),
    fills: buckets.map((bucket) => fillOf(bucket as Bucket)),
    ...(flame.seconds === undefined ? {} : { seconds: flame.seconds }),
    of: thread.estimate.mode === 'samples' ? sampled : 'wall time',
  };
  const text = safeJson(data, 0).replaceAll('<', '\\u003c');
  return new Markup(`<script type="application/json" id="flame-data">${text}</script>`);
}
