import { threadText } from '../model/index.js';
import type { Frame, Profile } from '../model/index.js';

interface Node {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    readonly lineNumber: number;
  };
  hitCount: number;
  readonly children: number[];
}

const ROOT_ID = 1;

/**
 * A profile as `0x --visualize-cpu-profile` reads it right. Unlike other readers of .cpuprofile it wants the root to be node 1, takes the
 * hit counts for the weights, prints lines without adding 1, leaves out what has no children and a name in parentheses, and puts names into
 * a page as they are.
 */
export function zeroXProfile(profile: Profile): string {
  const nodes: Node[] = [nodeOf(ROOT_ID, '(root)', '', 0)];
  const known = new Map<string, Node>();
  const child = (parent: Node, key: string, make: (id: number) => Node): Node => {
    const found = known.get(`${parent.id}\0${key}`);
    if (found !== undefined) return found;
    const made = make(nodes.length + 1);
    nodes.push(made);
    parent.children.push(made.id);
    known.set(`${parent.id}\0${key}`, made);
    return made;
  };
  const roots = profile.threads.map((thread): Node => {
    const [root] = nodes as [Node];
    if (profile.threads.length === 1) return root;
    return child(root, threadText(thread), (id) => nodeOf(id, threadText(thread), '', 0));
  });
  const { samples, stacks, frames } = profile;
  const ofStack = new Map<string, Node>();
  const at = (thread: number, row: number): Node => {
    const [root] = nodes as [Node];
    const top = roots[thread] ?? root;
    if (row < 0) return child(top, '', (id) => nodeOf(id, '[no stack]', '', 0));
    const path: number[] = [];
    let above = row;
    for (; above >= 0 && !ofStack.has(`${thread} ${above}`); above = stacks.parent[above] ?? -1)
      path.push(above);
    let node = above < 0 ? top : (ofStack.get(`${thread} ${above}`) ?? top);
    for (const next of path.toReversed()) {
      const frame = frames[stacks.frame[next] ?? -1];
      if (frame === undefined) continue;
      node = child(node, String(stacks.frame[next]), (id) => frameNode(id, frame));
      ofStack.set(`${thread} ${next}`, node);
    }
    return node;
  };
  for (let index = 0; index < samples.length; index += 1)
    at(samples.thread[index] ?? -1, samples.stack[index] ?? -1).hitCount += samples.weight[index] ?? 0;
  return JSON.stringify({ nodes, startTime: 0, endTime: 0, samples: [], timeDeltas: [] });
}

function frameNode(id: number, { name, file, line, module, kind }: Frame): Node {
  const library = module === undefined ? '' : ` (${module})`;
  const shown = kind === 'kernel' && module === undefined ? `${name}_[k]` : `${name}${library}`;
  return nodeOf(id, shown, file ?? '', line ?? 0);
}

function nodeOf(id: number, name: string, url: string, lineNumber: number): Node {
  const functionName = id === ROOT_ID ? name : zeroXText(name).replace(/^\((.*)\)$/, '[$1]');
  return { id, callFrame: { functionName, url: zeroXText(url), lineNumber }, hitCount: 0, children: [] };
}

/** 0x writes names and the title into a script of its page, and takes them for markup in tooltips: a tag among them would work. */
export function zeroXText(text: string): string {
  return text
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\uFFFD');
}

/** Data of 0x's page stand on lines of their own, which JSON has none of. */
const DATA = '\n    visualizer(';
const END = '\n   </script>';

/**
 * A page that 0x drew of names that we did not write: no name in its data is a tag any more. It would end the script, and the tooltips of the
 * page take names for markup.
 */
export function harmlessPage(page: string): string {
  const from = page.lastIndexOf(DATA);
  const to = page.lastIndexOf(END);
  if (from < 0 || to < from) return page;
  const data = page.slice(from, to).replaceAll('<', '‹').replaceAll('>', '›');
  return page.slice(0, from) + data + page.slice(to);
}
