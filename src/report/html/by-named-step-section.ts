import type { NamedStepRow } from '../by-named-step.js';
import { MOST_ROWS, bucketsText, milliseconds, stepNames } from '../by-named-step-text.js';
import { threadLabel } from '../names.js';
import type { Report } from '../report.js';
import { count, percent, plural } from '../share-text.js';
import { type Markup, markup } from './markup.js';
import { type Section, scrolling, section } from './sections.js';

/** Where the time of each step goes that the program names; where it names some. */
export function byNamedStepSection({ byNamedStep }: Report): Section {
  if (byNamedStep === undefined) return undefined;
  const { rows, steps, thread } = byNamedStep;
  const table = markup`<table>
    <thead>
      <tr>
        <th scope="col">${threadLabel(thread)}</th>
        <th scope="col">runs</th>
        <th scope="col">mean</th>
        <th scope="col">longest</th>
        <th scope="col">window</th>
        <th scope="col">where its time goes</th>
      </tr>
    </thead>
    <tbody>
      ${rows.slice(0, MOST_ROWS).map(rowOf)}
    </tbody>
  </table>`;
  return section(
    'by-step',
    'By step',
    markup`<p>${plural(steps, 'step')} ended, as the program tells.</p>
      ${scrolling('Buckets by step', table)}
      <p class="facts">Time is of the innermost step; of steps that ran beside each other (+) nobody knows of which one a sample was.</p>`,
  );
}

function rowOf(row: NamedStepRow): Markup {
  const { runs, share } = row;
  return markup`<tr>
    <th scope="row">${stepNames(row)}</th>
    <td>${runs === undefined ? '' : count(runs.count)}</td>
    <td>${runs === undefined ? '' : milliseconds(runs.meanMs)}</td>
    <td>${runs === undefined ? '' : milliseconds(runs.maxMs)}</td>
    <td>${percent(share)}</td>
    <td>${bucketsText(row)}</td>
  </tr>`;
}
