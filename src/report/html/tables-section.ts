import type { Report } from '../report.js';
import { type SourcedTable, placeText, tableGrid } from '../tables-text.js';
import { type Markup, markup } from './markup.js';
import { type Section, findingItem, scrolling, section } from './sections.js';

/** Rows of each table on the page: all are in `profiler tables`. */
const MOST_ROWS = 20;

function tableMarkup(found: SourcedTable, source: string): Markup {
  const { heads, rows, whole, left } = tableGrid(found, { top: MOST_ROWS });
  const [first = '', ...others] = heads;
  const table = markup`<table>
    <thead>
      <tr>
        <th scope="col">${first}</th>
        ${others.map((head) => markup`<th scope="col">${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ({ depth, cells: [name = '', ...cells] }) =>
          markup`<tr class="${depth > 0 ? 'part' : 'whole'}">
            <th scope="row">${'› '.repeat(Math.max(0, depth - 1))}${name}</th>
            ${cells.map((cell) => markup`<td>${cell}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
  return markup`<h3>${found.title}</h3>
    <p class="facts">${placeText(found, source)}${whole === undefined ? '' : `. ${whole}`}</p>
    ${rows.length === 0 ? undefined : scrolling(found.title, table)}
    ${left === undefined ? undefined : markup`<p class="facts">${left}.</p>`}
    ${
      found.findings.length === 0
        ? undefined
        : markup`<ul class="findings">
            ${found.findings.map(findingItem)}
          </ul>`
    }`;
}

/** What the program says of itself, by its own clock. */
export function tablesSection({ tables = [], breakdown }: Report): Section {
  if (tables.length === 0) return undefined;
  return section(
    'tables',
    'What the program says of itself',
    markup`<p class="facts">Times are by its own clock: waiting for the GIL or for a CPU is in them.</p>
      ${tables.map((table) => tableMarkup(table, breakdown.source.path))}`,
  );
}
