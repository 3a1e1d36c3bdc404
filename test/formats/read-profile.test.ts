import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { FORMATS, readProfile } from '../../src/formats/index.js';
import { ProfilerError, totalWeight } from '../../src/model/index.js';
import type { Finding } from '../../src/model/index.js';
import { bytes } from './reading.js';

/** Some are only written. */
const READABLE = FORMATS.filter((format) => format.read !== undefined);

async function refusal(data: Uint8Array, options = {}): Promise<Finding> {
  const error: unknown = await readProfile([data], { path: 'x.bin' }, options).catch(
    (caught: unknown) => caught,
  );
  if (error instanceof ProfilerError) return error.finding;
  throw new Error(`no ProfilerError: ${String(error)}`);
}

it.each([
  ['at its end', ['d 0 {"tid":1}\nt 1 - 0R-\n', '']],
  ['in the middle', ['', 'd 0 {"tid":1}\nt 1 - 0R-\n']],
])(
  'samples of our own with zeros %s, as a power cut leaves them, are read around them',
  async (_, [head, tail]) => {
    const first =
      'sim-profiler cpython samples 1\nh {"python":"3.11.7","pid":1,"rateHz":500,"startNs":"0"}\n';
    const profile = await readProfile([bytes(`${first}${head}${'\0'.repeat(4096)}\n${tail}`)], { path: 'x' });
    expect(profile.origin.format).toBe('cpython');
    expect(totalWeight(profile)).toBe(1);
    expect(profile.lost.lines).toBe(1);
  },
);

describe('a file of no known format', () => {
  it.each([
    ['gzip', gzipSync(bytes('a;b 3\n')), 'It looks like gzip data.', 'gunzip -c x.bin | profiler hot -'],
    [
      'perf.data',
      bytes('PERFILE2\0\0'),
      'It looks like perf.data, the binary recording of perf.',
      'perf script -i x.bin | profiler hot -',
    ],
    [
      'MOJO',
      bytes('MOJ\x03'),
      'It looks like a binary Austin recording (MOJO).',
      'mojo2austin x.bin x.bin.austin',
    ],
    [
      'ELF',
      bytes('\x7fELF\x02'),
      'It looks like a program or library (ELF).',
      '--format pyspy-raw|folded|perf-script',
    ],
    [
      'binary',
      new Uint8Array([1, 0, 255, 16]),
      'It looks like binary data (it begins with 01 00 ff 10).',
      '--format pyspy-raw|folded|perf-script',
    ],
    ['JSON', bytes('[{"name":"a;b 3"}]'), 'It looks like JSON.', 'py-spy record -f raw'],
    [
      'a trace',
      bytes('{"traceEvents":[]}'),
      'It looks like JSON, a Chrome trace: durations, not samples.',
      'profiler tables x.bin',
    ],
    [
      'a trace that is a list',
      bytes('[{"name":"step","ph":"B","ts":0},'),
      'It looks like JSON, a Chrome trace: durations, not samples.',
      'profiler tables x.bin',
    ],
    [
      'SVG',
      bytes('<?xml version="1.0"?>\n<svg>a 3</svg>'),
      'It looks like SVG or HTML, a picture of a profile rather than its data.',
      'py-spy record -f raw',
    ],
    [
      'prose',
      bytes('Dear all,\nthe robot is slow.\n'),
      'It looks like text without stacks and counts (it begins with "Dear all,").',
      '--format pyspy-raw|folded|perf-script',
    ],
  ])('%s', async (_, data, why, fix) => {
    const finding = await refusal(data);
    expect(finding.id).toBe('unknown-format');
    expect(finding.what).toBe(
      `x.bin is in none of the formats that can be read: ${READABLE.map(({ title }) => title).join(', ')}.`,
    );
    expect(finding.why).toBe(why);
    expect(finding.fix).toContain(fix);
  });
});

it('a text that ends a line in a number is no profile', async () => {
  const line = 'Attach it; see which steps are slow.\n';
  const finding = await refusal(bytes(`${line.repeat(11)}profiler attach --pid 27319\n`));
  expect([finding.id, finding.why]).toEqual([
    'unknown-format',
    'It looks like text without stacks and counts (it begins with "Attach it; see which steps are slow.").',
  ]);
  const torn = await readProfile([bytes(`${'a torn line\n'.repeat(10)}m (a.py:1) 3\n`)], {});
  expect([totalWeight(torn), torn.lost.lines]).toEqual([3, 10]);
});

describe('no samples', () => {
  it('nothing at all', async () => {
    expect((await refusal(bytes(''))).why).toBe(
      'x.bin holds no stacks. It is empty, as what a py-spy or perf script that failed leaves.',
    );
  });

  it.each([
    ['blank lines and comments', '\n\n# interval: 10000\n'],
    ['only what py-spy said', "py-spy> Wrote raw flamegraph data to 'x'. Samples: 0 Errors: 0\n"],
  ])('%s', async (_, text) => {
    expect(await refusal(bytes(text))).toEqual({
      level: 'blocker',
      id: 'no-samples',
      what: '0 samples: the target was idle, or --gil filtered everything, or it is not the process you meant.',
      why: 'x.bin holds no stacks.',
      fix: 'Try --idle, without --gil, and check the pid: py-spy record --idle -f raw -o FILE --pid PID',
    });
  });

  it('says so when the sampler only failed', async () => {
    const said = "py-spy> Wrote raw flamegraph data to 'x'. Samples: 0 Errors: 30\n";
    const finding = await refusal(bytes(said), { format: 'pyspy-raw' });
    expect(finding.why).toBe('x.bin holds no stacks. The sampler reports 30 failed attempts.');
  });

  it('says which lines were refused when all were', async () => {
    const finding = await refusal(bytes('a;b 1.5\na;c -3\n'));
    expect([finding.id, finding.what, finding.why]).toEqual([
      'no-samples',
      '0 samples: x.bin has 2 lines that could not be read, and no other.',
      'The first: line 1: count is not a whole number: a;b 1.5',
    ]);
  });

  it('is a profile without samples where that is asked for', async () => {
    const profile = await readProfile([], { path: 'x' }, { format: 'pyspy-raw', allowEmpty: true });
    expect([totalWeight(profile), profile.origin]).toEqual([0, { format: 'pyspy-raw', path: 'x' }]);
  });
});

describe('--format', () => {
  it('overrules what the content says', async () => {
    const profile = await readProfile([bytes('m (a.py:1);f (a.py:2) 3\n')], {}, { format: 'folded' });
    expect(profile.frames[0]).toEqual({ name: 'm (a.py:1)', kind: 'unknown' });
    expect(profile.origin).toEqual({ format: 'folded' });
  });

  it('does not make a profile of a text that is hardly one', async () => {
    const prose = `${'one more line of prose\n'.repeat(11)}attach --pid 27319\n`;
    const error = await readProfile([bytes(prose)], { path: 'README' }, { format: 'folded' }).catch(
      (caught: unknown) => caught,
    );
    expect(error).toMatchObject({
      exitCode: 1,
      finding: {
        id: 'wrong-format',
        what: 'README is hardly a file of format folded: 11 of its lines could not be read, 1 could.',
        why: '--format named it; the first that could not: line 1: no count at the end: one more line of prose',
      },
    });
    const sparse = `${'a torn line\n'.repeat(10)}m (a.py:1) 3\n`;
    const profile = await readProfile([bytes(sparse)], {}, { format: 'folded' });
    expect([totalWeight(profile), profile.lost.lines]).toEqual([3, 10]);
  });

  it('is wrong usage when there is no such format', async () => {
    const error = await readProfile([], {}, { format: 'nsys' }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      exitCode: 2,
      finding: { id: 'no-such-format', fix: `--format ${READABLE.map(({ id }) => id).join('|')}` },
    });
  });
});

/** What the formats of folded text say. The others are sure that it is none of theirs. */
const sniff = (text: string): string[] => {
  const [pyspy = 'no', folded = 'no', ...others] = FORMATS.map((format) => format.sniff(bytes(text)));
  expect(others.filter((answer) => answer !== 'no')).toEqual([]);
  return [pyspy, folded];
};

describe('recognising', () => {
  it.each([
    ['thread (5): MainThread 3\n', ['yes', 'unsure']],
    ['process 5:"x";f 3\n', ['yes', 'unsure']],
    ['0x7f03 (libc.so.6);main (a.py:3) 3\n', ['yes', 'unsure']],
    ['<module> (bridge.py:90);loop (bridge.py:40)'.padEnd(80_000, ';f (a.py:1)'), ['yes', 'unsure']],
    ['tid:8;a.py:f:3 4\n', ['no', 'yes']],
    ['P4;T0:5;a.py:f:3 4\n', ['no', 'yes']],
    ['main;step 3\n', ['no', 'yes']],
    ['main 3\nstep 4\n', ['no', 'unsure']],
    ['2071 12 13\n2072 5 6\n', ['no', 'no']],
    [' 2\n', ['unsure', 'no']],
    ['', ['no', 'no']],
    ['a;b 3\0', ['no', 'no']],
    ['{"a;b": 3\n', ['no', 'no']],
  ])('%j', (text, expected) => {
    expect(sniff(text.slice(0, 65_536))).toEqual(expected);
  });
});

async function* broken(): AsyncGenerator<Uint8Array> {
  yield bytes('a;b 3\n'.repeat(20_000));
  throw new Error('disk gone');
}

it('passes on what the source throws', async () => {
  await expect(readProfile(broken(), {})).rejects.toThrow('disk gone');
});
