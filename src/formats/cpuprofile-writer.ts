import { threadText } from '../model/index.js';
import type { Frame, Profile, Thread } from '../model/index.js';
import { NO_SAMPLE, OWN_KEY, SAMPLE_NS } from './cpuprofile-own.js';
import { urlOf, v8Frame } from './v8-frame.js';

const ROOT_ID = 1;
const NO_SAMPLE_ID = 2;
const FIRST_FREE_ID = 3;

/** One sample of the file: where it stands and how long. */
interface Stretch {
  readonly node: number;
  readonly ns: number;
}

/**
 * A .cpuprofile as Chrome DevTools, VS Code and speedscope read it.
 *
 * - One thread with times: every sample keeps its time and its length, and reading the file again gives the same profile. Where no
 *   sample stood, the file says `(no sample)`.
 * - Without times, with several threads, or where samples overlap in time: the format is one row of samples, one after another. The
 *   stacks of each thread are laid end to end, each for all the time it has, so that every share is right and the order means
 *   nothing; counted samples last 1 ms each. Several threads become the outermost frames.
 */
export function* cpuprofileText(profile: Profile): Generator<string> {
  const tree = numberedTree(profile);
  const stretches = timed(profile, tree.nodeOf) ?? laidOut(profile, tree.nodeOf);
  // A delta is the time before its sample: what comes before the first one is its delta, and the length of the last one leads to the end.
  const lead = stretches[0]?.node === NO_SAMPLE_ID ? stretches[0].ns : 0;
  const written = stretches.slice(stretches[0]?.node === NO_SAMPLE_ID ? 1 : 0);
  // Speedscope gives the last sample no length: an empty one closes the row, so that none is lost.
  if (written.length > 0) written.push({ node: NO_SAMPLE_ID, ns: 0 });
  const hits = new Map<number, number>();
  let end = lead;
  for (const { node, ns } of written) {
    hits.set(node, (hits.get(node) ?? 0) + 1);
    end += ns;
  }
  const used = tree.nodes.filter(({ id }) => id !== NO_SAMPLE_ID || hits.has(id));
  yield '{"nodes":[';
  for (const [index, node] of used.entries()) {
    const text = JSON.stringify({
      id: node.id,
      callFrame: node.callFrame,
      hitCount: hits.get(node.id) ?? 0,
      ...(node.children.length > 0 && {
        children: node.children.filter((id) => id !== NO_SAMPLE_ID || hits.has(id)),
      }),
      ...(node.own !== undefined && { [OWN_KEY]: node.own }),
    });
    yield `${index === 0 ? '' : ','}\n${text}`;
  }
  yield `\n],"startTime":0,"endTime":${micros(end)},"samples":[`;
  yield* joined(written.map(({ node }) => String(node)));
  yield '],"timeDeltas":[';
  yield* joined(written.map((_, at) => micros(at === 0 ? lead : (written[at - 1]?.ns ?? 0))));
  yield `],${JSON.stringify(OWN_KEY)}:${JSON.stringify({ unit: profile.unit, threads: tree.threads })}}\n`;
}

/** Numbers with commas between, in pieces of bounded length. */
function* joined(texts: readonly string[]): Generator<string> {
  const piece = 4096;
  for (let at = 0; at < texts.length; at += piece) {
    yield `${at === 0 ? '' : ','}${texts.slice(at, at + piece).join(',')}`;
  }
}

/** Whole microseconds where they are whole, else with the nanoseconds behind the point. */
function micros(ns: number): string {
  const whole = Math.round(ns);
  return String(whole / 1000);
}

interface Node {
  readonly id: number;
  readonly callFrame: object;
  readonly children: number[];
  readonly own: Frame | undefined;
}

interface NumberedTree {
  readonly nodes: readonly Node[];
  /** Pairs of node id and thread, for `OwnFile.threads`. */
  readonly threads: readonly (readonly [number, Thread])[];
  /** Node of a stack row (or -1) in a thread. */
  readonly nodeOf: (stack: number, thread: number) => number;
}

/** Every thread has a tree of its own; a single one needs no node above it. */
function numberedTree(profile: Profile): NumberedTree {
  const root = newNode(ROOT_ID, { name: '(root)', kind: 'marker' }, false);
  const gap = newNode(NO_SAMPLE_ID, { name: NO_SAMPLE, kind: 'marker' }, false);
  root.children.push(NO_SAMPLE_ID);
  const nodes = [root, gap];
  let nextId = FIRST_FREE_ID;
  const single = profile.threads.length <= 1;
  const tops = profile.threads.map((thread, index) => {
    if (single) return root;
    const name = threadText(thread) || `thread ${index + 1}`;
    const top = newNode(nextId++, { name, kind: 'marker' }, false);
    nodes.push(top);
    root.children.push(top.id);
    return top;
  });
  const known = tops.map(() => new Map<number, Node>());
  const place = (stack: number, thread: number): number => {
    const top = tops[thread] ?? root;
    if (stack < 0) return top.id;
    const rows = known[thread] ?? new Map<number, Node>();
    const path: number[] = [];
    for (let row = stack; row >= 0 && !rows.has(row); row = profile.stacks.parent[row] ?? -1) path.push(row);
    const last = path.at(-1) ?? stack;
    let above = path.length === 0 ? rows.get(stack) : (rows.get(profile.stacks.parent[last] ?? -1) ?? top);
    for (const row of path.toReversed()) {
      const frame = profile.frames[profile.stacks.frame[row] ?? -1] ?? { name: '?', kind: 'unknown' };
      const node = newNode(nextId++, frame, true);
      nodes.push(node);
      above?.children.push(node.id);
      rows.set(row, node);
      above = node;
    }
    return above?.id ?? top.id;
  };
  const threads = profile.threads.map((thread, index) => [tops[index]?.id ?? ROOT_ID, thread] as const);
  return { nodes, threads, nodeOf: place };
}

/** @param exact keep the frame beside V8's fields where they would be read as another one. */
function newNode(id: number, frame: Frame, exact: boolean): Node {
  const { name, line } = frame;
  const url = urlOf(frame.file ?? frame.module ?? '');
  const read = v8Frame({ name, url, line });
  const own = exact && !sameFrame(read, frame) ? frame : undefined;
  const lineNumber = line === undefined ? -1 : line - 1;
  const callFrame = {
    functionName: name,
    scriptId: '0',
    url,
    lineNumber,
    columnNumber: line === undefined ? -1 : 0,
  };
  return { id, callFrame, children: [], own };
}

function sameFrame(a: Frame, b: Frame): boolean {
  return (
    a.name === b.name &&
    a.kind === b.kind &&
    a.file === b.file &&
    a.line === b.line &&
    a.module === b.module &&
    b.sourceText === undefined &&
    b.corrupt === undefined &&
    b.name !== NO_SAMPLE
  );
}

type NodeOf = NumberedTree['nodeOf'];

/** Samples at their times; undefined where they have none or one row cannot hold them. */
function timed(profile: Profile, nodeOf: NodeOf): Stretch[] | undefined {
  const { samples } = profile;
  const { timeNs } = samples;
  if (timeNs === undefined || profile.unit !== 'nanoseconds' || profile.threads.length > 1) return undefined;
  const order = Int32Array.from(timeNs, (_, row) => row);
  order.sort((a, b) => (timeNs[a] as number) - (timeNs[b] as number) || a - b);
  const stretches: Stretch[] = [];
  let at = 0;
  for (const row of order) {
    const start = timeNs[row] as number;
    const ns = samples.weight[row] as number;
    if (start < at) return undefined;
    if (start > at) stretches.push({ node: NO_SAMPLE_ID, ns: start - at });
    stretches.push({ node: nodeOf(samples.stack[row] as number, samples.thread[row] as number), ns });
    at = start + ns;
  }
  return stretches;
}

/** Stacks end to end, thread by thread, in the order in which they were first seen. */
function laidOut(profile: Profile, nodeOf: NodeOf): Stretch[] {
  const { samples } = profile;
  const worth = profile.unit === 'samples' ? SAMPLE_NS : 1;
  const stretches: Stretch[] = [];
  for (const thread of profile.threads.keys()) {
    const sums = new Map<number, number>();
    for (let row = 0; row < samples.length; row += 1) {
      if (samples.thread[row] !== thread) continue;
      const stack = samples.stack[row] as number;
      sums.set(stack, (sums.get(stack) ?? 0) + (samples.weight[row] as number) * worth);
    }
    for (const [stack, ns] of sums) stretches.push({ node: nodeOf(stack, thread), ns });
  }
  return stretches;
}
