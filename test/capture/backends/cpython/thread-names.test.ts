import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { CpythonReader, PythonThread } from '../../../../src/capture/backends/cpython/cpython-reader.js';
import { openReader } from '../../../../src/capture/backends/cpython/cpython-reader.js';
import { LAYOUTS } from '../../../../src/capture/backends/cpython/layout-data.js';
import { minorVersion } from '../../../../src/capture/backends/cpython/layout.js';
import { openMemory, type Memory } from '../../../../src/capture/backends/cpython/memory.js';
import { objectLayoutOf } from '../../../../src/capture/backends/cpython/object-layout-of.js';
import { SampledThreads } from '../../../../src/capture/backends/cpython/sampled-threads.js';
import { threadNames } from '../../../../src/capture/backends/cpython/thread-names.js';
import { findPythons, start, type Python, type Started } from '../../../target/pythons.js';
import { itWhere } from '../../../only-where.js';
import { emptyFolder, NO_PYSPY, path, pyspy } from '../../live.js';

interface Facts {
  readonly pid: number;
  readonly runtime: string;
  /** `name`: null where `threading` knows no such thread. */
  readonly threads: readonly { readonly ident: string; readonly tid: number; readonly name: string | null }[];
}

const PYTHONS = findPythons();
const ENOUGH = 100_000;
/** As little as one portion may have. */
const PORTION = 20;

async function withThreads(
  python: Python,
  args: readonly string[],
  body: (facts: Facts, reader: CpythonReader, target: Started) => Promise<void> | void,
): Promise<void> {
  const target = await start(python.path, ['-W', 'ignore', path('thread_names.py'), ...args]);
  try {
    const facts = JSON.parse(target.lines[0]!) as Facts;
    const reader = openReader(planOf(facts, python));
    try {
      await body(facts, reader, target);
    } finally {
      reader.close();
    }
  } finally {
    await target.stop();
  }
}

function planOf({ pid, runtime }: Facts, { version }: Python) {
  return { pid, runtime: Number(runtime), runtimeSize: 1 << 20, version };
}

/** Names by `pthread_t`; null where there is none. */
function namesOf(threads: readonly PythonThread[]): Record<string, string | null> {
  return Object.fromEntries(threads.map(({ pthread, name }) => [String(pthread), name ?? null]));
}

function expected({ threads }: Facts): Record<string, string | null> {
  return Object.fromEntries(threads.map(({ ident, name }) => [ident, name]));
}

describe.each(PYTHONS)('names of threads of Python $version at $path', (python) => {
  it('are what threading calls them', () =>
    withThreads(python, [], (facts, reader) => {
      expect(new Set(Object.values(namesOf(reader.threads())))).toEqual(new Set([null]));
      expect(reader.readNames(ENOUGH, true)).toBe(true);
      const threads = reader.threads();
      expect(namesOf(threads)).toEqual(expected(facts));
      expect(Object.values(expected(facts))).toEqual(
        expect.arrayContaining([null, 'MainThread', 'оценка 🦾', 'ű'.repeat(700), 'many attributes before']),
      );
      for (const { pthread, name, namedTid } of threads)
        if (name !== undefined)
          expect(namedTid).toBe(facts.threads.find(({ ident }) => ident === String(pthread))?.tid);
    }));

  itWhere(pyspy !== undefined, NO_PYSPY)('are what py-spy calls them', () =>
    withThreads(python, [], (facts, reader) => {
      const said = execFileSync(pyspy!.path, ['dump', '--json', '--pid', String(facts.pid)], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const threads = JSON.parse(said) as { thread_id: number; thread_name: string | null }[];
      reader.threads();
      reader.readNames(ENOUGH, true);
      const names = namesOf(reader.threads());
      expect(threads.length).toBe(facts.threads.length);
      for (const { thread_id: ident, thread_name: name } of threads)
        if (name !== null) expect(names[String(ident)]).toBe(name);
    }),
  );

  it('are other ones once they were changed, and known of a new thread, by small portions', () =>
    withThreads(python, [], async (facts, reader) => {
      reader.threads();
      reader.readNames(ENOUGH, true);
      process.kill(facts.pid, 'SIGUSR1');
      await expect.poll(() => reader.threads().length).toBe(facts.threads.length + 1);
      // The new one is the last thing that changes.
      await expect
        .poll(() => {
          while (!reader.readNames(PORTION, true));
          return reader.threads().map(({ name }) => name);
        })
        .toContain('new');
      const names = facts.threads.map(({ name }) => changed(name));
      expect(Object.values(namesOf(reader.threads())).sort()).toEqual([...names, 'new'].sort());
    }));

  it('are known in a child that a thread has made', () =>
    withThreads(python, ['--fork'], (facts, reader) => {
      reader.threads();
      reader.readNames(ENOUGH, true);
      expect(namesOf(reader.threads())).toEqual(expected(facts));
      expect(
        facts.threads.find(({ ident }) => ident === String(reader.threads().at(-1)?.pthread))?.name,
      ).toBe('forker');
    }));
});

/** What the program calls its threads after a signal. */
function changed(name: string | null): string | null {
  if (name === 'MainThread') return 'renamed main';
  return name !== null && ['executor', 'touched', 'many attributes before'].includes(name)
    ? `renamed ${name}`
    : name;
}

/** The threads of this process, as an interpreter would know them. */
function sampled(known: () => readonly Partial<PythonThread>[]): SampledThreads {
  const reader = { threads: known } as unknown as CpythonReader;
  return new SampledThreads(reader, process.pid, 'status', '/proc');
}

/** Numbers from 0 to 1, the same each time. */
function numbers(): () => number {
  let seed = 1;
  return () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
}

/** What the names of a live process are read from, with a memory of our choice. */
function namesBy(python: Python, reader: CpythonReader, memory: Memory) {
  const minor = minorVersion(python.version)!.minor;
  const layout = LAYOUTS[`3.${minor}`]!;
  const names = threadNames(memory, layout, objectLayoutOf(minor, layout)!);
  const threads = reader.threads();
  names.expect(threads);
  return { names, threads };
}

const tabled = PYTHONS.find(({ version }) => LAYOUTS[`3.${minorVersion(version)?.minor}`] !== undefined);

describe('reading names', () => {
  const test = itWhere(tabled !== undefined, 'no CPython 3.8 to 3.12');

  test('takes no more reads at once than it may', () =>
    withThreads(tabled!, [], (facts, reader) => {
      let reads = 0;
      const memory = openMemory(facts.pid, '/proc');
      const counted: Memory = {
        ...memory,
        read: (...all) => {
          reads += 1;
          return memory.read(...all);
        },
      };
      const { names, threads } = namesBy(tabled!, reader, counted);
      const portions: number[] = [];
      for (let isOver = false; !isOver;) {
        reads = 0;
        isOver = names.read(PORTION, false);
        portions.push(reads);
      }
      expect(Math.max(...portions)).toBeLessThanOrEqual(PORTION);
      expect(threads.map(({ address, pthread }) => names.of(address, pthread)?.name ?? null).sort()).toEqual(
        facts.threads.map(({ name }) => name).sort(),
      );
      // Nobody is new.
      reads = 0;
      expect(names.read(PORTION, false)).toBe(true);
      expect(reads).toBe(0);
      // Keys are known by their addresses now.
      portions.length = 0;
      reads = 0;
      while (!names.read(ENOUGH, true));
      expect(reads).toBeLessThanOrEqual(20 + 16 * threads.length);
      memory.close();
    }));

  test('gives the right name or none where reads fail, and finds the rest when they do not', () =>
    withThreads(tabled!, [], (facts, reader) => {
      const memory = openMemory(facts.pid, '/proc');
      const random = numbers();
      let faults = 0.05;
      const failing: Memory = {
        ...memory,
        read(...all) {
          const chance = random();
          if (chance < faults / 2) throw new Error('EIO');
          const count = memory.read(...all);
          return chance < faults ? Math.floor(count / 2) : count;
        },
      };
      const { names, threads } = namesBy(tabled!, reader, failing);
      const right = expected(facts);
      const found = () =>
        Object.fromEntries(
          threads.map(({ address, pthread }) => [pthread, names.of(address, pthread)?.name ?? null]),
        );
      let partly = 0;
      for (let rounds = 0; rounds < 20; rounds += 1) {
        while (!names.read(PORTION, true));
        for (const [ident, name] of Object.entries(found()))
          if (name !== null) expect(name).toBe(right[ident]);
        const known = Object.values(found()).filter((name) => name !== null).length;
        if (known > 0 && known < threads.length - 1) partly += 1;
      }
      expect(partly).toBeGreaterThan(0);
      faults = 0;
      while (!names.read(PORTION, true));
      expect(found()).toEqual(right);
      memory.close();
    }));

  test('comes to an end where memory is garbage', () =>
    withThreads(tabled!, [], (facts, reader) => {
      const memory = openMemory(facts.pid, '/proc');
      const random = numbers();
      const garbage: Memory = {
        ...memory,
        read(into, offset, length, address) {
          const count = memory.read(into, offset, length, address);
          const chance = random();
          if (chance < 0.1) into.bytes.fill(Math.floor(random() * 256), offset, offset + count);
          else if (chance < 0.2)
            into.bytes[offset + Math.floor(random() * count)] = Math.floor(random() * 256);
          return count;
        },
      };
      const { names } = namesBy(tabled!, reader, garbage);
      let portions = 0;
      for (let rounds = 0; rounds < 100; rounds += 1) while (!names.read(PORTION, true)) portions += 1;
      expect(portions).toBeLessThan(100_000);
      memory.close();
    }));
});

describe('a thread that is sampled', () => {
  const tids = readdirSync('/proc/self/task').map(Number);
  const other = tids.find((tid) => tid !== process.pid)!;

  it('has no name that was given to one that ended, but the first thread keeps the one from before a fork', () => {
    const threads = sampled(() => [
      { address: 8, tid: other, pthread: 1, name: 'ended', namedTid: other + 1 },
      { address: 16, tid: process.pid, pthread: 2, name: 'forker', namedTid: 1 },
    ]);
    threads.refresh();
    expect(threads.list.map(({ name }) => name)).toEqual([undefined, 'forker']);
    threads.close();
  });

  it('is said again when its name is known or another, and never without one', () => {
    let name: { name: string; namedTid: number } | undefined;
    const threads = sampled(() => [{ address: 8, tid: other, pthread: 1, ...name }]);
    const renamed = () => {
      threads.refresh();
      return threads.takeRenamed().map((thread) => thread.name);
    };
    expect(renamed()).toEqual([]);
    name = { name: 'a', namedTid: other };
    expect(renamed()).toEqual(['a']);
    expect(renamed()).toEqual([]);
    name = { name: 'b', namedTid: other };
    expect(renamed()).toEqual(['b']);
    name = undefined;
    expect(renamed()).toEqual([]);
    expect(threads.list[0]?.name).toBe('b');
    threads.close();
  });
});

it(
  'a name that is changed while samples are taken is in the file again, with the same number',
  () =>
    withThreads(PYTHONS.at(-1)!, [], async (facts) => {
      const main = fileURLToPath(
        new URL('../../../../dist/capture/backends/cpython/main.js', import.meta.url),
      );
      const file = join(emptyFolder(), 'x.samples');
      const plan = planOf(facts, PYTHONS.at(-1)!);
      const sampler = spawn(process.execPath, [main, JSON.stringify(plan)], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const ended = new Promise((resolve) => sampler.on('close', resolve));
      let said = '';
      sampler.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
      try {
        sampler.stdin.write(`${JSON.stringify({ kind: 'record', file, rateHz: 200, seconds: 60 })}\n`);
        await expect.poll(() => said, { timeout: 20_000 }).toContain('"sampling"');
        process.kill(facts.pid, 'SIGUSR1');
        const described = () =>
          readFileSync(file, 'utf8')
            .split('\n')
            .filter((line) => line.startsWith('d ') && line.endsWith('}'))
            .map((line) => ({
              id: line.split(' ')[1],
              ...(JSON.parse(line.slice(line.indexOf('{'))) as object),
            }));
        await expect
          .poll(() => described(), { timeout: 20_000 })
          .toContainEqual(expect.objectContaining({ name: 'renamed main' }));
        const tid = facts.pid;
        const ofMain = described().filter((one) => 'tid' in one && one.tid === tid);
        expect(ofMain).toEqual([
          { id: ofMain[0]?.id, tid, name: 'MainThread' },
          { id: ofMain[0]?.id, tid, name: 'renamed main' },
        ]);
      } finally {
        sampler.stdin.end();
        await ended;
      }
    }),
  60_000,
);
