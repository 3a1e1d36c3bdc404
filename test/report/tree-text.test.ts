import { describe, expect, it } from 'vitest';
import type { Frame } from '../../src/model/index.js';
import { type Tree, type TreeNode, displayWidth, treeJson, treeText } from '../../src/report/index.js';

const frame = (name: string, file = 'rover/engine.py'): Frame => ({ name, kind: 'python', file });

function node(
  frames: readonly Frame[],
  share: number,
  self: number,
  children: readonly TreeNode[] = [],
): TreeNode {
  return { frames, self: self * 1000, share: self, total: share * 1000, totalShare: share, children };
}

const CAST = node([frame('Lidar.post_step'), frame('Lidar.sweep'), frame('cast', 'rover/rays.py')], 0.2, 0.2);
const STEP: TreeNode = {
  ...node([frame('main', 'run.py'), frame('Runner.run', 'rover/runner.py'), frame('Engine.step')], 0.4, 0.1, [
    CAST,
  ]),
  more: { places: 3, weight: 100, share: 0.1 },
};
const WAIT: TreeNode = {
  ...node([frame('wait', 'rover/clock.py')], 0.5, 0.495),
  recursive: true,
  more: { places: 1, weight: 5, share: 0.005 },
};

function tree(changes: Partial<Tree> = {}): Tree {
  return {
    source: { path: 'recordings/x', format: 'recording' },
    window: { wallS: 4, rateHz: 250 },
    total: { weight: 1000, unit: 'samples', samples: 1000, stacks: 4, threads: 1 },
    lost: { samples: 0, lines: 0, examples: [] },
    selection: [],
    denominator: 'wall',
    physicsKnown: true,
    findings: [],
    min: 0.01,
    threads: [{ thread: { tid: 7, name: 'MainThread' }, root: node([], 0.9, 0, [WAIT, STEP]) }],
    hidden: 2,
    ...changes,
  };
}

describe('treeText', () => {
  it('is the screen at 80 columns', () => {
    expect(treeText(tree(), { width: 80, color: false })).toMatchInlineSnapshot(`
      "  recordings/x · recording · 4.0 s at 250 Hz
        1,000 samples · 1 thread
        Calls, the outermost first. Shares are of the wall time of MainThread. What is
        under 1.0 % of the tree is gathered (--min). The longest bar is 90.0 %.

         total    self            calls
        90.0 %          ████████  MainThread
        50.0 %  49.5 %  ████▌     ├ wait (rover/clock.py) [recursive]
        40.0 %  10.0 %  ███▌      └ main › Runner.run › Engine.step (rover/engine.py)
        20.0 %  20.0 %  █▊          ├ Lidar.post_step › Lidar.sweep › cast (rays.py)
        10.0 %          ▉           └ … 3 more
        2 other threads not shown: --thread NAME
      "
    `);
  });

  it('shows whole chains at 200 columns', () => {
    expect(treeText(tree(), { width: 200, color: false })).toMatchInlineSnapshot(`
      "  recordings/x · recording · 4.0 s at 250 Hz
        1,000 samples · 1 thread
        Calls, the outermost first. Shares are of the wall time of MainThread. What is under 1.0 % of the tree is gathered (--min). The longest bar is 90.0 %.

         total    self                        calls
        90.0 %          ████████████████████  MainThread
        50.0 %  49.5 %  ███████████▏          ├ wait (rover/clock.py) [recursive]
        40.0 %  10.0 %  ████████▉             └ main › Runner.run › Engine.step (rover/engine.py)
        20.0 %  20.0 %  ████▌                   ├ Lidar.post_step › Lidar.sweep › cast (rover/rays.py)
        10.0 %          ██▎                     └ … 3 more
        2 other threads not shown: --thread NAME
      "
    `);
  });

  it('is drawn in ASCII where there are no blocks', () => {
    const text = treeText(tree(), { width: 80, color: false, ascii: true });
    expect(text.split('\n').slice(6)).toMatchInlineSnapshot(`
      [
        "  90.0 %          ########  MainThread",
        "  50.0 %  49.5 %  ####-     |-wait (rover/clock.py) [recursive]",
        "  40.0 %  10.0 %  ###-      \`-main > Runner.run > Engine.step (rover/engine.py)",
        "  20.0 %  20.0 %  ##          |-Lidar.post_step > Lidar.sweep > cast (rays.py)",
        "  10.0 %          #           \`-... 3 more",
        "  2 other threads not shown: --thread NAME",
        "",
      ]
    `);
  });

  it('shortens a chain from within: its last call is kept longest, then its first', () => {
    const lines = [60, 50, 46, 40].map((width) =>
      treeText(tree({ threads: [{ root: node([], 0.5, 0, [CAST]) }] }), { width, color: false })
        .split('\n')
        .find((line) => line.includes('cast')),
    );
    expect(lines).toMatchInlineSnapshot(`
      [
        "  20.0 %  20.0 %  └ Lidar.post_step › … › cast (rays.py)",
        "  20.0 %  20.0 %  └ Lidar.post_step › … › cast",
        "  20.0 %  20.0 %  └ Lidar.post_step › … › cast",
        "  20.0 %  20.0 %  └ … › cast (rays.py)",
      ]
    `);
  });

  it.each([40, 60, 80, 200])('fits %i columns however deep and hostile the calls are', (width) => {
    const nasty = frame(`\u001b[31m${'名'.repeat(60)}\u202e`, 'a\nb.py');
    let inner = node([nasty, nasty], 0.1, 0.1);
    for (let level = 0; level < 80; level += 1)
      inner = node([nasty], 0.5, 0.1, [inner, node([nasty], 0.1, 0.1)]);
    const text = treeText(tree({ threads: [{ root: node([], 1, 0, [inner]) }] }), { width, color: false });
    expect(Math.max(...text.split('\n').map(displayWidth))).toBeLessThanOrEqual(width);
    // oxlint-disable-next-line no-control-regex -- none may be left
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(text).toMatch(/\+\d+ /);
  });

  it('says that nothing is in a selection', () => {
    const text = treeText(tree({ threads: [], hidden: 0 }), { width: 100, color: false });
    expect(text).toContain('No sample is in that selection');
  });
});

describe('treeJson', () => {
  it('has the documented shape', () => {
    const json = JSON.parse(treeJson(tree()));
    expect(json).toMatchObject({ schema: 'sim-profiler/v1', kind: 'tree', min: 0.01, hidden: 2 });
    expect(json.threads).toEqual([
      {
        thread: 'MainThread',
        tid: 7,
        self: 0,
        total: 900,
        share: 0,
        totalShare: 0.9,
        children: [
          {
            frames: ['wait (rover/clock.py)'],
            recursive: true,
            self: 495,
            total: 500,
            share: 0.495,
            totalShare: 0.5,
            more: { places: 1, weight: 5, share: 0.005 },
          },
          expect.objectContaining({
            frames: ['main (run.py)', 'Runner.run (rover/runner.py)', 'Engine.step (rover/engine.py)'],
            children: [expect.objectContaining({ total: 200 })],
          }),
        ],
      },
    ]);
  });
});

describe('names of ten thousand characters', () => {
  it.each(['x', 'é漢', 'e\u0301', 'x '])(
    'of %j are cut without measuring them whole: 300 lines are there at once',
    (piece) => {
      const long = (name: string): Frame => frame(`${name}_${piece.repeat(10_000 / piece.length)}_${name}`);
      const nodes = Array.from({ length: 300 }, (_, at) =>
        node(
          ['a', 'b', 'c', 'd'].map((name) => long(`${name}${at}`)),
          0.001,
          0.001,
        ),
      );
      const threads = [{ thread: { tid: 7, name: 'MainThread' }, root: node([], 1, 0, nodes) }];
      const lines = treeText(tree({ threads, hidden: 0 }), { width: 80, color: false })
        .trimEnd()
        .split('\n')
        .slice(5);
      expect(lines.length).toBe(302);
      expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(80);
      expect(lines.at(-1)).toMatch(/^    0\.1 %  0\.1 %  ▏ {9}└ d299_.*….*_d299 \(engine\.py\)$/);
    },
  );
});
