import type { Frame } from '../model/index.js';
import type { Tree, TreeNode } from './answer.js';
import { bar } from './bar.js';
import { colors } from './colors.js';
import { alarmLines, noteLines, wrap } from './findings-text.js';
import { headerLines, lostLines } from './header-text.js';
import { functionLabel, threadLabel } from './names.js';
import { apartText, count, percent, plural } from './share-text.js';
import { type TextStyle, table } from './table.js';
import { cleanText, displayWidth, fitsInto, joinedFitInto, truncateMiddle } from './terminal-text.js';

/** How the branches of a tree are drawn; all of a kind are two columns wide. */
interface Branches {
  readonly child: string;
  readonly last: string;
  readonly passing: string;
  /** Between two calls of a chain. */
  readonly calls: string;
  readonly cut: string;
}

const LINES: Branches = { child: '├ ', last: '└ ', passing: '│ ', calls: ' › ', cut: '…' };
const ASCII: Branches = { child: '|-', last: '`-', passing: '| ', calls: ' > ', cut: '...' };
const NOTHING = '  ';

/** One line of the screen. Without `self` it stands for several places. */
interface Row {
  readonly total: number;
  readonly self?: number;
  /** Branches that lead to it. */
  readonly guide: string;
  /** Calls of a chain, each cleaned; the last with its file. */
  readonly calls: readonly string[];
  /** The last call with its file's name alone, then by itself: for where there is little room. */
  readonly shorter?: readonly string[];
}

/** Of a long chain the first and the last calls tell where it comes from and where it leads. */
const FIRST_CALLS = 8;
const LAST_CALLS = 24;

function callName({ name }: Frame): string {
  return cleanText(name);
}

function callTexts({ frames, recursive }: TreeNode): readonly string[] {
  const last = frames.at(-1);
  if (last === undefined) return [];
  const before = frames.slice(0, -1);
  const shown =
    before.length <= FIRST_CALLS + LAST_CALLS
      ? before.map(callName)
      : [
          ...before.slice(0, FIRST_CALLS).map(callName),
          `(${count(before.length - FIRST_CALLS - LAST_CALLS)} calls)`,
          ...before.slice(-LAST_CALLS).map(callName),
        ];
  return [...shown, lastCall(last, recursive)];
}

function lastCall(frame: Frame, recursive: true | undefined): string {
  return `${functionLabel(frame)}${recursive === true ? ' [recursive]' : ''}`;
}

/** The last call without the folders of its file or library, and without either. */
function shorterCalls({ frames, recursive }: TreeNode): readonly string[] {
  const last = frames.at(-1);
  if (last === undefined) return [];
  const { file, module, ...bare } = last;
  const near = {
    ...bare,
    ...(file === undefined ? {} : { file: fileName(file) }),
    ...(module === undefined ? {} : { module: fileName(module) }),
  };
  return [lastCall(near, recursive), callName(last)];
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/', path.length - 2) + 1);
}

/** Branches of the nearest levels, and how many are further out. */
function guideText(guides: readonly string[], most: number): string {
  const out = guides.length - most;
  return out <= 0 ? guides.join('') : `+${out} ${guides.slice(out).join('')}`;
}

interface Layout {
  readonly draw: Branches;
  /** Levels that are drawn. */
  readonly most: number;
  /** The least share that has a line. */
  readonly least: number;
}

/** The lines below a node. Nested as deep as the tree, which `callTrees` bounds. */
function* rowsBelow(node: TreeNode, above: readonly string[], layout: Layout): Generator<Row> {
  const { children, more } = node;
  const { most, draw, least } = layout;
  // A line of its own only for what is as much as any other line.
  const gathered = more !== undefined && more.share >= least ? more : undefined;
  for (const [at, child] of children.entries()) {
    const isLast = gathered === undefined && at === children.length - 1;
    yield {
      total: child.totalShare,
      self: child.share,
      guide: guideText([...above, isLast ? draw.last : draw.child], most),
      calls: callTexts(child),
      shorter: shorterCalls(child),
    };
    yield* rowsBelow(child, [...above, isLast ? NOTHING : draw.passing], layout);
  }
  if (gathered === undefined) return;
  yield {
    total: gathered.share,
    guide: guideText([...above, draw.last], most),
    calls: [`${draw.cut} ${count(gathered.places)} more`],
  };
}

function wholeText({ guide, calls }: Pick<Row, 'guide' | 'calls'>, draw: Branches): string {
  return `${guide}${calls.join(draw.calls)}`;
}

/** Columns from which on a cut name still says something. */
const TELLING = 12;

/** A chain of calls cut to at most `columns`: the last call is what matters, then the first, then the nearest to the last. */
function chainText({ guide, calls, shorter = [] }: Row, columns: number, draw: Branches): string {
  const room = columns - displayWidth(guide);
  const [full = '', ...before] = calls.toReversed();
  const [first] = calls;
  for (const last of [full, ...shorter.slice(0, 1)]) {
    const whole = [...calls.slice(0, -1), last];
    if (joinedFitInto(whole, draw.calls, room)) return `${guide}${whole.join(draw.calls)}`;
  }
  if (first === undefined || before.length === 0)
    return `${guide}${truncateMiddle(shorter[0] ?? full, room)}`;
  const between = before.length > 1 ? `${draw.calls}${draw.cut}${draw.calls}` : draw.calls;
  for (const last of shorter) {
    if (!fitsInto(`${between}${last}`, room)) continue;
    const left = room - displayWidth(`${between}${last}`);
    if (left < TELLING && !fitsInto(first, left)) continue;
    const head = truncateMiddle(first, left);
    return `${guide}${head}${between}${nearest(last, before.slice(0, -1), room - displayWidth(head + between), draw)}`;
  }
  const last = shorter[0] ?? full;
  const cut = `${draw.cut}${draw.calls}${last}`;
  return `${guide}${fitsInto(cut, room) ? cut : truncateMiddle(last, room)}`;
}

/** The last call with as many of its callers, the nearest first, as there is room for. */
function nearest(last: string, callers: readonly string[], room: number, draw: Branches): string {
  let shown = last;
  for (const caller of callers) {
    const longer = `${caller}${draw.calls}${shown}`;
    if (!fitsInto(longer, room)) break;
    shown = longer;
  }
  return shown;
}

/** Columns of calls that a bar leaves. */
const CALLS = 40;

/** Levels that are drawn by their branches: a quarter of the line. */
function mostLevels(width: number): number {
  return Math.max(4, Math.floor(width / 8));
}

function treeRows(tree: Tree, style: TextStyle, draw: Branches): Row[] {
  return tree.threads.flatMap(({ thread, root }) => [
    {
      total: root.totalShare,
      guide: '',
      calls: [thread === undefined ? 'all calls' : threadLabel(thread)],
    },
    ...rowsBelow(root, [], { draw, most: mostLevels(style.width), least: tree.min * root.totalShare }),
  ]);
}

function explanation(tree: Tree): string {
  const bare = tree.total.unit === 'samples' ? 'samples' : 'recorded time';
  const what = tree.denominator === 'wall' ? 'wall time' : bare;
  const [only, second] = tree.threads;
  const whose =
    only?.thread === undefined || second !== undefined
      ? `of each thread's own ${what}`
      : `of the ${what} of ${threadLabel(only.thread)}`;
  return `Calls, the outermost first. Shares are ${whose}${apartText(tree)}. What is under ${percent(tree.min)} of the tree is gathered (--min).`;
}

/** The screen of `hot --tree`. Ends with a newline. */
export function treeText(tree: Tree, style: TextStyle): string {
  const paint = colors(style.color);
  const draw = style.ascii === true ? ASCII : LINES;
  const rows = treeRows(tree, style, draw);
  const most = rows.reduce((largest, { total }) => Math.max(largest, total), 0);
  const wholes = rows.map((row) => wholeText(row, draw));
  const byText = new Map(wholes.map((whole, at) => [whole, rows[at]]));
  const { lines, bars } = table(
    [
      { head: 'total', align: 'right' },
      { head: 'self', align: 'right' },
      ...(most > 0
        ? [{ head: '', bar: (at: number, room: number) => bar((rows[at]?.total ?? 0) / most, room, style) }]
        : []),
      {
        head: 'calls',
        shrinkTo: 16,
        besideBar: CALLS,
        cut: (text, columns) => {
          const row = byText.get(text);
          return row === undefined ? text : chainText(row, columns, draw);
        },
      },
    ],
    rows.map(({ total, self }, at) => [
      percent(total),
      self === undefined ? '' : percent(self),
      ...(most > 0 ? [''] : []),
      wholes[at] ?? '',
    ]),
    style,
  );
  const [head, ...body] = lines;
  const scale = bars ? ` The longest bar is ${percent(most)}.` : '';
  const selected = tree.selection.length === 0 ? [] : [`  Only ${tree.selection.map(cleanText).join(', ')}.`];
  return `${[
    ...headerLines(tree, tree.total, style.width),
    ...selected,
    ...alarmLines(tree.findings, style),
    ...wrap(`${explanation(tree)}${scale}`, style.width, '  '),
    '',
    ...(rows.length === 0
      ? [
          '  No sample is in that selection (waiting for the GIL or a CPU is known from the kernel, not from stacks).',
        ]
      : [...(head === undefined ? [] : [paint.bold(head)]), ...body]),
    ...(tree.hidden === 0
      ? []
      : wrap(`${plural(tree.hidden, 'other thread')} not shown: --thread NAME`, style.width, '  ')),
    ...lostLines(tree.lost),
    ...noteLines(tree.findings, style),
  ].join('\n')}\n`;
}
