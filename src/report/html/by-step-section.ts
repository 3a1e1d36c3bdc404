import { type ByStep, type StepRow } from '../by-step.js';
import { microseconds, slowText, stepsText } from '../by-step-text.js';
import { bucketText, threadLabel } from '../names.js';
import type { Report } from '../report.js';
import { percent } from '../share-text.js';
import { swatch } from './bucket-color.js';
import { type Markup, markup } from './markup.js';
import { type Section, scrolling, section } from './sections.js';

/** What each bucket takes of a simulation step, and of the slow ones; where steps were recorded. */
export function byStepSection({ byStep }: Report): Section {
  if (byStep === undefined) return undefined;
  const { rows, slow, thread } = byStep;
  const table = markup`<table>
    <thead>
      <tr>
        <th scope="col">${threadLabel(thread)}</th>
        <th scope="col">µs a step</th>
        <th scope="col">95 %</th>
        <th scope="col">share</th>
        ${slow === undefined ? undefined : markup`<th scope="col">µs of a slow one</th>`}
      </tr>
    </thead>
    <tbody>
      ${rows.map((row) => rowOf(row, byStep))}
    </tbody>
  </table>`;
  return section(
    'by-step',
    'By simulation step',
    markup`<p>${stepsText(byStep)}</p>
      <p>${slowText(byStep)}</p>
      ${scrolling('Buckets by simulation step', table)}
      <p class="facts">A step lasts from the beginning of one to the beginning of the next; intervals are by counting alone.</p>`,
  );
}

function rowOf({ bucket, all, slow }: StepRow, byStep: ByStep): Markup {
  const us = (share: number): string => microseconds(share * byStep.all.meanUs);
  return markup`<tr>
    <th scope="row">${swatch(bucket)} ${bucketText(bucket)}</th>
    <td>${us(all.share)}</td>
    <td>${us(all.low)}–${us(all.high)}</td>
    <td>${percent(all.share)}</td>
    ${
      slow === undefined || byStep.slow === undefined
        ? undefined
        : markup`<td>${microseconds(slow.share * byStep.slow.meanUs)}</td>`
    }
  </tr>`;
}
