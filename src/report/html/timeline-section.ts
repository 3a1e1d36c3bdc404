import { threadLabel } from '../names.js';
import type { Report } from '../report.js';
import { percent } from '../share-text.js';
import type { Span, Timeline, TimelineCell } from '../timeline.js';
import { across } from './breakdown-section.js';
import { Markup, markup } from './markup.js';
import { type Section, section } from './sections.js';

/** Threads with a row; the others are named by number. */
const MOST_ROWS = 40;
const HEIGHT = 30;

function column(span: Span, cell: TimelineCell, wholeS: number): Markup {
  const x = across(span.startS / wholeS);
  const width = across((span.endS - span.startS) / wholeS);
  const onCpu = Math.min(1, cell.onCpu) * HEIGHT;
  const wait = Math.min(1 - onCpu / HEIGHT, cell.cpuWait) * HEIGHT;
  const words = `${span.startS.toFixed(1)} to ${span.endS.toFixed(1)} s: on a CPU ${percent(cell.onCpu)}, waiting for one ${percent(cell.cpuWait)}, blocked ${percent(cell.blocked)}`;
  const part = (y: number, height: number, look: string): Markup =>
    markup`<rect x="${x}" width="${width}" y="${y.toFixed(2)}" height="${height.toFixed(2)}" ${new Markup(look)}/>`;
  return markup`<g><title>${words}</title>${[
    part(0, HEIGHT, 'class="blocked"'),
    part(HEIGHT - onCpu, onCpu, 'class="on-cpu"'),
    part(HEIGHT - onCpu - wait, wait, 'fill="url(#stripes-cpu-wait)"'),
  ]}</g>`;
}

function rangeText(cells: readonly TimelineCell[], of: (cell: TimelineCell) => number): string {
  const shares = cells.map(of);
  const [low, high] = [Math.min(...shares), Math.max(...shares)];
  return percent(low) === percent(high) ? percent(low) : `${percent(low)} to ${percent(high)}`;
}

function threadRow({ spans }: Timeline, row: Timeline['threads'][number], wholeS: number): Markup {
  const seen = row.cells.filter((cell) => cell !== undefined);
  const columns = spans.map((span, at) => {
    const cell = row.cells[at];
    return cell === undefined ? undefined : column(span, cell, wholeS);
  });
  const name = threadLabel(row.thread);
  const words = `on a CPU ${rangeText(seen, (cell) => cell.onCpu)}, waiting for one ${rangeText(seen, (cell) => cell.cpuWait)}, blocked ${rangeText(seen, (cell) => cell.blocked)}`;
  return markup`<tr>
    <th scope="row">${name}<span class="role">${row.role}</span></th>
    <td>
      <svg width="100%" height="${HEIGHT}" role="img" aria-label="${name}, by slice: ${words}">${columns}</svg>
      <span class="facts">${words}</span>
    </td>
  </tr>`;
}

/** Every thread's time over the window, slice by slice, from the kernel. */
export function timelineSection({ timeline }: Report): Section {
  const wholeS = timeline?.spans.at(-1)?.endS ?? 0;
  if (timeline === undefined || wholeS <= 0) return undefined;
  const shown = timeline.threads.slice(0, MOST_ROWS);
  const hidden = timeline.threads.length - shown.length;
  const key = markup`<p class="facts key">
    <svg width="14" height="14" aria-hidden="true"><rect width="14" height="14" class="on-cpu" /></svg> on a
    CPU
    <svg width="14" height="14" aria-hidden="true">
      <rect width="14" height="14" fill="url(#stripes-cpu-wait)" />
    </svg>
    waiting for a CPU
    <svg width="14" height="14" aria-hidden="true"><rect width="14" height="14" class="blocked" /></svg>
    blocked. One column is one slice of the recording; the kernel's own accounts.
  </p>`;
  return section(
    'threads',
    'Threads over time',
    markup`${key}
      <table class="timeline">
        <thead class="hidden">
          <tr>
            <th scope="col">thread</th>
            <th scope="col">0 to ${wholeS.toFixed(1)} s</th>
          </tr>
        </thead>
        <tbody>
          ${shown.map((row) => threadRow(timeline, row, wholeS))}
        </tbody>
        <tfoot>
          <tr>
            <td></td>
            <td class="axis"><span>0 s</span><span>${wholeS.toFixed(1)} s</span></td>
          </tr>
        </tfoot>
      </table>
      ${hidden > 0 ? markup`<p class="facts">${hidden} more, all less often on a CPU: <code>profiler threads</code></p>` : undefined}`,
  );
}
