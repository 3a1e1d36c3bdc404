import { describe, expect, it } from 'vitest';
import { harmlessPage, zeroXProfile } from '../../src/formats/index.js';
import { type Frame, ProfileBuilder, type Thread } from '../../src/model/index.js';

interface Node {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly hitCount: number;
  readonly children: readonly number[];
}

function nodesOf(rows: readonly (readonly [Thread, readonly Frame[], number])[]): readonly Node[] {
  const builder = new ProfileBuilder('samples', { format: 'cpuprofile' });
  for (const [thread, frames, weight] of rows) {
    const stack = builder.stackOf(frames.map((frame) => builder.frame(frame)));
    builder.sample(stack, builder.thread(thread), weight);
  }
  return (JSON.parse(zeroXProfile(builder.build())) as { nodes: Node[] }).nodes;
}

/** `name url:line hits` with what is below it, as 0x walks it from node 1. */
function drawn(nodes: readonly Node[], id = 1): string {
  const node = nodes.find((one) => one.id === id);
  if (node === undefined) throw new Error(`no node ${id}`);
  const { functionName, url, lineNumber } = node.callFrame;
  const below = node.children.map((child) => drawn(nodes, child)).join(' ');
  return `${functionName}${url === '' ? '' : ` ${url}:${lineNumber}`} ${node.hitCount}${below === '' ? '' : ` [${below}]`}`;
}

const MAIN: Thread = { tid: 7, name: 'node' };
const step: Frame = { name: 'step', kind: 'js', file: '/app/loop.mjs', line: 12 };
const solve: Frame = { name: 'mj_solve', kind: 'native', module: 'libmujoco.so' };

describe('a profile for 0x', () => {
  it('has the root first, weights as hits, and lines as people count them', () => {
    const nodes = nodesOf([
      [MAIN, [step], 3],
      [MAIN, [step, solve], 50],
      [MAIN, [{ name: 'step', kind: 'js', file: '/app/loop.mjs', line: 13 }], 1],
    ]);
    expect(nodes[0]).toMatchObject({ id: 1, callFrame: { functionName: '(root)' } });
    expect(drawn(nodes)).toBe(
      '(root) 0 [step /app/loop.mjs:12 3 [mj_solve (libmujoco.so) 50] step /app/loop.mjs:13 1]',
    );
  });

  it('hides nothing that 0x would leave out: states of the engine, and samples without a stack', () => {
    const nodes = nodesOf([
      [MAIN, [{ name: '(idle)', kind: 'marker' }], 20],
      [MAIN, [step, { name: '(garbage collector)', kind: 'marker' }], 2],
      [MAIN, [], 4],
    ]);
    expect(drawn(nodes)).toBe(
      '(root) 0 [[idle] 20 step /app/loop.mjs:12 0 [[garbage collector] 2] [no stack] 4]',
    );
  });

  it('has several threads apart, also where they stand in the same function', () => {
    const nodes = nodesOf([
      [MAIN, [step], 3],
      [{ tid: 8, name: 'worker' }, [step], 5],
    ]);
    expect(drawn(nodes)).toBe(
      '(root) 0 [thread (7): node 0 [step /app/loop.mjs:12 3] thread (8): worker 0 [step /app/loop.mjs:12 5]]',
    );
  });

  it('carries no name that could end the script of the page, or hide in it', () => {
    const hostile: Frame = {
      name: '</script><img src=x>',
      kind: 'js',
      file: '/a<b>\u2028\u202E.js',
      line: 1,
    };
    const text = JSON.stringify(
      nodesOf([
        [{ name: '<!--\u0000' }, [hostile], 1],
        [MAIN, [hostile], 1],
      ]),
    );
    expect(text).not.toMatch(/[<>\u2028\u202E]|\\u0000/);
    expect(text).toContain('‹/script›‹img src=x›');
  });
});

describe('a page that 0x drew', () => {
  const PAGE =
    '<html><script> bundle("<b>");\n    visualizer(DATA, {"title":"T"})\n   </script>\n    </body>';

  it('has no tag among its names and in its title any more, and is the same besides', () => {
    const hostile = PAGE.replace('DATA', '{"name":"</script><img onerror=x>"}').replace(
      'T',
      '<b>"\\n    visualizer(',
    );
    expect(harmlessPage(hostile)).toBe(
      PAGE.replace('DATA', '{"name":"‹/script›‹img onerror=x›"}').replace('T', '‹b›"\\n    visualizer('),
    );
  });

  it('stays as it is where it has no such place', () => {
    expect(harmlessPage('<p>no page of 0x</p>')).toBe('<p>no page of 0x</p>');
  });
});
