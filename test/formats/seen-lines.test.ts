import { describe, expect, it } from 'vitest';
import { blockOf } from '../../src/formats/byte-lines.js';
import { readFolded } from '../../src/formats/folded-reader.js';
import { PERF_GRAMMAR, PLACE_GRAMMAR, PLAIN_GRAMMAR } from '../../src/formats/foreign-frame.js';
import type { Grammar } from '../../src/formats/grammar-line.js';
import { PYSPY_GRAMMAR } from '../../src/formats/pyspy-line.js';
import { SeenLines } from '../../src/formats/seen-lines.js';
import type { Profile } from '../../src/model/index.js';
import { ProfilerError } from '../../src/model/index.js';
import { beyondHead, bytes, inChunks } from './reading.js';

function randomly(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * limit);
  };
}

const STACKS = [
  'thread (5): MainThread;main (a.py:1);step (b.py:2)',
  'thread (5): MainThread;main (a.py:1);step (b.py:3)',
  'thread (5);main (a.py:1)',
  'thread (6): lidar;front;scan (l.py:4)',
  'thread (7): torn',
  'thread (7): torn 5',
  'process 3:"bash -c ";a";thread (9): w;main (a.py:1)',
  'worker;main (a.py:1)',
  'worker',
  'main',
  'main (a.py:1)',
  'main (a.py:1);two',
  'main (a.py:1);std::function<void (int)>::operator()',
  'a;b;c',
  'a;b;c 4',
  'a  ;b\t',
  ';;',
  ' a;b',
  '',
  'f (two',
  'lines.py:3);g (a.py:4)',
  'é;кириллица (a.py:3)',
  '# comment',
  'py-spy> Wrote it. Samples: 3 Errors:',
  "Wrote raw flamegraph data to 'x'. Samples: 3 Errors:",
  'python;_start;do_syscall_64_[k]',
  'python-3/4;_start;f_[j]',
  'tid:8;a.py:main:3;b.py:f:4',
  'P1;T0:2;a.py:main:3',
];
const COUNTS = ['1', '2', '17', '0', '003', '3 ', '3\t', '-1', '1.5', '1e3', '', '9007199254740000', '4 5'];
const GRAMMARS: readonly (readonly [string, Grammar])[] = [
  ['py-spy', PYSPY_GRAMMAR],
  ['plain', PLAIN_GRAMMAR],
  ['perf', PERF_GRAMMAR],
  ['places', PLACE_GRAMMAR],
];

/** A few odd stacks again and again, most of them with counts that can be read. */
function oddText(seed: number): Uint8Array {
  const next = randomly(seed);
  const pick = <T>(list: readonly T[]): T => list[next(list.length)]!;
  const own = Array.from({ length: 2 + next(6) }, () => pick(STACKS));
  let text = '';
  for (let lines = 5 + next(60); lines > 0; lines -= 1) {
    const count = next(4) === 0 ? pick(COUNTS) : String(next(30));
    text += `${pick(own)}${next(9) === 0 ? '\t' : ' '}${count}${next(9) === 0 ? '\r\n' : '\n'}`;
  }
  return bytes(next(3) === 0 ? text.trimEnd() : text);
}

async function readWith(
  data: Uint8Array,
  size: number,
  grammar: Grammar,
  mostSeenBytes?: number,
): Promise<Profile | string> {
  const dialect = { grammar, unit: 'samples', worth: 1 } as const;
  try {
    return await readFolded(inChunks(data, size), { format: 'test' }, () => dialect, mostSeenBytes);
  } catch (error) {
    if (error instanceof ProfilerError) return error.finding.id;
    throw error;
  }
}

describe('a line that was seen before', () => {
  it.each(GRAMMARS)('is read as if it were new: %s', async (_, grammar) => {
    for (let seed = 0; seed < 150; seed += 1) {
      const data = oddText(seed);
      const slow = await readWith(data, 65_536, grammar, 0);
      for (const most of [undefined, 60, 200]) {
        expect(await readWith(data, 65_536, grammar, most), `seed ${seed}`).toEqual(slow);
      }
      if (seed % 30 !== 0) continue;
      const long = beyondHead(data);
      const slowLong = await readWith(long, 65_536, grammar, 0);
      for (const size of [1, 7, 65_536])
        expect(await readWith(long, size, grammar), `seed ${seed}`).toEqual(slowLong);
    }
  });

  it('makes no thread before a count of it counts', async () => {
    const text = bytes(
      'thread (1): a;f (a.py:1) 0\nthread (2): b;f (a.py:1) 1\nthread (1): a;f (a.py:1) 2\n',
    );
    const profile = await readWith(text, 65_536, PYSPY_GRAMMAR);
    expect(profile).toMatchObject({ threads: [{ name: 'b' }, { name: 'a' }] });
  });
});

function numbersOf(seen: SeenLines, lines: readonly string[]): number[] {
  return lines.map((line) => {
    const block = blockOf(bytes(line));
    const known = seen.find(block, 0, line.length);
    return known === -1 ? seen.add(block, 0, line.length) : known;
  });
}

describe('seen lines', () => {
  it('are numbered by their bytes', () => {
    const lines = ['', 'a', 'b', 'abc', 'abcd', 'abcde', 'a', '', 'abcd', 'x'.repeat(400), 'abcde'];
    expect(numbersOf(new SeenLines(1 << 20), lines)).toEqual([0, 1, 2, 3, 4, 5, 1, 0, 4, 6, 5]);
  });

  it('are told apart where their hashes are alike, up to eight of them', () => {
    // Of such a length only some words are hashed: these differ between them.
    const lines = Array.from({ length: 10 }, (_, at) => `${'x'.repeat(5)}${at}${'x'.repeat(994)}`);
    const seen = new SeenLines(1 << 20);
    expect(numbersOf(seen, lines)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, -1, -1]);
    expect(numbersOf(seen, lines)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, -1, -1]);
    expect(seen.count).toBe(8);
  });

  it('stay known when there is no more room, if lines come again', () => {
    const seen = new SeenLines(10);
    expect(numbersOf(seen, ['aaaa', 'bbbb', 'aaaa', 'cccc', 'bbbb', 'dd'])).toEqual([0, 1, 0, -1, 1, -1]);
  });

  it('are given up where hardly a line comes again', () => {
    const seen = new SeenLines(1 << 25);
    const numbers = numbersOf(
      seen,
      Array.from({ length: 5000 }, (_, at) => `${at}${'x'.repeat(1000)}`),
    );
    expect(numbers.at(-1)).toBe(-1);
    expect(seen.count).toBe(0);
    expect(numbersOf(seen, [`0${'x'.repeat(1000)}`])).toEqual([-1]);
  });

  it('are kept on where lines come again', () => {
    const lines = Array.from({ length: 5000 }, (_, at) => `${at}${'x'.repeat(1000)}`).flatMap((line) => [
      line,
      line,
    ]);
    const seen = new SeenLines(1 << 25);
    expect(numbersOf(seen, lines).at(-1)).toBe(4999);
    expect(seen.count).toBe(5000);
  });
});
