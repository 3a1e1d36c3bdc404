// The program of a report page: draws the flame graph, and makes it searchable, zoomable and usable by keyboard.
import flamegraph, { type FlameChart, type FlameDatum, type Placed, type Tooltip } from 'd3-flame-graph';
import { select } from 'd3-selection';
import { frameWords, nested, shareText } from './flame-data.js';
import type { FlameData } from './index.js';

const ROW = 20;
/** A frame narrower than this cannot be seen. */
const THINNEST = 0.5;
/** Paper of any size has less room than this; a page that is printed does not scroll. */
const PAPER = 680;
const ZOOM_MS = 200;
/** Of the root, which has no bucket of its own. */
const WHOLE_FILL = '#d9d9d9';

function byId<Kind extends HTMLElement>(id: string): Kind {
  const found = document.querySelector<Kind>(`#${id}`);
  if (found === null) throw new Error(`The page has no ${id}`);
  return found;
}

function tooltipFor(data: FlameData): Tooltip {
  const box = document.createElement('div');
  box.className = 'tooltip';
  box.hidden = true;
  document.body.append(box);
  return Object.assign(() => box.remove(), {
    show(event: MouseEvent, node: Placed): void {
      box.textContent = frameWords(node, data);
      box.hidden = false;
      const room = document.documentElement.clientWidth - box.offsetWidth - 8;
      box.style.left = `${Math.max(4, Math.min(event.clientX + 12, room))}px`;
      const below = event.clientY + 16;
      const fits = below + box.offsetHeight < window.innerHeight;
      box.style.top = `${fits ? below : event.clientY - box.offsetHeight - 12}px`;
    },
    hide(): void {
      box.hidden = true;
    },
  });
}

/** The graph on the page, with what a reader can do to it. */
class FlameGraph {
  readonly #data: FlameData;
  readonly #place = byId('flame-graph');
  readonly #chart: FlameChart;
  #zoomed: Placed | undefined;
  /** The frame that has, or would have, the keyboard. */
  #current: Placed | undefined;
  /** The reader asked for no motion. */
  readonly #calm = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  #term = '';
  #isRootAtTop = true;
  /** Its width, while the page is printed. */
  #paper: number | undefined;

  constructor(data: FlameData) {
    this.#data = data;
    this.#chart = flamegraph()
      .cellHeight(ROW)
      .minFrameSize(THINNEST)
      .transitionDuration(this.#calm ? 0 : ZOOM_MS)
      .inverted(true)
      .resetHeightOnZoom(true)
      .tooltip(tooltipFor(data))
      .label((node) => frameWords(node, data))
      .color((node) => data.fills[node.data.b] ?? WHOLE_FILL)
      .setSearchMatch((node, term) => this.#matches(node.data, term))
      .setSearchHandler((found) => this.#tell(found))
      .onClick((node) => {
        this.#zoomed = node;
        this.#current = node;
        this.#dress();
      });
    this.#chart.width(this.#width());
    this.#chart(select<HTMLElement, FlameDatum>(this.#place).datum(nested(data)));
    this.#dress();
    this.#place.addEventListener('keydown', (event) => this.#key(event));
    this.#place.addEventListener('focusin', () => this.#describe());
    // A page that is resized lays out its text first.
    new ResizeObserver(() => this.resize()).observe(this.#place);
  }

  search(term: string): void {
    this.#term = term.trim().toLowerCase();
    if (this.#term === '') {
      this.#chart.clear();
      byId('flame-found').textContent = '';
    } else this.#chart.search(this.#term);
    this.#dress();
  }

  reset(): void {
    const current = this.#current;
    this.#chart.resetZoom();
    this.#zoomed = undefined;
    this.#current = current;
    this.#dress();
  }

  turn(): boolean {
    this.#isRootAtTop = !this.#isRootAtTop;
    this.#chart.inverted(this.#isRootAtTop).update();
    this.#dress();
    return !this.#isRootAtTop;
  }

  /** To paper of this width, whatever the window does meanwhile, or to the page again. */
  fit(paper: number | undefined): void {
    this.#paper = paper;
    this.resize();
  }

  resize(): void {
    const width = this.#paper ?? this.#width();
    if (width <= 0 || width === this.#drawnWidth) return;
    this.#chart.width(width).update();
    this.#dress();
  }

  get #drawnWidth(): number {
    return Number(this.#place.querySelector('svg')?.getAttribute('width') ?? 0);
  }

  #width(): number {
    return Math.floor(this.#place.clientWidth);
  }

  #matches({ n, b }: FlameDatum, term: string): boolean {
    return n.toLowerCase().includes(term) || this.#data.bucketTexts[b]?.toLowerCase().includes(term) === true;
  }

  /** How much of the time the matches hold; one inside another counts once. */
  #tell(found: readonly Placed[]): void {
    const whole = this.#data.nodes[2] ?? 0;
    const matches = new Set(found.map((node) => node.data));
    let sum = 0;
    for (const node of found) {
      let above = node.parent;
      while (above !== null && !matches.has(above.data)) above = above.parent;
      if (above === null) sum += node.data.v;
    }
    const share = whole > 0 ? shareText(sum / whole) : '';
    byId('flame-found').textContent =
      found.length === 0
        ? 'Nothing found.'
        : `${found.length} ${found.length === 1 ? 'frame' : 'frames'}, ${share} of the ${this.#data.of}.`;
  }

  #frames(): readonly SVGGElement[] {
    return [...this.#place.querySelectorAll<SVGGElement>('g.frame')];
  }

  /** What the library does not do: names for screen readers, one stop for the Tab key, found frames told from the others. */
  #dress(): void {
    const frames = this.#frames();
    const svg = this.#place.querySelector('svg');
    svg?.setAttribute('role', 'group');
    svg?.setAttribute('aria-label', `Flame graph, ${frames.length} frames`);
    svg?.classList.toggle('searching', this.#term !== '');
    const current = this.#current ?? nodeOf(frames[0]);
    for (const frame of frames) {
      const node = nodeOf(frame);
      if (node === undefined) continue;
      frame.setAttribute('role', 'button');
      frame.setAttribute('aria-label', frameWords(node, this.#data));
      frame.setAttribute('tabindex', node.data === current?.data ? '0' : '-1');
      frame.classList.toggle('found', node.highlight === true);
      if (this.#calm) this.#widen(frame);
    }
  }

  /** The library lets a new frame grow, for as long as it likes. One that is as wide as it is to be stays so. */
  #widen(frame: SVGGElement): void {
    frame.querySelector('rect')?.setAttribute('width', frame.getAttribute('width') ?? '0');
  }

  #describe(): void {
    const node = nodeOf(document.activeElement);
    if (node === undefined) return;
    this.#current = node;
    byId('flame-details').textContent = frameWords(node, this.#data);
  }

  #focus(node: Placed | undefined): void {
    const frames = this.#frames();
    const wanted = frames.find((frame) => nodeOf(frame)?.data === node?.data);
    if (wanted === undefined) return;
    for (const frame of frames) frame.setAttribute('tabindex', frame === wanted ? '0' : '-1');
    wanted.focus();
  }

  #key(event: KeyboardEvent): void {
    const node = nodeOf(document.activeElement);
    if (node === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const outwards = this.#isRootAtTop ? 'ArrowUp' : 'ArrowDown';
    const inwards = this.#isRootAtTop ? 'ArrowDown' : 'ArrowUp';
    const row = (node.parent?.children ?? []).filter((one) => one.value > 0);
    const at = row.indexOf(node);
    const moves: Readonly<Record<string, () => void>> = {
      [outwards]: () => this.#focus(node.parent ?? undefined),
      [inwards]: () => this.#focus(node.children?.find((child) => child.value > 0)),
      ArrowLeft: () => this.#focus(row[at - 1]),
      ArrowRight: () => this.#focus(row[at + 1]),
      Enter: () => this.#zoom(node),
      ' ': () => this.#zoom(node),
      Escape: () => this.#zoomOut(node),
      Home: () => this.#zoomOut(node),
    };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    move();
  }

  #zoom(node: Placed): void {
    this.#chart.zoomTo(node);
    this.#focus(node);
  }

  #zoomOut(node: Placed): void {
    const zoomed = this.#zoomed;
    this.reset();
    this.#focus(zoomed ?? node);
  }
}

function nodeOf(element: Element | null | undefined): Placed | undefined {
  if (!(element instanceof SVGGElement) || !element.classList.contains('frame')) return undefined;
  return select<SVGGElement, Placed>(element).datum();
}

function start(): void {
  const source = document.querySelector('#flame-data')?.textContent;
  if (source === undefined || source === null) return;
  const graph = new FlameGraph(JSON.parse(source) as FlameData);
  performance.mark('flame-drawn');
  const search = byId<HTMLInputElement>('flame-search');
  const turn = byId<HTMLButtonElement>('flame-turn');
  document.querySelector('.flame-tools')?.removeAttribute('hidden');
  search.addEventListener('input', () => graph.search(search.value));
  byId('flame-reset').addEventListener('click', () => graph.reset());
  turn.addEventListener('click', () => turn.setAttribute('aria-pressed', String(graph.turn())));
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    search.focus();
  });
  window.addEventListener('beforeprint', () => graph.fit(PAPER));
  window.addEventListener('afterprint', () => graph.fit(undefined));
}

start();
