import { ProfileBuilder, ProfilerError } from '../model/index.js';
import type { Frame, Origin, Profile } from '../model/index.js';
import { nodeTable } from './cpuprofile-nodes.js';
import type { NodeFields, NodeTable } from './cpuprofile-nodes.js';
import { NO_SAMPLE, OWN_KEY, SAMPLE_NS, ownFile, ownFrame } from './cpuprofile-own.js';
import type { OwnFile } from './cpuprofile-own.js';
import { asList, asRecord, asText, asWhole } from './json-file.js';
import { timedSamples } from './sample-times.js';
import type { TimedSamples } from './sample-times.js';
import { v8Frame } from './v8-frame.js';

/** A node that stands for no sample at all, as opposed to -1, a sample without a stack. */
const NOTHING = -2;

type Fields = Readonly<Record<string, unknown>>;

/**
 * The profile that a parsed .cpuprofile holds.
 * @throws ProfilerError `not-a-cpuprofile`, `bad-call-tree`, `bad-times`.
 */
export function cpuprofileOf(value: unknown, origin: Origin): Profile {
  const file = origin.path ?? 'the input';
  const fields = profileFields(value);
  const list = fields && (asList(fields['nodes']) ?? flattened(fields['head']));
  if (fields === undefined || list === undefined) {
    throw new ProfilerError({
      id: 'not-a-cpuprofile',
      what: `${origin.path ?? 'The input'} is JSON, but has no list of nodes and no head, which every .cpuprofile has.`,
      why: 'It is another kind of JSON, or the program that made it failed.',
      fix: 'Record again: node --cpu-prof app.js',
    });
  }
  const own = ownFile(fields[OWN_KEY]);
  const table = nodeTable(list, file);
  const listed = asList(fields['samples']);
  // Without samples there may still be counts of hits.
  const ids = listed?.length === 0 ? undefined : listed;
  const timesNs = ids && sampleTimes(fields, ids.length, file);
  const nodeOf = ids && Int32Array.from(ids, (id) => table.indexOf.get(asWhole(id) ?? Number.NaN) ?? -1);
  const sampled = wantedNodes(table, nodeOf);
  const builder = new ProfileBuilder(
    timesNs === undefined ? 'samples' : (own?.unit ?? 'nanoseconds'),
    origin,
  );
  const take = sampleTaker(builder, buildStacks(builder, table, sampled, own));
  if (nodeOf === undefined) {
    addHits(table, take);
    return builder.build();
  }
  let order: Misplaced = { misplaced: 0, stepBackNs: 0 };
  if (timesNs === undefined) for (const node of nodeOf) take(node, 1);
  else order = addTimed(nodeOf, timesNs, fields, own, take);
  const startUs = own === undefined ? startOf(fields) : undefined;
  if (startUs !== undefined) builder.startsAt(startUs);
  tellFaults(builder, table, nodeOf, timesNs?.length ?? nodeOf.length, order);
  return builder.build();
}

/** The answer of the DevTools protocol holds the profile one or two levels down. */
function profileFields(value: unknown): Fields | undefined {
  const top = asRecord(value);
  if (top === undefined || top['nodes'] !== undefined || top['head'] !== undefined) return top;
  return asRecord(top['profile']) ?? asRecord(asRecord(top['result'])?.['profile']) ?? top;
}

/** Before 2015 the nodes hung in each other, with the fields of the function in the node itself. */
function flattened(head: unknown): readonly Fields[] | undefined {
  const root = asRecord(head);
  if (root === undefined) return undefined;
  const nodes: Fields[] = [];
  const open: { readonly node: Fields; readonly parent: unknown }[] = [{ node: root, parent: undefined }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { children, ...node } = next.node;
    nodes.push({ ...node, parent: next.parent });
    for (const child of asList(children) ?? []) {
      const below = asRecord(child);
      if (below !== undefined) open.push({ node: below, parent: node['id'] });
    }
  }
  return nodes;
}

/** Nanoseconds since the start, one for each sample that has a time; undefined where the file has no times. */
function sampleTimes(fields: Fields, samples: number, file: string): Float64Array | undefined {
  const deltas = asList(fields['timeDeltas']);
  const stamps = asList(fields['timestamps']);
  const source = deltas ?? stamps;
  if (source === undefined || source.length === 0) return undefined;
  const timesNs = new Float64Array(Math.min(samples, source.length));
  let at = 0;
  const first = stamps?.[0];
  for (let row = 0; row < timesNs.length; row += 1) {
    const value = source[row];
    if (typeof value !== 'number' || !Number.isFinite(value)) throw badTime(file, row, value);
    at = deltas === undefined ? (value - Number(first)) * 1000 : at + Math.round(value * 1000);
    if (!Number.isSafeInteger(Math.round(at))) throw badTime(file, row, value);
    timesNs[row] = Math.round(at);
  }
  return timesNs;
}

function badTime(file: string, row: number, value: unknown): ProfilerError {
  return new ProfilerError({
    id: 'bad-times',
    what: `Sample ${row} of ${file} has the time ${String(JSON.stringify(value)).slice(0, 40)}, which is no number of microseconds.`,
    why: 'All later times are counted from it, so no share would be right.',
    fix: 'Record again: node --cpu-prof app.js',
  });
}

/** Nodes that a sample or hit stands at or below: the rest of the tree is not built. */
function wantedNodes(table: NodeTable, nodeOf: Int32Array | undefined): Uint8Array {
  const wanted = new Uint8Array(table.nodes.length);
  if (nodeOf !== undefined) for (const node of nodeOf) if (node >= 0) wanted[node] = 1;
  for (let at = table.order.length - 1; at >= 0; at -= 1) {
    const node = table.order[at] as number;
    if (nodeOf === undefined && hits(table, node) > 0) wanted[node] = 1;
    const above = table.parent[node] as number;
    if (above >= 0 && wanted[node] === 1) wanted[above] = 1;
  }
  return wanted;
}

function hits(table: NodeTable, node: number): number {
  const count = asWhole(table.nodes[node]?.['hitCount']) ?? 0;
  return Math.max(0, count);
}

/** By node: its stack (-1: none, NOTHING: no sample) and its thread (-1: the one of which nothing is known). */
interface Places {
  readonly stack: Int32Array;
  readonly thread: Int32Array;
}

function buildStacks(
  builder: ProfileBuilder,
  table: NodeTable,
  wanted: Uint8Array,
  own: OwnFile | undefined,
): Places {
  const stack = new Int32Array(table.nodes.length).fill(-1);
  const thread = new Int32Array(table.nodes.length).fill(-1);
  for (const node of table.order) {
    if (wanted[node] === 0) continue;
    const fields = table.nodes[node] ?? {};
    const above = table.parent[node] as number;
    const marked = own?.threads.get(asWhole(fields['id']) ?? Number.NaN);
    thread[node] = marked === undefined ? (thread[above] ?? -1) : builder.thread(marked);
    if (marked !== undefined) continue;
    const frame = frameOf(fields);
    if (above < 0 && frame.name === '(root)') continue;
    if (own !== undefined && frame.name === NO_SAMPLE && fields[OWN_KEY] === undefined) stack[node] = NOTHING;
    else stack[node] = builder.stack(Math.max(-1, stack[above] ?? -1), builder.frame(frame));
  }
  return { stack, thread };
}

/** Lines count from 0 in `callFrame`, and from 1 in the old nodes that hold the fields themselves. */
function frameOf(node: NodeFields): Frame {
  const kept = ownFrame(node[OWN_KEY]);
  if (kept !== undefined) return kept;
  const call = asRecord(node['callFrame']);
  const fields = call ?? node;
  const line = (asWhole(fields['lineNumber']) ?? -1) + (call === undefined ? 0 : 1);
  return v8Frame({
    name: asText(fields['functionName']) ?? '',
    url: asText(fields['url']) ?? '',
    line: line > 0 ? line : undefined,
  });
}

type Taker = (node: number, weight: number, timeNs?: number) => void;

function sampleTaker(builder: ProfileBuilder, places: Places): Taker {
  let unknown = -1;
  return (node, weight, timeNs) => {
    const stack = places.stack[node] ?? -1;
    if (stack === NOTHING) return;
    let thread = places.thread[node] ?? -1;
    if (thread < 0) thread = unknown >= 0 ? unknown : (unknown = builder.thread({}));
    builder.sample(stack, thread, weight, timeNs);
  };
}

/** Hits are counts of samples: without their times nothing says how long each was. */
function addHits(table: NodeTable, take: Taker): void {
  for (const node of table.order) if (hits(table, node) > 0) take(node, hits(table, node));
}

type Misplaced = Pick<TimedSamples, 'misplaced' | 'stepBackNs'>;

/** @returns how many samples stood out of their order, and by how much. */
function addTimed(
  nodeOf: Int32Array,
  timesNs: Float64Array,
  fields: Fields,
  own: OwnFile | undefined,
  take: Taker,
): Misplaced {
  const { order, timeNs, weightNs, misplaced, stepBackNs } = timedSamples(
    timesNs,
    windowNs(fields),
    own !== undefined,
  );
  for (let at = 0; at < order.length; at += 1) {
    const node = nodeOf[order[at] as number] as number;
    const weight = weightNs[at] as number;
    if (own?.unit === 'samples') take(node, Math.round(weight / SAMPLE_NS));
    else take(node, weight, timeNs[at] as number);
  }
  return { misplaced, stepBackNs };
}

/** When V8 began, in microseconds of its own clock; of what others wrote it is 0. */
function startOf({ timeDeltas, startTime }: Fields): number | undefined {
  const isTold = timeDeltas !== undefined && typeof startTime === 'number' && Number.isFinite(startTime);
  return isTold && startTime > 0 ? startTime : undefined;
}

/** Length of the window; old files with `timestamps` give its ends in seconds, which say nothing exact. */
function windowNs(fields: Fields): number | undefined {
  const { startTime, endTime } = fields;
  if (fields['timeDeltas'] === undefined) return undefined;
  if (typeof startTime !== 'number' || typeof endTime !== 'number') return undefined;
  const length = Math.round((endTime - startTime) * 1000);
  return Number.isSafeInteger(length) ? length : undefined;
}

function tellFaults(
  builder: ProfileBuilder,
  table: NodeTable,
  nodeOf: Int32Array,
  timed: number,
  { misplaced, stepBackNs }: Misplaced,
): void {
  const strays = nodeOf.subarray(0, timed).reduce((sum, node) => sum + (node < 0 ? 1 : 0), 0);
  if (misplaced > 0) {
    builder.finding({
      level: 'note',
      id: 'samples-out-of-order',
      what: `${misplaced} of ${nodeOf.length} samples stand after one that was taken later, by up to ${stepBackNs / 1000} µs (negative time deltas).`,
      why: 'V8 does so now and then; all were put in order of their time before their lengths were taken.',
    });
  }
  if (strays > 0) {
    builder.finding({
      level: 'warning',
      id: 'samples-without-node',
      what: `${strays} of ${nodeOf.length} samples name a node that the file does not hold (the first is sample ${nodeOf.indexOf(-1)}).`,
      why: 'Their time is counted as unclassified/lost; the file was cut or changed.',
      fix: 'Record again: node --cpu-prof app.js',
    });
  }
  if (table.missingChildren > 0) {
    builder.finding({
      level: 'note',
      id: 'nodes-missing',
      what: `${table.missingChildren} children that nodes list are not in the file.`,
      why: 'No sample can stand in them; the file was cut or changed.',
    });
  }
  const untimed = nodeOf.length - timed;
  if (untimed > 0) {
    builder.lostSamples(untimed);
    builder.finding({
      level: 'warning',
      id: 'samples-without-time',
      what: `${untimed} of ${nodeOf.length} samples have no time: the file lists ${timed} times.`,
      why: 'They are counted as lost; the file was cut or changed.',
      fix: 'Record again: node --cpu-prof app.js',
    });
  }
}
