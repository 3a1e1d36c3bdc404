import { describe, expect, it } from 'vitest';
import { ProfileBuilder } from '../../src/model/index.js';
import type { Profile } from '../../src/model/index.js';
import { type TreeNode, callTrees, hotRows, poolSamples } from '../../src/report/index.js';
import type { Claim } from '../../src/rules/index.js';

const UNCLAIMED: Claim = { bucket: 'unclassified', frame: -1 };

/** Stacks by the names of their functions, each with its weight; a name may carry a line: `step:3`. No name: no usable stack. */
function profileOf(stacks: readonly (readonly [names: readonly string[], weight: number])[]): Profile {
  const builder = new ProfileBuilder('samples', { format: 'test' });
  const thread = builder.thread({ name: 'main' });
  for (const [names, weight] of stacks) {
    const frames = names.map((text) => {
      const [name = '', line] = text.split(':');
      return builder.frame({
        name,
        kind: 'python',
        file: 'a.py',
        ...(line === undefined ? {} : { line: Number(line) }),
      });
    });
    builder.sample(frames.length === 0 ? -1 : builder.stackOf(frames), thread, weight);
  }
  return builder.build();
}

/** Stacks as `a;b;c`. */
function textProfile(lines: Readonly<Record<string, number>>): Profile {
  return profileOf(
    Object.entries(lines).map(([stack, weight]) => [stack === '' ? [] : stack.split(';'), weight] as const),
  );
}

function worthOf(profile: Profile): Parameters<typeof callTrees>[2] {
  const all = profile.samples.weight.reduce((sum, one) => sum + one, 0);
  return { leafOf: () => 'work', shareOf: (_, { work }) => ({ share: work / all }) };
}

function treeOf(profile: Profile, min = 0.01): TreeNode {
  const pooled = poolSamples(profile, {}, () => UNCLAIMED);
  const [tree] = callTrees(profile, pooled, worthOf(profile), min);
  if (tree === undefined) throw new Error('no tree');
  return tree.root;
}

/** `a › b 90/10 {c 80/80} +3 …0.5`: total and self, children, what is gathered. */
function brief({ frames, total, self, children, more, recursive }: TreeNode): string {
  const name = `${frames.map((frame) => frame.name).join(' › ')}${recursive === true ? '*' : ''}`;
  const below = children.length === 0 ? '' : ` {${children.map(brief).join(', ')}}`;
  return `${name} ${total}/${self}${below}${more === undefined ? '' : ` +${more.places} ${more.weight}`}`.trimStart();
}

/** Sum of all samples by a second way, and that each node is its parts. */
function check(node: TreeNode): void {
  const parts = node.children.reduce((sum, child) => sum + child.total, 0);
  expect(node.self + parts + (node.more?.weight ?? 0)).toBeCloseTo(node.total, 6);
  const shares = node.children.reduce((sum, child) => sum + child.totalShare, 0);
  expect(node.share + shares + (node.more?.share ?? 0)).toBeCloseTo(node.totalShare, 9);
  node.children.forEach(check);
}

describe('callTrees', () => {
  it('joins calls that lead to one other alone, and lines of one function', () => {
    const profile = textProfile({ 'main:1;run:2;step:3;cast': 60, 'main:1;run:2;step:4;publish': 40 });
    expect(brief(treeOf(profile))).toBe('100/0 {main › run › step 100/0 {cast 60/60, publish 40/40}}');
  });

  it('gathers what is less than its part of the tree, hottest first, equal ones by name', () => {
    const profile = textProfile({ 'm;b': 30, 'm;a': 30, 'm;c': 38, 'm;d': 1, 'm;e': 0.5, 'm;f': 0.5 });
    expect(brief(treeOf(profile, 0.01))).toBe('100/0 {m 100/0 {c 38/38, a 30/30, b 30/30, d 1/1} +2 1}');
    expect(brief(treeOf(profile, 0.02))).toBe('100/0 {m 100/0 {c 38/38, a 30/30, b 30/30} +3 2}');
  });

  it('goes on with a chain past what is too small to be shown, and keeps count of it', () => {
    const profile = textProfile({ a: 2, 'a;x': 3, 'a;b;c': 900, 'a;b;y': 2, 'a;b': 1, 'a;b;c;d': 92 });
    expect(brief(treeOf(profile))).toBe('1000/0 {a › b › c 1000/900 {d 92/92} +4 8}');
    check(treeOf(profile));
  });

  it('ends a chain before it has lost as much as a line would show', () => {
    const profile = textProfile({ 'a;x': 6, 'a;b;y': 6, 'a;b;c': 988 });
    expect(brief(treeOf(profile))).toBe('1000/0 {a › b 1000/0 {c 988/988} +2 12}');
  });

  it('leads a recursion back to its first call, also through others', () => {
    const direct = textProfile({ 'main;walk;walk;walk;leaf': 6, 'main;walk;leaf': 2, 'main;walk;walk': 2 });
    expect(brief(treeOf(direct))).toBe('10/0 {main › walk* 10/2 {leaf 8/8}}');
    const mutual = textProfile({ 'm;a;b;a;b;c': 5, 'm;a;b;a': 3, 'm;a;d': 2 });
    expect(brief(treeOf(mutual))).toBe('10/0 {m › a* 10/3 {b › c* 5/5, d 2/2}}');
  });

  it('shows samples without a usable stack as such', () => {
    expect(brief(treeOf(textProfile({ 'm;a': 8, '': 2 })))).toBe('10/0 {m › a 8/8, (no usable stack) 2/2}');
  });

  it('gives each function at most what hot gives it, and each node what is in it', () => {
    let state = 7;
    const random = (limit: number): number => (state = (state * 48271) % 2147483647) % limit;
    const stacks = Array.from(
      { length: 400 },
      () => [Array.from({ length: 1 + random(12) }, () => `f${random(9)}`), 1 + random(20)] as const,
    );
    const profile = profileOf(stacks);
    const root = treeOf(profile, 0.001);
    check(root);
    const pooled = poolSamples(profile, {}, () => UNCLAIMED);
    const { rows } = hotRows(
      { profile, by: 'function', physics: -1, claimOf: () => UNCLAIMED, worth: worthOf(profile) },
      pooled,
    );
    const totals = new Map(rows.map((row) => [row.name, row.total ?? 0]));
    const inTree = new Map<string, number>();
    const visit = (node: TreeNode): void => {
      const [first] = node.frames;
      if (first !== undefined) inTree.set(first.name, (inTree.get(first.name) ?? 0) + node.total);
      node.children.forEach(visit);
    };
    visit(root);
    for (const [name, total] of inTree) expect(total).toBeLessThanOrEqual(totals.get(name) ?? 0);
    expect(root.total).toBe(stacks.reduce((sum, [, weight]) => sum + weight, 0));
  });

  it('splits shares as it splits weights, where samples are worth different things', () => {
    const profile = textProfile({ 'm;work': 50, 'm;sleep': 50 });
    const pooled = poolSamples(profile, {}, () => UNCLAIMED);
    const worth = {
      leafOf: (stack: number) => (stack === pooled[1]?.stack ? 'sleep' : 'work'),
      shareOf: (_: number, counts: { work: number; sleep: number }) => ({
        share: counts.work * 0.004 + counts.sleep * 0.016,
      }),
    } as Parameters<typeof callTrees>[2];
    const [tree] = callTrees(profile, pooled, worth, 0.01);
    const [main] = tree?.root.children ?? [];
    expect(main?.totalShare).toBeCloseTo(1, 9);
    expect(main?.children.map((node) => [node.frames[0]?.name, Math.round(node.totalShare * 100)])).toEqual([
      ['sleep', 80],
      ['work', 20],
    ]);
  });

  it('keeps threads apart', () => {
    const builder = new ProfileBuilder('samples', { format: 'test' });
    const frame = builder.frame({ name: 'f', kind: 'python', file: 'a.py' });
    const other = builder.frame({ name: 'g', kind: 'python', file: 'a.py' });
    const stack = builder.stackOf([frame]);
    for (const [name, weight] of [
      ['a', 3],
      ['b', 4],
    ] as const)
      builder.sample(stack, builder.thread({ name }), weight);
    builder.sample(builder.stackOf([frame, other]), builder.thread({ name: 'b' }), 4);
    const profile = builder.build();
    const trees = callTrees(
      profile,
      poolSamples(profile, {}, () => UNCLAIMED),
      worthOf(profile),
      0.01,
    );
    expect(trees.map(({ root }) => brief(root))).toEqual(['3/0 {f 3/3}', '8/0 {f 8/4 {g 4/4}}']);
  });

  it('does not call recursion what a single torn stack shows', () => {
    const lines = { 'main;publish': 600, 'main;publish;publish': 2 };
    expect(treeOf(textProfile(lines)).children.map(brief)).toEqual(['main › publish 602/602']);
    const often = { 'main;publish': 600, 'main;publish;publish': 20 };
    expect(treeOf(textProfile(often)).children.map(brief)).toEqual(['main › publish* 620/620']);
  });

  it('does not take code without a symbol for one function: only neighbours are one node', () => {
    const tree = treeOf(
      textProfile({ 'main;[unknown];cb;[unknown];[unknown]': 6, 'main;0x7f00;cb;0x7f00;work': 4 }),
    );
    check(tree);
    expect(tree.children.map(brief)).toEqual([
      'main 10/0 {[unknown] › cb › [unknown] 6/6, 0x7f00 › cb › 0x7f00 › work 4/4}',
    ]);
  });

  it('takes stacks of 20,000 calls, all different, recursive, or thinning out', () => {
    const deep = Array.from({ length: 20_000 }, (_, at) => `g${at}`);
    expect(treeOf(profileOf([[deep, 5]])).children[0]?.frames).toHaveLength(20_000);
    const again = Array.from({ length: 20_000 }, (_, at) => `r${at % 3}`);
    // The last of them is r1 again.
    expect(brief(treeOf(profileOf([[again, 5]])))).toBe('5/0 {r0 › r1* 5/5}');
    const stairs = Array.from({ length: 2000 }, (_, at) => [deep.slice(0, at + 1), 1] as const);
    const root = treeOf(profileOf(stairs), 0.001);
    let depth = 0;
    for (let node = root.children[0]; node !== undefined; node = node.children[0]) depth += 1;
    expect(depth).toBeLessThanOrEqual(1000);
    check(root);
  });
});
