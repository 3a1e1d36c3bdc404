import type { FlameDatum } from 'd3-flame-graph';
import type { FlameData } from './index.js';

const FIELDS = 4;

/** The flat nodes of a page as the tree that the library draws. Parents come first, so one pass does. */
export function nested({ names, nodes }: FlameData): FlameDatum {
  const made: FlameDatum[] = [];
  for (let at = 0; at < nodes.length; at += FIELDS) {
    const [parent = -1, name = 0, weight = 0, bucket = 0] = nodes.slice(at, at + FIELDS);
    const node: FlameDatum = { n: names[name] ?? '?', v: weight, b: bucket, c: [] };
    made.push(node);
    made[parent]?.c.push(node);
  }
  // Widest first, so that what matters is where the reader begins.
  for (const node of made) node.c.sort((a, b) => b.v - a.v);
  return made[0] ?? { n: '', v: 0, b: 0, c: [] };
}

/** `28.7 %`, in the words of the rest of the page. */
export function shareText(share: number): string {
  return share > 0 && share < 0.0005 ? '<0.1 %' : `${(share * 100).toFixed(1)} %`;
}

/** What a frame is and how much it holds: `Engine.step (engine.py): 28.7 % of the wall time, 5.74 s · physics`. */
export function frameWords(node: { readonly data: FlameDatum }, data: FlameData): string {
  const { n, v, b, c } = node.data;
  const whole = data.nodes[2] ?? 0;
  const share = whole > 0 ? v / whole : 0;
  const own = Math.max(0, v - c.reduce((sum, child) => sum + child.v, 0));
  const seconds = data.seconds === undefined ? '' : `, ${(share * data.seconds).toFixed(2)} s`;
  const self = whole > 0 && own > 0 && c.length > 0 ? `, ${shareText(own / whole)} itself` : '';
  const bucket = data.bucketTexts[b] === undefined ? '' : ` · ${data.bucketTexts[b]}`;
  return `${n}: ${shareText(share)} of the ${data.of}${seconds}${self}${bucket}`;
}
