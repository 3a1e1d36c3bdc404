import { type ByStep, type StepRow } from '../by-step.js';
import { microseconds, slowText, stepsText } from '../by-step-text.js';
import { beganS, beyondText, lengthUs, openSlowest, shownSlowest } from '../by-step-slowest.js';
import { bucketText, threadLabel } from '../names.js';
import type { Report } from '../report.js';
import { count, percent } from '../share-text.js';
import { swatch } from './bucket-color.js';
import { type Content, type Markup, markup } from './markup.js';
import { type Section, scrolling, section } from './sections.js';

/** What each bucket takes of a simulation step, and of the slow ones; where steps were recorded. */
export function byStepSection({ byStep, breakdown }: Report): Section {
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
      ${slowestTable(byStep, breakdown.run?.folder ?? breakdown.source.path)}
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

/** Which steps are the slowest, and the line that opens the first of them. */
function slowestTable(byStep: ByStep, path: string): Content {
  const shown = shownSlowest(byStep);
  if (shown.length === 0) return undefined;
  const open = openSlowest(byStep, path);
  const table = markup`<table>
    <thead>
      <tr>
        <th scope="col">slowest from</th>
        <th scope="col">µs</th>
        <th scope="col">samples</th>
        <th scope="col">most beyond the others</th>
        <th scope="col">µs more</th>
      </tr>
    </thead>
    <tbody>
      ${shown.map(
        (step) => markup`<tr>
          <th scope="row">${beganS(step).toFixed(3)} s</th>
          <td>${microseconds(lengthUs(step))}</td>
          <td>${count(step.looks)}</td>
          <td>${step.beyond && markup`${swatch(step.beyond.bucket)} `}${beyondText(step)}</td>
          <td>${step.beyond && microseconds(step.beyond.moreUs)}</td>
        </tr>`,
      )}
    </tbody>
  </table>`;
  return [
    scrolling('The slowest steps', table),
    open === undefined ? undefined : markup`<p>Open the slowest: <code>${open}</code></p>`,
  ];
}
