import { describe, expect, it } from 'vitest';
import { ProfileBuilder } from '../../src/model/index.js';
import type { Bucket, Profile } from '../../src/model/index.js';
import { flameTree } from '../../src/report/index.js';

interface Line {
  readonly stack: string;
  readonly share: number;
}

/** A profile of `a;b:3` lines, and a bucket by the name of the last frame. */
function treeOf(
  lines: readonly Line[],
  others: Parameters<typeof flameTree>[0]['others'] = [],
): ReturnType<typeof flameTree> {
  const builder = new ProfileBuilder('samples', { format: 'test' });
  const thread = builder.thread({ name: 'main' });
  const rows = lines.map(({ stack }) => {
    let row = -1;
    for (const text of stack.split(';')) {
      const [name = '', line] = text.split(':');
      const frame = {
        name,
        kind: 'python',
        file: 'a.py',
        ...(line === undefined ? {} : { line: Number(line) }),
      } as const;
      row = builder.stack(row, builder.frame(frame));
    }
    builder.sample(row, thread, 1);
    return row;
  });
  const profile: Profile = builder.build();
  const stacks = lines.map(({ share }, at) => ({ stack: rows[at]!, share }));
  const bucketOf = (row: number): Bucket => {
    const { name, line } = profile.frames[profile.stacks.frame[row]!]!;
    if (name.startsWith('step')) return line === 9 ? 'pacer' : 'physics';
    return 'python';
  };
  const claimOf = (row: number) => ({ bucket: bucketOf(row), frame: 0 });
  return flameTree({ profile, stacks, claimOf, others, name: 'main' });
}

/** Nodes as `PARENT NAME WEIGHT BUCKET`, weights in thousandths of the whole. */
function nodesOf({ names, nodes, buckets }: ReturnType<typeof flameTree>): string[] {
  const texts: string[] = [];
  for (let at = 0; at < nodes.length; at += 4) {
    const [parent, name, weight, bucket] = nodes.slice(at, at + 4) as [number, number, number, number];
    texts.push(`${parent} ${names[name]} ${weight / 1e6} ${buckets[bucket] ?? '-'}`);
  }
  return texts;
}

describe('flameTree', () => {
  it('joins lines of one function, apart by bucket, and adds up to the whole', () => {
    const tree = treeOf(
      [
        { stack: 'run:1;step:3', share: 0.2 },
        { stack: 'run:2;step:4', share: 0.1 },
        { stack: 'run:2;step:9', share: 0.5 },
        { stack: 'run:2', share: 0.15 },
      ],
      [{ bucket: 'cpu-wait', name: 'waiting for a CPU', share: 0.05 }],
    );
    expect(nodesOf(tree)).toEqual([
      '-1 main 1000 -',
      '0 run (a.py) 950 python',
      '1 step (a.py) 300 physics',
      '1 step (a.py) 500 pacer',
      '0 waiting for a CPU 50 cpu-wait',
    ]);
    expect(tree).toMatchObject({ pooledNodes: 0, pooledShare: 0, deepShare: 0 });
  });

  it('pools what is too small to draw below its parent, and says how much that is', () => {
    const tree = treeOf([
      { stack: 'run;step', share: 0.9 },
      ...Array.from({ length: 50 }, (_, at) => ({ stack: `run;f${at};g`, share: 0.00004 })),
      { stack: 'run;h', share: 0.098 },
    ]);
    expect(nodesOf(tree)).toEqual([
      '-1 main 1000 -',
      '0 run (a.py) 1000 python',
      '1 step (a.py) 900 physics',
      '1 h (a.py) 98 python',
      '1 (50 too small to draw) 2 unclassified',
    ]);
    expect(tree).toMatchObject({ pooledNodes: 50, deepShare: 0 });
    expect(tree.pooledShare).toBeCloseTo(0.002, 12);
  });

  it('draws no more nodes than a page can hold, the heaviest', () => {
    const lines = Array.from({ length: 9000 }, (_, at) => ({
      stack: `f${at}`,
      share: at < 10 ? 0.01 : 0.0001,
    }));
    const tree = treeOf(lines);
    expect(nodesOf(tree).slice(0, 12)).toEqual([
      '-1 main 999 -',
      ...Array.from({ length: 10 }, (_, at) => `0 f${at} (a.py) 10 python`),
      '0 (8990 too small to draw) 899 unclassified',
    ]);
  });

  it('cuts at a depth that no screen shows: what is deeper stays with the last frame', () => {
    const deep = Array.from({ length: 30_000 }, (_, at) => `f${at}`).join(';');
    const tree = treeOf([{ stack: deep, share: 0.5 }]);
    expect(nodesOf(tree)).toHaveLength(201);
    expect(nodesOf(tree).at(-1)).toBe('199 f199 (a.py) 500 python');
    expect(tree.deepShare).toBe(0.5);
  });

  it('calls a function by its file, whatever that is called', () => {
    const builder = new ProfileBuilder('samples', { format: 'test' });
    const row = builder.stack(
      -1,
      builder.frame({ name: '<module>', kind: 'python', file: 'roqsim', line: 3 }),
    );
    builder.sample(row, builder.thread({}), 1);
    const tree = flameTree({
      profile: builder.build(),
      stacks: [{ stack: row, share: 1 }],
      claimOf: () => ({ bucket: 'python', frame: 0 }),
      others: [],
      name: 'main',
    });
    expect(tree.names).toEqual(['main', '<module> (roqsim)']);
  });

  it('keeps names short and harmless', () => {
    const tree = treeOf([
      { stack: `a\u202Eb\u001B[2J`, share: 0.5 },
      { stack: 'x'.repeat(10_000), share: 0.5 },
    ]);
    expect(tree.names[1]).toBe(String.raw`a\u202eb\x1b[2J (a.py)`);
    expect(tree.names[2]).toHaveLength(300);
  });
});
