import { beforeAll, describe, expect, it } from 'vitest';
import { emptyFolder, writePacedRecording } from './recording-folder.js';
import { runJson, runProfiler } from './run-profiler.js';

interface Node {
  readonly frames?: readonly string[];
  readonly self: number;
  readonly total: number;
  readonly share: number;
  readonly totalShare: number;
  readonly children?: readonly Node[];
  readonly more?: { readonly weight: number; readonly share: number };
}

let cwd = '';
beforeAll(async () => {
  cwd = emptyFolder();
  await writePacedRecording(cwd, 'paced');
});

function nodesOf(node: Node): Node[] {
  return [node, ...(node.children ?? []).flatMap(nodesOf)];
}

const HUSKY = 'rules/husky-idle.raw';

describe('hot --tree', () => {
  it('gives a call the share that hot and buckets give it', async () => {
    const { threads } = await runJson(['hot', '--tree'], { cwd });
    const nodes: Node[] = nodesOf(threads[0]);
    const { rows } = await runJson(['hot', '--by', 'function', '--thread', 'MainThread'], { cwd });
    const shareOf = new Map<string, number>(
      rows.map((row: { name: string; totalShare: number }) => [row.name, row.totalShare]),
    );
    for (const node of nodes.slice(1)) {
      const name = node.frames?.at(-1)?.replace(/ .*/, '') ?? '';
      expect(node.totalShare).toBe(shareOf.get(name));
    }
    const breakdown = await runJson(['buckets'], { cwd });
    const bucket = (id: string): number =>
      breakdown.threads[0].buckets.find((one: { id: string }) => one.id === id).share;
    expect(nodes.map((node) => node.frames?.at(-1))).toEqual([
      undefined,
      '_tick (roqsim/runner.py)',
      'wait (roqsim/clock.py)',
      'step (roqsim/engine.py)',
    ]);
    expect(nodes.slice(2).map((node) => node.share)).toEqual([bucket('pacer'), bucket('physics')]);
  });

  it('is of the physics thread, of those that are named, or of what a bucket holds', async () => {
    const names = async (...args: string[]): Promise<unknown> => {
      const { threads, hidden } = await runJson(['hot', '--tree', ...args], { cwd });
      return [threads.map((one: { thread: string }) => one.thread), hidden];
    };
    expect(await names()).toEqual([['MainThread'], 1]);
    expect(await names('--thread', 'executor')).toEqual([['executor'], 0]);
    expect(await names('--thread', '/./')).toEqual([['MainThread', 'executor'], 0]);
    expect(await names('--bucket', 'idle')).toEqual([['executor'], 0]);
    expect(await names('--bucket', 'gc')).toEqual([[], 0]);
    const { out } = await runProfiler(['hot', '--tree', '--bucket', 'pacer'], { cwd });
    expect(out).toContain('Only bucket pacer, 300 of 1000 in all.');
    expect(out).toMatch(
      /^ {2}60\.2 % {2}60\.2 % {2}█{8} {2}└ <module> › run › _tick › wait \(roqsim\/clock\.py\)$/m,
    );
  });

  it('gathers what is under --min, and loses nothing by that', async () => {
    const all = await runJson(['hot', HUSKY, '--tree', '--min', '0.1']);
    const some = await runJson(['hot', HUSKY, '--tree', '--min', '20']);
    for (const { threads } of [all, some]) {
      for (const { self, total, children = [], more } of nodesOf(threads[0])) {
        const parts = children.reduce((sum, child) => sum + child.total, 0);
        expect(self + parts + (more?.weight ?? 0)).toBe(total);
      }
    }
    expect(nodesOf(some.threads[0]).length).toBeLessThan(nodesOf(all.threads[0]).length);
    expect(some).toMatchObject({ kind: 'tree', min: 0.2, total: { weight: 785 } });
  });

  it('keeps hostile names from the terminal', async () => {
    const input = 'main (a.py:1);\u001b[31mred\u0007 (b.py:2) 3\n';
    const { out } = await runProfiler(['hot', '-', '--tree'], { input });
    expect(out).toContain('└ main › \\x1b[31mred\\x07 (b.py)');
    expect(out).not.toContain('\u001b');
  });

  it.each([
    [['--tree', '--top', '3'], "Option '--tree' cannot be used with option '--top <n>'."],
    [['--tree', '--by', 'line'], "Option '--tree' cannot be used with option '--by <grouping>'."],
    [['--tree', '--folded'], 'cannot be used with option'],
    [['--tree', '--min', '0.01'], 'It must be a number of percent from 0.1 to 100.'],
  ])('%j is wrong usage', async (args, sentence) => {
    const { code, err } = await runProfiler(['hot', HUSKY, ...args]);
    expect([code, err.includes(sentence)]).toEqual([2, true]);
  });
});
