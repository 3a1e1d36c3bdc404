import { describe, expect, it } from 'vitest';
import { CPUPROFILE } from '../../src/formats/cpuprofile.js';
import { readJson } from '../../src/formats/json-file.js';
import { FORMATS, readProfile } from '../../src/formats/index.js';
import {
  ProfileBuilder,
  ProfilerError,
  checkProfile,
  foldedLines,
  stackText,
  totalWeight,
} from '../../src/model/index.js';
import type { Finding, Profile } from '../../src/model/index.js';
import { bytes, fixture, inChunks } from './reading.js';

/** `name url line`, the line from 1. */
function node(id: number, call: string, rest: object = {}): object {
  const [functionName = '', url = '', line = '0'] = call.split(' ');
  const lineNumber = Number(line) - 1;
  return {
    id,
    callFrame: { functionName, scriptId: '7', url, lineNumber, columnNumber: 3 },
    hitCount: 9,
    ...rest,
  };
}

const TREE = [
  node(1, '(root)', { children: [2, 3, 5] }),
  node(2, '(idle)'),
  node(3, 'tick file:///app/a%20b.mjs 12', { children: [4] }),
  node(4, 'now'),
  node(5, '(program)'),
];

function file(change: object): Uint8Array {
  const whole = {
    nodes: TREE,
    startTime: 5_000,
    endTime: 5_900,
    samples: [2, 3, 4, 4],
    timeDeltas: [300, 100, 200, 250],
  };
  return bytes(JSON.stringify({ ...whole, ...change }));
}

function read(data: Uint8Array): Promise<Profile> {
  return readProfile([data], { path: 'x.cpuprofile' });
}

async function refusal(data: Uint8Array): Promise<Finding> {
  const error: unknown = await read(data).catch((caught: unknown) => caught);
  if (error instanceof ProfilerError) return error.finding;
  throw new Error('it was read');
}

/** Every sample: its time, its weight, its stack. */
function rows({ samples, ...profile }: Profile): readonly (readonly [number | undefined, number, string])[] {
  return Array.from(samples.weight, (weight, row) => [
    samples.timeNs?.[row],
    weight,
    stackText({ samples, ...profile }, samples.stack[row] ?? -1, samples.thread[row] ?? -1),
  ]);
}

const TICK = 'tick (/app/a b.mjs:12)';

describe('times', () => {
  it('weighs a sample by the time to the next, never by hits; the last by the usual gap', async () => {
    const profile = await read(file({}));
    expect(profile.unit).toBe('nanoseconds');
    expect(rows(profile)).toEqual([
      [300_000, 100_000, '(idle)'],
      [400_000, 200_000, TICK],
      [600_000, 250_000, `${TICK};now (?)`],
      // The file ends 50 µs after its last sample.
      [850_000, 50_000, `${TICK};now (?)`],
    ]);
    expect(profile.frames).toEqual([
      { name: '(idle)', kind: 'marker' },
      { name: 'tick', kind: 'js', file: '/app/a b.mjs', line: 12 },
      { name: 'now', kind: 'native' },
    ]);
    expect([checkProfile(profile), profile.findings, profile.lost.samples]).toEqual([[], undefined, 0]);
  });

  it('gives the last sample no more than the usual gap, and that without an end', async () => {
    for (const endTime of [9_999_000, undefined, 5_100, 'soon']) {
      expect((await read(file({ endTime }))).samples.weight.at(-1)).toBe(200_000);
    }
    expect(rows(await read(file({ samples: [2], timeDeltas: [300] })))).toEqual([
      [300_000, 600_000, '(idle)'],
    ]);
  });

  it('charges the time before the first sample to nobody, however long', async () => {
    const profile = await read(file({ timeDeltas: [4_595_000, 100, 200, 250], endTime: 4_600_600 }));
    expect([totalWeight(profile), profile.samples.timeNs?.[0]]).toEqual([600_000, 4_595_000_000]);
  });

  it('puts samples in order of their time where deltas are negative, and says so', async () => {
    const profile = await read(
      file({ samples: [2, 3, 4, 5], timeDeltas: [300, 200, -150, 250], endTime: 5_650 }),
    );
    expect(rows(profile)).toEqual([
      [300_000, 50_000, '(idle)'],
      [350_000, 150_000, `${TICK};now (?)`],
      [500_000, 100_000, TICK],
      [600_000, 50_000, '(program)'],
    ]);
    expect(profile.findings?.map(({ level, id, what }) => [level, id, what])).toEqual([
      [
        'note',
        'samples-out-of-order',
        '1 of 4 samples stand after one that was taken later, by up to 150 µs (negative time deltas).',
      ],
    ]);
  });

  it('finds them in a real file of Node 24, whose first sample comes late', async () => {
    const profile = await readProfile([fixture('cpuprofile/ws-bridge-node24.cpuprofile')], {});
    expect(profile.findings?.map(({ what }) => what)).toEqual([
      '1 of 658 samples stand after one that was taken later, by up to 2 µs (negative time deltas).',
    ]);
    expect([checkProfile(profile), Math.min(...profile.samples.weight)]).toEqual([[], 2_000]);
  });

  it('lets the window begin with the earliest sample', async () => {
    const profile = await read(file({ samples: [2, 3], timeDeltas: [300, -400], endTime: 5_500 }));
    expect(rows(profile)).toEqual([
      [0, 400_000, TICK],
      [400_000, 200_000, '(idle)'],
    ]);
    expect(checkProfile(profile)).toEqual([]);
  });

  it('refuses a time that is no number', async () => {
    for (const wrong of [null, '5', 1e300]) {
      const finding = await refusal(file({ timeDeltas: [300, wrong, 1, 1] }));
      expect([finding.id, finding.what.slice(0, 34)]).toEqual([
        'bad-times',
        'Sample 1 of x.cpuprofile has the t',
      ]);
    }
  });

  it('counts samples where the file has no times, and hits where it has no samples', async () => {
    const counted = await read(file({ timeDeltas: undefined }));
    expect([counted.unit, rows(counted)]).toEqual([
      'samples',
      [
        [undefined, 1, '(idle)'],
        [undefined, 1, TICK],
        [undefined, 2, `${TICK};now (?)`],
      ],
    ]);
    const hits = await read(file({ samples: [], timeDeltas: [] }));
    expect([hits.unit, totalWeight(hits), checkProfile(hits)]).toEqual(['samples', 45, []]);
  });

  it('counts samples beyond the times as lost', async () => {
    const profile = await read(file({ timeDeltas: [300, 100] }));
    expect([profile.samples.length, profile.lost.samples, profile.findings?.map(({ id }) => id)]).toEqual([
      2,
      2,
      ['samples-without-time'],
    ]);
  });

  it('holds a million equal samples in time and memory', async () => {
    const samples = Array.from({ length: 1_000_000 }, () => 2);
    const timeDeltas = Array.from({ length: 1_000_000 }, () => 1);
    const profile = await read(file({ samples, timeDeltas, endTime: 1_005_001 }));
    expect([profile.samples.length, totalWeight(profile)]).toEqual([1_000_000, 1_000_000_000]);
  });
});

describe('the call tree', () => {
  it('is the same by parents and by children', async () => {
    const nodes = [
      node(4, 'now', { parent: 3 }),
      node(3, 'tick file:///app/a%20b.mjs 12', { parent: 1 }),
      node(2, '(idle)', { parent: 1 }),
      node(1, '(root)'),
      node(5, '(program)', { parent: 1 }),
    ];
    expect(rows(await read(file({ nodes })))).toEqual(rows(await read(file({}))));
    const both = TREE.map((each, index) => ({ ...each, parent: [undefined, 1, 1, 3, 1][index] }));
    expect(rows(await read(file({ nodes: both })))).toEqual(rows(await read(file({}))));
  });

  it.each([
    [
      'a cycle',
      [...TREE, node(6, 'f', { children: [7] }), node(7, 'g', { children: [6] })],
      'node 6 is below itself',
    ],
    ['a node below itself', [...TREE, node(6, 'f', { parent: 6 })], 'node 6 is below itself'],
    ['two parents', [...TREE, node(6, 'f', { children: [4] })], 'node 4 has two parents, 3 and 6'],
    ['an id twice', [...TREE, node(4, 'f')], 'two nodes have the id 4'],
    ['no id', [...TREE, { callFrame: {} }], 'entry 5 of its nodes has no whole number as id'],
    ['no node', [...TREE, null], 'entry 5 of its nodes has no whole number as id'],
    [
      'a parent that is not there',
      [...TREE, node(6, 'f', { parent: 77 })],
      'node 6 has the parent 77, which it does not hold',
    ],
  ])('is refused with %s', async (_, nodes, fault) => {
    expect(await refusal(file({ nodes }))).toEqual({
      level: 'blocker',
      id: 'bad-call-tree',
      what: `The call tree of x.cpuprofile is no tree: ${fault}.`,
      why: 'It was damaged or put together by hand, and every sum over it would be wrong.',
      fix: 'Record again: node --cpu-prof app.js',
    });
  });

  it('counts samples of nodes that are not there, and children that are not there', async () => {
    const nodes = [node(1, '(root)', { children: [2, 3, 99] }), ...TREE.slice(1)];
    const profile = await read(file({ nodes, samples: [2, 77, 'x', 4] }));
    expect(rows(profile).map(([, weight, stack]) => [weight, stack])).toEqual([
      [100_000, '(idle)'],
      [200_000, ''],
      [250_000, ''],
      [50_000, `${TICK};now (?)`],
    ]);
    expect(profile.findings?.map(({ what }) => what)).toEqual([
      '2 of 4 samples name a node that the file does not hold (the first is sample 1).',
      '1 children that nodes list are not in the file.',
    ]);
  });

  it('may be a chain of a million nodes', async () => {
    const nodes = Array.from({ length: 1_000_000 }, (_, id) => ({
      id,
      callFrame: { functionName: 'f', url: '', lineNumber: -1 },
      parent: id === 0 ? undefined : id - 1,
    }));
    const profile = await read(file({ nodes, samples: [999_999], timeDeltas: [1] }));
    expect([profile.stacks.length, profile.frames.length]).toEqual([1_000_000, 1]);
  });

  it('builds only what samples stand in', async () => {
    const nodes = [
      ...TREE,
      ...Array.from({ length: 1000 }, (_, id) => node(100 + id, `f${id}`, { parent: 1 })),
    ];
    expect((await read(file({ nodes }))).frames).toHaveLength(3);
  });
});

describe('other shapes', () => {
  it('reads the answer of the DevTools protocol', async () => {
    const profile = JSON.parse(new TextDecoder().decode(file({}))) as unknown;
    for (const wrapped of [{ profile }, { id: 4, result: { profile } }]) {
      expect(rows(await read(bytes(JSON.stringify(wrapped))))).toEqual(rows(await read(file({}))));
    }
  });

  it('reads nodes that hang in each other, whose lines count from 1', async () => {
    const head = {
      functionName: '(root)',
      id: 1,
      url: '',
      children: [
        { functionName: 'tick', url: '/app/a.js', lineNumber: 12, id: 2, children: [] },
        { functionName: '(idle)', url: '', lineNumber: 0, id: 3, children: [] },
      ],
    };
    const old = { head, startTime: 4.1, endTime: 4.2, samples: [2, 3, 2], timestamps: [7_000, 7_100, 7_300] };
    expect(rows(await read(bytes(JSON.stringify(old))))).toEqual([
      [0, 100_000, 'tick (/app/a.js:12)'],
      [100_000, 200_000, '(idle)'],
      [300_000, 200_000, 'tick (/app/a.js:12)'],
    ]);
  });

  it('is known by its content, and by no other format', () => {
    for (const name of ['pacers', 'pipes', 'worker', 'ws-bridge', 'ws-bridge-node24']) {
      const head = fixture(`cpuprofile/${name}.cpuprofile`).subarray(0, 65_536);
      expect(FORMATS.filter((format) => format.sniff(head) !== 'no').map(({ id }) => id)).toEqual([
        'cpuprofile',
      ]);
    }
    expect(CPUPROFILE.sniff(bytes('{"samples":[1,2,3'))).toBe('unsure');
    for (const other of [
      '{"traceEvents":[{"args":{"data":{"cpuProfile":{"nodes":[{"callFrame":{}}]}}}}]}',
      '{"$schema":"https://www.speedscope.app/file-format-schema.json","nodes":1,"callFrame":2}',
      '[{"nodes":[{"callFrame":{}}]}]',
      'a;b 3',
    ])
      expect(CPUPROFILE.sniff(bytes(other))).toBe('no');
  });
});

describe('a file that cannot be read', () => {
  it('is cut short', async () => {
    const finding = await refusal(fixture('cpuprofile/pacers.cpuprofile').subarray(0, 30_000));
    expect([finding.id, finding.fix]).toEqual(['bad-json', 'node --cpu-prof app.js']);
    expect(finding.what).toMatch(/^x\.cpuprofile is no whole JSON: .+\.$/);
  });

  it('is other JSON', async () => {
    const error: unknown = await readProfile([bytes('{"a":1}')], {}, { format: 'cpuprofile' }).catch(
      (e: unknown) => e,
    );
    expect(error).toMatchObject({ finding: { id: 'not-a-cpuprofile' } });
  });

  it('is larger than what is parsed', async () => {
    const kind = {
      what: 'a .cpuprofile',
      record: 'r',
      smaller: 'node --cpu-prof --cpu-prof-interval 10000 app.js',
    };
    const error: unknown = await readJson(
      inChunks(bytes(' '.repeat(3_000_000)), 65_536),
      'big',
      kind,
      2_097_152,
    ).catch((e: unknown) => e);
    expect(error).toMatchObject({
      finding: {
        id: 'profile-too-large',
        what: 'big is larger than 2 MB, which is the most that is read of a .cpuprofile.',
        fix: kind.smaller,
      },
    });
  });

  it('holds no time', async () => {
    const finding = await refusal(
      file({ samples: [], timeDeltas: [], nodes: [node(1, '(root)', { hitCount: 0 })] }),
    );
    expect([finding.id, finding.fix]).toEqual(['no-samples', 'Record for longer: node --cpu-prof app.js']);
  });
});

describe('hostile names', () => {
  it('stay raw', async () => {
    const url = `file:///${'%'.repeat(100_000)}/${'../'.repeat(50_000)}x.js`;
    const nodes = [
      node(1, '(root)', { children: [2, 3, 4] }),
      node(2, `\u202e\u001b[31m;${'<'.repeat(100_000)}`),
      node(3, `f ${url} 3`),
      node(4, ''),
    ];
    const profile = await read(file({ nodes, samples: [2, 3, 4, 4] }));
    expect(profile.frames.map(({ name }) => name.slice(0, 12))).toEqual([
      `\u202e\u001b[31m;<<<<<`,
      'f',
      '(anonymous)',
    ]);
    expect(profile.frames[1]?.file?.length).toBe(url.length - 'file://'.length);
  });
});

/** The profile after it was written and read again. */
async function again(profile: Profile): Promise<Profile> {
  return readProfile(inChunks(bytes([...(CPUPROFILE.write?.(profile) ?? [])].join('')), 1000), {});
}

describe('the writer', () => {
  it.each(['pacers', 'pipes', 'worker', 'ws-bridge', 'ws-bridge-node24'])(
    'gives %s back exactly, times and all',
    async (name) => {
      const profile = await readProfile([fixture(`cpuprofile/${name}.cpuprofile`)], {});
      const back = await again(profile);
      expect(rows(back)).toEqual(rows(profile));
      expect([back.unit, back.threads, checkProfile(back)]).toEqual([profile.unit, profile.threads, []]);
      expect(new Set(back.frames)).toEqual(new Set(profile.frames));
    },
  );

  it('keeps gaps, frames of other languages, the thread, and samples without a stack', async () => {
    const builder = new ProfileBuilder('nanoseconds', { format: 'x' });
    const thread = builder.thread({ tid: 7, nsTid: 2, name: 'physics', pid: 5, command: 'a;b' });
    const frames = [
      { name: 'step', kind: 'python', file: 'sim/engine.py', line: 4, sourceText: 'mj_step(m, d)' },
      { name: 'mj_step', kind: 'native', module: 'libmujoco.so.3.14.0' },
      { name: 'schedule', kind: 'kernel' },
      { name: '(no sample)', kind: 'js', file: 'C:\\a b\\x.js' },
      { name: '<GC>', kind: 'marker' },
      { name: '(root)', kind: 'unknown' },
    ] as const;
    const stack = builder.stackOf(frames.map((frame) => builder.frame(frame)));
    builder.sample(stack, thread, 1_500, 250);
    builder.sample(-1, thread, 7, 1_750);
    builder.sample(stack, thread, 900_000, 5_001);
    const profile = builder.build();
    const back = await again(profile);
    expect(rows(back)).toEqual(rows(profile));
    expect([back.frames, back.threads]).toEqual([profile.frames, profile.threads]);
  });

  it('lays out samples without times by thread, 1 ms each, and reads them as samples again', async () => {
    const text = 'thread (5): A;f (a.py:1);g (a.py:2) 3\nthread (6): B;f (a.py:1) 2\nthread (6): B 1\n';
    const profile = await readProfile([bytes(text)], {}, { format: 'pyspy-raw' });
    const written = [...(CPUPROFILE.write?.(profile) ?? [])].join('');
    const plain = JSON.parse(written) as {
      nodes: { callFrame: { functionName: string } }[];
      timeDeltas: number[];
      endTime: number;
    };
    // The last one is empty and closes the row.
    expect([plain.timeDeltas.toSorted(), plain.endTime]).toEqual([[0, 1000, 2000, 3000], 6000]);
    expect(plain.nodes.map(({ callFrame }) => callFrame.functionName)).toEqual(
      expect.arrayContaining(['thread (5): A', 'thread (6): B']),
    );
    const back = await again(profile);
    expect([back.unit, [...foldedLines(back)]]).toEqual(['samples', [...foldedLines(profile)]]);
  });

  it('lays out threads that overlap in time, every share right', async () => {
    const builder = new ProfileBuilder('nanoseconds', { format: 'x' });
    const stack = builder.stack(-1, builder.frame({ name: 'f', kind: 'js', file: 'a.js', line: 1 }));
    for (const tid of [1, 2]) builder.sample(stack, builder.thread({ tid }), 40 * tid, 10);
    const back = await again(builder.build());
    expect([...foldedLines(back)]).toEqual(['thread (2);f (a.js:1) 80', 'thread (1);f (a.js:1) 40']);
  });

  it('writes what other readers expect: ids from 1, lines from 0, one delta a sample, parents before children', async () => {
    const profile = await read(file({}));
    const plain = JSON.parse([...(CPUPROFILE.write?.(profile) ?? [])].join('')) as Record<string, unknown>;
    expect(plain).toMatchObject({
      nodes: [
        { id: 1, callFrame: { functionName: '(root)', lineNumber: -1 }, children: [2, 3, 4] },
        { id: 2, callFrame: { functionName: '(no sample)', lineNumber: -1 }, hitCount: 1 },
        { id: 3, callFrame: { functionName: '(idle)', url: '' } },
        {
          id: 4,
          callFrame: { functionName: 'tick', url: 'file:///app/a%20b.mjs', lineNumber: 11 },
          hitCount: 1,
          children: [5],
        },
        { id: 5, callFrame: { functionName: 'now' }, hitCount: 2 },
      ],
      startTime: 0,
      endTime: 900,
      samples: [3, 4, 5, 5, 2],
      timeDeltas: [300, 100, 200, 250, 50],
    });
  });
});
