import type { Finding } from '../../model/index.js';
import { shellLine } from '../../model/index.js';
import type { Hot, HotRow, ThreadAnswer } from '../answer.js';
import { denominatorText, reliabilityText, remedyTexts } from '../breakdown-text.js';
import { byLevel } from '../findings-text.js';
import { lostLines, windowText } from '../header-text.js';
import { moreWeightText } from '../hot-text.js';
import { headline } from '../headline.js';
import { bucketText, frameLabel, threadLabel } from '../names.js';
import type { RecordedFacts, Report } from '../report.js';
import { apartText, interval, percent, plural } from '../share-text.js';
import { truncateMiddle } from '../terminal-text.js';
import { swatch } from './bucket-color.js';
import { type Content, type Markup, markup } from './markup.js';

/** One part of the page; undefined where there is nothing to say. */
export type Section = Markup | undefined;

export function section(id: string, title: string, content: Content): Markup {
  return markup`<section id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}</h2>
    ${content}
  </section>`;
}

/** A box that scrolls by itself where the screen is too narrow, also by keyboard. */
export function scrolling(label: string, content: Content): Markup {
  return markup`<div class="scroll" role="region" aria-label="${label}" tabindex="0">${content}</div>`;
}

const MARK = { blocker: 'Error', warning: 'Warning', note: 'Note' } as const;

export function findingItem(finding: Finding): Markup {
  const fix = finding.fix === undefined ? undefined : markup`<pre><code>${finding.fix}</code></pre>`;
  return markup`<li class="${finding.level}">
    <strong>${MARK[finding.level]}:</strong> ${finding.what} <span class="why">${finding.why}</span>${fix}
  </li>`;
}

/** The answer in a few sentences. */
export function headlineSection({ breakdown }: Report): Section {
  return markup`<section id="answer" aria-label="The answer">
    ${headline(breakdown).map(
      (paragraph, at) => markup`<p class="${at === 0 ? 'headline' : 'lead'}">${paragraph}</p>`,
    )}
  </section>`;
}

/** What makes the answer worth less than it looks, before everything else. */
export function alarmSection({ breakdown }: Report): Section {
  const alarms = byLevel(breakdown.findings).filter((finding) => finding.level !== 'note');
  if (alarms.length === 0) return undefined;
  return section(
    'warnings',
    'Before you believe it',
    markup`<ul class="findings">
      ${alarms.map(findingItem)}
    </ul>`,
  );
}

export function reliabilitySection({ breakdown }: Report): Section {
  const notes = breakdown.findings.filter((finding) => finding.level === 'note');
  const lost = lostLines(breakdown.lost).map((line) => markup`<li class="note">${line.trim()}</li>`);
  return section(
    'reliability',
    'How far to trust it',
    markup`<p>${reliabilityText(breakdown)}</p>
      ${
        notes.length + lost.length === 0
          ? undefined
          : markup`<ul class="findings">
              ${lost}${notes.map(findingItem)}
            </ul>`
      }`,
  );
}

/** What would make the time of the first thread cheaper. */
export function remedySection({ breakdown }: Report): Section {
  const texts = breakdown.threads.slice(0, 1).flatMap(remedyTexts);
  if (texts.length === 0) return undefined;
  return section(
    'try',
    'What to try',
    markup`<ul>
      ${texts.map((text) => markup`<li>${text}</li>`)}
    </ul>`,
  );
}

/** Columns of a leaf in a row. */
const LEAF_COLUMNS = 120;
/** Frames of a stack that are written out; the rest is in the recording. */
const MOST_FRAMES = 60;

function stackItem(row: HotRow, { hot }: Report): Markup {
  const stack = (row.stack ?? []).map((frame) => truncateMiddle(frameLabel(frame), 300));
  const leaf = stack.at(-1) ?? '(no usable stack)';
  const shown =
    stack.length <= MOST_FRAMES
      ? stack
      : [
          ...stack.slice(0, MOST_FRAMES / 2),
          `… ${stack.length - MOST_FRAMES} frames more …`,
          ...stack.slice(-MOST_FRAMES / 2),
        ];
  const range = row.low === undefined || row.high === undefined ? '' : ` (${interval(row.low, row.high)})`;
  const bucket = row.bucket ?? 'unclassified';
  const several = row.thread !== undefined && hot.total.threads > 1;
  return markup`<li>
    <details>
      <summary>
        <span class="share">${row.share === undefined ? '' : percent(row.share)}</span>${swatch(bucket)}
        <span class="bucket">${bucketText(bucket, row.kind)}${row.label === undefined ? '' : ` ${row.label}`}</span>
        <code>${truncateMiddle(leaf, LEAF_COLUMNS)}</code>
        ${several ? markup`<span class="facts">${threadLabel(row.thread)}</span>` : undefined}
      </summary>
      <p class="facts">
        ${row.weight === undefined ? '' : stackWeight(row, hot)}${range === '' ? '' : `, 95 % interval of the share${range}`}
      </p>
      <ol class="stack">
        ${shown.map((frame) => markup`<li><code>${frame}</code></li>`)}
      </ol>
    </details>
  </li>`;
}

function stackWeight({ weight = 0, waiting = 0 }: HotRow, { total }: Hot): string {
  return moreWeightText({ more: { rows: 1, weight, waiting }, total });
}

/** Of the same source; what came from standard input is gone. */
function hotCommand({ source, rows, more }: Hot): string[] {
  const named = source.path === '-' ? 'FILE' : source.path;
  return ['profiler', 'hot', named, '--top', String(rows.length + more.rows)];
}

export function hotSection(report: Report): Section {
  const { hot } = report;
  if (hot.rows.length === 0) return undefined;
  const more =
    hot.more.rows === 0
      ? undefined
      : markup`<p class="facts">
          ${plural(hot.more.rows, 'more stack')} with ${moreWeightText(hot)}:
          <code>${shellLine(hotCommand(hot))}</code>
        </p>`;
  return section(
    'hot',
    'Hottest stacks',
    markup`<p class="facts">
        Shares are of each thread's own
        ${hot.denominator === 'wall' ? 'wall time' : hot.total.unit === 'samples' ? 'samples' : 'recorded time'}${apartText(hot)}.
        Open one for its callers, outermost first.
      </p>
      <ol class="hot">
        ${hot.rows.map((row) => stackItem(row, report))}
      </ol>
      ${more}`,
  );
}

function fact(name: string, value: Content): Markup {
  return markup`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

/** More command lines than this are shown when asked for: a long recording has one for each slice. */
const FEW_COMMANDS = 8;

function recordedFacts(facts: RecordedFacts): Content {
  const commands = facts.commands.map((command) => markup`<pre><code>${shellLine(command)}</code></pre>`);
  return [
    fact('Recorded', `${facts.createdAt} by sim-profiler ${facts.toolVersion}`),
    fact('Program', markup`<code>${truncateMiddle(facts.target.join(' '), 400)}</code>`),
    fact('Runtime', facts.runtime),
    facts.container === undefined ? undefined : fact('Container', facts.container),
    fact('Route', facts.route),
    fact('Sampler', `${facts.sampler}, ${facts.policy}, ${plural(facts.slices, 'slice')}`),
    fact('Machine', `${plural(facts.machine.cpus, 'CPU')}, Linux ${facts.machine.kernel}`),
    fact(
      'Commands',
      commands.length <= FEW_COMMANDS
        ? commands
        : markup`<details><summary>${commands.length} command lines</summary>${commands}</details>`,
    ),
  ];
}

/** How the numbers came about. */
export function recordedSection({ recorded, breakdown }: Report): Section {
  const { source } = breakdown;
  const window = windowText(breakdown.window);
  return section(
    'recorded',
    'How it was recorded',
    markup`<dl>
        ${fact('Source', markup`<code>${source.path}</code> (${source.format})`)}${
          window === undefined ? undefined : fact('Window', window)
        }${recorded === undefined ? undefined : recordedFacts(recorded)}
      </dl>
      ${
        breakdown.run === undefined
          ? undefined
          : markup`<p>
              Ask it more: <code>${shellLine(['profiler', 'hot', breakdown.run.folder])}</code> ·
              <code>${shellLine(['profiler', 'threads', breakdown.run.folder])}</code> ·
              <code>${shellLine(['profiler', 'view', breakdown.run.folder])}</code>
            </p>`
      }`,
  );
}

/** What the shares of a thread are of, in a sentence. */
export function denominator(thread: ThreadAnswer, { breakdown }: Report): string {
  return denominatorText(thread, breakdown.unit);
}
