import { describe, expect, it } from 'vitest';
import { ProfileBuilder, SAMPLE_STATES } from '../../src/model/index.js';
import type { Profile, Thread } from '../../src/model/index.js';
import { type HotBy, type HotRows, hotRows, poolSamples } from '../../src/report/index.js';
import type { Claim } from '../../src/rules/index.js';
import { rawInterval } from '../../src/stats/index.js';

/** `[thread, 'main (a.py:1);build (a.py:9)', count]` as a profile. */
type Line = readonly [thread: string | undefined, stack: string, count: number];

function profileOf(lines: readonly Line[]): Profile {
  const builder = new ProfileBuilder('samples', { format: 'test' });
  for (const [name, stack, count] of lines) {
    const thread: Thread = name === undefined ? {} : { name };
    const frames = stack.split(';').map((text) => {
      const [, fn = text, file, line] = /^(.*) \((.*?)(?::(\d+))?\)$/.exec(text) ?? [];
      return builder.frame({
        name: fn,
        kind: 'python',
        ...(file === undefined ? {} : { file }),
        ...(line === undefined ? {} : { line: Number(line) }),
      });
    });
    builder.sample(builder.stackOf(frames), builder.thread(thread), count);
  }
  return builder.build();
}

const UNCLAIMED: Claim = { bucket: 'unclassified', frame: -1 };

function rowsOf(
  profile: Profile,
  by: HotBy,
  options: {
    readonly top?: number;
    readonly claimOf?: (stack: number) => Claim;
    readonly physics?: number;
  } = {},
): HotRows {
  const claimOf = options.claimOf ?? (() => UNCLAIMED);
  const all = profile.samples.weight.reduce((sum, one) => sum + one, 0);
  return hotRows(
    {
      profile,
      by,
      ...(options.top === undefined ? {} : { top: options.top }),
      physics: options.physics ?? -1,
      claimOf,
      worth: { leafOf: () => 'work', shareOf: (_, counts) => rawInterval(counts.work, all) },
    },
    poolSamples(profile, {}, claimOf),
  );
}

const brief = ({ rows }: HotRows): unknown[] =>
  rows.map((row) => [
    row.stack?.map((frame) => frame.name).join(';') ??
      `${row.name}${row.line === undefined ? '' : `:${row.line}`}`,
    ...(row.weight === undefined ? [row.self, row.total] : [row.weight]),
  ]);

/** As a sampler takes them that knows what the thread did. */
function waitingProfile(): Profile {
  const builder = new ProfileBuilder('samples', { format: 'test' });
  const thread = builder.thread({ name: 'sim' });
  const line = (name: string, at: number): number =>
    builder.frame({ name, kind: 'python', file: 'a.py', line: at });
  const main = builder.stack(-1, line('main', 1));
  const [first, second] = [builder.stack(main, line('step', 7)), builder.stack(main, line('step', 8))];
  const taken: readonly (readonly [number, number, (typeof SAMPLE_STATES)[number]])[] = [
    [first, 6, 'gil-wait'],
    [first, 2, 'running'],
    [second, 3, 'sleep'],
    [main, 4, 'cpu-wait'],
  ];
  for (const [stack, weight, state] of taken)
    builder.sample(stack, thread, weight, undefined, SAMPLE_STATES.indexOf(state));
  return builder.build();
}

describe('hotRows of samples that know what their thread did', () => {
  it('say which part of a stack waits, and of what is left out', () => {
    const { rows, more } = rowsOf(waitingProfile(), 'stack', { top: 2 });
    expect(rows.map(({ weight, waiting }) => [weight, waiting])).toEqual([
      [8, 6],
      [4, 4],
    ]);
    expect(more).toEqual({ rows: 1, weight: 3 });
    expect(rowsOf(waitingProfile(), 'stack', { top: 1 }).more).toEqual({ rows: 2, weight: 7, waiting: 4 });
  });

  it('say it of functions, with what is below them, and of their lines, which come in the order of the rest', () => {
    const { rows, more } = rowsOf(waitingProfile(), 'function');
    expect(rows).toMatchObject([
      {
        name: 'step',
        file: 'a.py',
        thread: { name: 'sim' },
        self: 11,
        waiting: 6,
        total: 11,
        totalWaiting: 6,
        lines: [
          { line: 8, self: 3 },
          { line: 7, self: 8, waiting: 6 },
        ],
      },
      {
        name: 'main',
        file: 'a.py',
        thread: { name: 'sim' },
        self: 4,
        waiting: 4,
        total: 15,
        totalWaiting: 10,
        lines: [{ line: 1, self: 4, waiting: 4 }],
      },
    ]);
    expect(more).toEqual({ rows: 0, weight: 0 });
    expect(rowsOf(waitingProfile(), 'line', { top: 1 }).more).toEqual({ rows: 2, weight: 7, waiting: 4 });
  });

  it('say it of callers', () => {
    const { rows } = rowsOf(waitingProfile(), 'caller');
    expect(rows.reduce((sum, { waiting = 0 }) => sum + waiting, 0)).toBe(10);
  });
});

describe('hotRows by function', () => {
  const recursion: readonly Line[] = [
    [undefined, 'main (a.py:1);build (a.py:9);build (a.py:9);build (a.py:9)', 6],
    [undefined, 'main (a.py:1);build (a.py:9)', 2],
    [undefined, 'main (a.py:1);idle (a.py:20)', 2],
  ];

  it('counts a function once per sample, so that recursion never exceeds all samples', () => {
    const rows = rowsOf(profileOf(recursion), 'function');
    expect(brief(rows)).toEqual([
      ['build', 8, 8],
      ['idle', 2, 2],
      ['main', 0, 10],
    ]);
    expect(rows.rows.map((row) => [row.share, row.totalShare])).toEqual([
      [0.8, 0.8],
      [0.2, 0.2],
      [0, 1],
    ]);
  });

  const LINES: readonly Line[] = [
    [undefined, 'loop (b.py:40);cast (b.py:51)', 20],
    [undefined, 'loop (b.py:40);cast (b.py:52)', 20],
    [undefined, 'loop (b.py:41);cast (b.py:53)', 20],
    [undefined, 'loop (b.py:42);pub (b.py:70)', 30],
    [undefined, 'loop (b.py:40);__init__ (c.py:5)', 5],
    [undefined, 'loop (b.py:40);__init__ (c.py:95)', 5],
  ];

  it('joins the lines of a function and tells which they were', () => {
    const { rows } = rowsOf(profileOf(LINES), 'function');
    expect(rows.map((row) => [row.name, row.self, row.lines])).toEqual([
      [
        'cast',
        60,
        [
          { line: 51, self: 20 },
          { line: 52, self: 20 },
          { line: 53, self: 20 },
        ],
      ],
      ['pub', 30, [{ line: 70, self: 30 }]],
      [
        '__init__',
        10,
        [
          { line: 5, self: 5 },
          { line: 95, self: 5 },
        ],
      ],
      ['loop', 0, undefined],
    ]);
  });

  it('keeps lines apart when asked for lines, and callers out when asked for leaves', () => {
    const lines = brief(rowsOf(profileOf(LINES), 'line'));
    expect(lines[0]).toEqual(['pub:70', 30, 30]);
    expect(lines).toContainEqual(['loop:40', 0, 50]);
    expect(brief(rowsOf(profileOf(LINES), 'leaf')).map((row) => (row as unknown[])[0])).toEqual([
      'pub:70',
      'cast:51',
      'cast:52',
      'cast:53',
      '__init__:5',
      '__init__:95',
    ]);
  });

  it('groups by file', () => {
    expect(brief(rowsOf(profileOf(LINES), 'file'))).toEqual([
      ['b.py', 90, 100],
      ['c.py', 10, 10],
    ]);
  });

  it('groups by package folder', () => {
    const profile = profileOf([
      [undefined, 'run (sim/engine.py:1);step (sim/physics.py:2)', 3],
      [undefined, 'run (sim/engine.py:1);publish (rclpy/publisher.py:2)', 2],
    ]);
    expect(brief(rowsOf(profile, 'module'))).toEqual([
      ['sim', 3, 5],
      ['rclpy', 2, 2],
    ]);
  });
});

describe('hotRows by stack', () => {
  const TIES: readonly Line[] = [
    [undefined, 'a;z', 10],
    [undefined, 'a;y', 10],
    [undefined, 'a;x', 10],
    [undefined, 'a;w', 5],
  ];
  const permutations = [TIES, TIES.toReversed(), [TIES[2]!, TIES[0]!, TIES[3]!, TIES[1]!]];

  it.each(permutations.map((lines) => [lines]))(
    'orders ties by their text, whatever the order of lines',
    (lines) => {
      expect(brief(rowsOf(profileOf(lines), 'stack'))).toEqual([
        ['a;x', 10],
        ['a;y', 10],
        ['a;z', 10],
        ['a;w', 5],
      ]);
      expect(brief(rowsOf(profileOf(lines), 'stack', { top: 2 }))).toEqual([
        ['a;x', 10],
        ['a;y', 10],
      ]);
    },
  );

  it('says what --top leaves out', () => {
    expect(rowsOf(profileOf(TIES), 'stack', { top: 2 }).more).toEqual({ rows: 2, weight: 15 });
    expect(rowsOf(profileOf(TIES), 'function', { top: 2 }).more).toEqual({ rows: 3, weight: 15 });
  });

  it('puts the physics thread first and keeps threads apart', () => {
    const profile = profileOf([
      ['pool', 'wait (q.py:1)', 100],
      ['main', 'run (b.py:1)', 60],
      ['main', 'wait (q.py:1)', 5],
    ]);
    const physics = profile.threads.findIndex((thread) => thread.name === 'main');
    const { rows } = rowsOf(profile, 'stack', { physics });
    expect(rows.map((row) => [row.thread?.name, row.weight])).toEqual([
      ['main', 60],
      ['main', 5],
      ['pool', 100],
    ]);
  });
});

describe('hotRows by caller', () => {
  it('tells two sensors apart that share one cast, past frames that the bucket claims itself', () => {
    const profile = profileOf([
      [undefined, 'step (e.py:1);scan (lidar.py:5);cast_many (rays.py:7);mj_multiRay (mj.py:1)', 40],
      [undefined, 'step (e.py:1);scan (sonar.py:8);cast_many (rays.py:7)', 10],
    ]);
    const claimOf = (stack: number): Claim => {
      const path: string[] = [];
      for (let row = stack; row >= 0; row = profile.stacks.parent[row]!) {
        path.unshift(profile.frames[profile.stacks.frame[row]!]!.name);
      }
      const frame = Math.max(path.lastIndexOf('cast_many'), path.lastIndexOf('mj_multiRay'));
      return frame < 0 ? UNCLAIMED : { bucket: 'raycast', frame };
    };
    const { rows } = rowsOf(profile, 'caller', { claimOf });
    expect(rows.map((row) => [row.bucket, row.name, row.file, row.total])).toEqual([
      ['raycast', 'scan', 'lidar.py', 40],
      ['raycast', 'scan', 'sonar.py', 10],
    ]);
  });

  it('looks further out where the nearest caller is the same for all', () => {
    const profile = profileOf([
      [undefined, 'step (e.py:1);scan (lidar.py:5);cast (rays.py:7);mj_multiRay (mj.py:1)', 40],
      [undefined, 'step (e.py:1);scan (sonar.py:8);cast (rays.py:7);mj_multiRay (mj.py:1)', 10],
    ]);
    const { rows } = rowsOf(profile, 'caller', { claimOf: () => ({ bucket: 'raycast', frame: 3 }) });
    expect(rows.map((row) => [row.name, row.file, row.total])).toEqual([
      ['scan', 'lidar.py', 40],
      ['scan', 'sonar.py', 10],
    ]);
  });

  it('keeps the nearest caller where there is only one', () => {
    const profile = profileOf([[undefined, 'step (e.py:1);scan (lidar.py:5);mj_ray (mj.py:1)', 40]]);
    const { rows } = rowsOf(profile, 'caller', { claimOf: () => ({ bucket: 'raycast', frame: 2 }) });
    expect(rows.map((row) => [row.name, row.file, row.total])).toEqual([['scan', 'lidar.py', 40]]);
  });
});
