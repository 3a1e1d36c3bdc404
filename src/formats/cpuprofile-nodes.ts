import { ProfilerError } from '../model/index.js';
import { asList, asRecord, asWhole } from './json-file.js';

/** One node of the call tree, as the file spells it. */
export type NodeFields = Readonly<Record<string, unknown>>;

/** The call tree of a .cpuprofile, checked: every node has one parent, and none is its own ancestor. */
export interface NodeTable {
  readonly nodes: readonly NodeFields[];
  readonly indexOf: ReadonlyMap<number, number>;
  /** Index of the node above, -1 for a root. */
  readonly parent: Int32Array;
  /** Indices, parents before their children. */
  readonly order: Int32Array;
  /** Children that are listed but not in the file. */
  readonly missingChildren: number;
}

/**
 * Reads nodes that name their children (Node, DevTools) or their parent (Chrome traces), or both.
 * @throws ProfilerError `bad-call-tree` where the nodes are no tree: any sum over it would be wrong.
 */
export function nodeTable(list: readonly unknown[], file: string): NodeTable {
  const nodes: NodeFields[] = [];
  const indexOf = new Map<number, number>();
  list.forEach((value, index) => {
    const node = asRecord(value);
    const id = asWhole(node?.['id']);
    if (node === undefined || id === undefined) {
      throw noTree(file, `entry ${index} of its nodes has no whole number as id`);
    }
    if (indexOf.has(id)) throw noTree(file, `two nodes have the id ${id}`);
    indexOf.set(id, index);
    nodes.push(node);
  });
  const { parent, missingChildren } = parents(nodes, indexOf, file);
  return { nodes, indexOf, parent, order: topDown(nodes, parent, file), missingChildren };
}

function parents(
  nodes: readonly NodeFields[],
  indexOf: ReadonlyMap<number, number>,
  file: string,
): { readonly parent: Int32Array; readonly missingChildren: number } {
  const parent = new Int32Array(nodes.length).fill(-1);
  let missingChildren = 0;
  const put = (child: number, above: number): void => {
    const known = parent[child] as number;
    if (known !== -1 && known !== above) {
      throw noTree(
        file,
        `node ${idOf(nodes, child)} has two parents, ${idOf(nodes, known)} and ${idOf(nodes, above)}`,
      );
    }
    parent[child] = above;
  };
  nodes.forEach((node, index) => {
    for (const id of asList(node['children']) ?? []) {
      const child = indexOf.get(asWhole(id) ?? Number.NaN);
      if (child === undefined) missingChildren += 1;
      else put(child, index);
    }
    if (node['parent'] === undefined || node['parent'] === null) return;
    const above = indexOf.get(asWhole(node['parent']) ?? Number.NaN);
    if (above === undefined) {
      throw noTree(
        file,
        `node ${idOf(nodes, index)} has the parent ${JSON.stringify(node['parent'])?.slice(0, 40)}, which it does not hold`,
      );
    }
    put(index, above);
  });
  return { parent, missingChildren };
}

/** Without recursion: a tree may be a chain of a million nodes. */
function topDown(nodes: readonly NodeFields[], parent: Int32Array, file: string): Int32Array {
  const first = new Int32Array(nodes.length).fill(-1);
  const next = new Int32Array(nodes.length).fill(-1);
  const order = new Int32Array(nodes.length);
  let filled = 0;
  for (let index = nodes.length - 1; index >= 0; index -= 1) {
    const above = parent[index] as number;
    if (above < 0) continue;
    next[index] = first[above] as number;
    first[above] = index;
  }
  for (let index = 0; index < nodes.length; index += 1) {
    if (parent[index] === -1) order[filled++] = index;
  }
  for (let at = 0; at < filled; at += 1) {
    for (let child = first[order[at] as number] as number; child !== -1; child = next[child] as number) {
      order[filled++] = child;
    }
  }
  if (filled < nodes.length) {
    const reached = new Uint8Array(nodes.length);
    for (const index of order.subarray(0, filled)) reached[index] = 1;
    throw noTree(file, `node ${idOf(nodes, reached.indexOf(0))} is below itself`);
  }
  return order;
}

function idOf(nodes: readonly NodeFields[], index: number): number | undefined {
  return asWhole(nodes[index]?.['id']);
}

function noTree(file: string, fault: string): ProfilerError {
  return new ProfilerError({
    id: 'bad-call-tree',
    what: `The call tree of ${file} is no tree: ${fault}.`,
    why: 'It was damaged or put together by hand, and every sum over it would be wrong.',
    fix: 'Record again: node --cpu-prof app.js',
  });
}
