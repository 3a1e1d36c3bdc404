/** What of d3-flame-graph 5 is used here: it has no types of its own. */
declare module 'd3-flame-graph' {
  import type { Selection } from 'd3-selection';

  export interface FlameDatum {
    readonly n: string;
    readonly v: number;
    readonly b: number;
    readonly c: FlameDatum[];
  }

  /** A node as d3-hierarchy lays it out. */
  export interface Placed {
    readonly data: FlameDatum;
    readonly parent: Placed | null;
    readonly children?: Placed[];
    readonly depth: number;
    readonly value: number;
    readonly x0: number;
    readonly x1: number;
    readonly highlight?: boolean;
  }

  export interface Tooltip {
    (): void;
    show: (event: MouseEvent, node: Placed) => void;
    hide: () => void;
  }

  export interface FlameChart {
    (selection: Selection<HTMLElement, FlameDatum, null, undefined>): void;
    width(pixels: number): FlameChart;
    cellHeight(pixels: number): FlameChart;
    minFrameSize(pixels: number): FlameChart;
    transitionDuration(milliseconds: number): FlameChart;
    inverted(rootAtTop: boolean): FlameChart;
    resetHeightOnZoom(resets: boolean): FlameChart;
    tooltip(tooltip: Tooltip): FlameChart;
    label(text: (node: Placed) => string): FlameChart;
    color(fill: (node: Placed) => string): FlameChart;
    onClick(after: (node: Placed) => void): FlameChart;
    setSearchMatch(matches: (node: Placed, term: string) => boolean): FlameChart;
    setSearchHandler(found: (nodes: readonly Placed[]) => void): FlameChart;
    search(term: string): void;
    clear(): void;
    zoomTo(node: Placed): void;
    resetZoom(): void;
    update(): FlameChart;
  }

  export default function flamegraph(): FlameChart;
}
