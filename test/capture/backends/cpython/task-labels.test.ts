import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CpythonReader } from '../../../../src/capture/backends/cpython/cpython-reader.js';
import { openMemory } from '../../../../src/capture/backends/cpython/memory.js';
import {
  LONGEST_NAME,
  MOST_LABELS,
  taskLabel,
} from '../../../../src/capture/backends/cpython/task-labels.js';
import { onlyWithAll } from '../../../only-where.js';
import { findPythons } from '../../../target/pythons.js';
import { openOn, startRead, type Read } from './live-reader.js';
import { functionsOf, parseStacks } from './stack-text.js';

describe('the label of a task', () => {
  it('is its name in angle brackets', () => {
    expect(taskLabel('sensor loop')).toBe('<task sensor loop>');
    expect(taskLabel('Task-12 of 30')).toBe('<task Task-12 of 30>');
  });

  it('is none for names that asyncio gives', () => {
    for (const name of ['Task-1', 'Task-123456789', '']) expect(taskLabel(name)).toBeUndefined();
  });

  it('is on one line, without what ends a frame', () => {
    expect(taskLabel('a;b\n\u2028c\x1b[31m\x9b€')).toBe('<task a:b\ufffd\ufffdc\ufffd[31m\ufffd€>');
  });

  it('is cut between characters', () => {
    const long = '😀'.repeat(LONGEST_NAME);
    expect(taskLabel(long)).toBe(`<task ${long}>`);
    expect(taskLabel(`${long}x`)).toBe(`<task ${long}…>`);
    expect(taskLabel(`${'x'.repeat(LONGEST_NAME)}y`)).toBe(`<task ${'x'.repeat(LONGEST_NAME)}…>`);
    expect(taskLabel(`x${'😀'.repeat(4000)}`)).toBe(`<task x${'😀'.repeat(LONGEST_NAME - 1)}…>`);
  });
});

const HELD = ['<task held-0000>', 'outer', 'inner', 'hold'];

/** What stands below `Handle._run` by the name of the thread. */
function expected(minor: number): Readonly<Record<string, readonly string[]>> {
  const step = minor >= 12 ? ['__step', '__step_run_and_handle_result'] : ['__step'];
  return {
    named: HELD,
    default: HELD.slice(1),
    asked: ['asked', ...HELD.slice(1)],
    'own-class': HELD,
    python: [...step, ...HELD],
    woken: ['<task held-0000>', 'waiting', ...HELD.slice(1)],
    callback: ['hold'],
    sent: ['send', ...HELD.slice(1)],
    hostile: ['<task a "b": c (engine.py:3)\ufffd\ufffd[31m€😀>', ...HELD.slice(1)],
    long: [`<task ${'😀'.repeat(LONGEST_NAME)}…>`, ...HELD.slice(1)],
    gc: ['<task GC>>', ...HELD.slice(1)],
    ...(minor < 12
      ? {}
      : { eager: ['<task held-0000>', 'eager', 'create_task', 'factory', ...HELD.slice(1)] }),
  };
}

function readThreads(reader: CpythonReader): ReadonlyMap<string, number> {
  reader.threads();
  while (!reader.readNames(10_000, true));
  return new Map(reader.threads().map(({ name, address }) => [name ?? '', address]));
}

describe.each(findPythons())('tasks that stand still in $version', (python) => {
  const minor = Number(python.version.split('.')[1]);
  let read: Read;
  let threads: ReadonlyMap<string, number>;
  let reads = 0;
  /** Stands for `held-0000` in the memory of the program where it is not empty. */
  let otherName = '';
  /** So many reads after that of the name, one finds nothing but zeros. */
  let disturbAfter = -1;
  let nextDisturbed = -1;
  let reader: CpythonReader;

  beforeAll(async () => {
    read = await startRead(python, 'asyncio_held.py');
    reader = openOn(read.program.pid, python.version, (pid, proc) => {
      const memory = openMemory(pid, proc);
      return {
        ...memory,
        read(into, offset, length, address) {
          reads += 1;
          const count = memory.read(into, offset, length, address);
          if (nextDisturbed === 0) into.bytes.fill(0, offset, offset + count);
          if (nextDisturbed >= 0) nextDisturbed -= 1;
          const at = into.bytes.subarray(offset, offset + count).indexOf('held-0000');
          if (at >= 0) nextDisturbed = disturbAfter;
          if (at >= 0 && otherName !== '') into.bytes.write(otherName, offset + at, 'latin1');
          return count;
        },
      };
    });
    threads = readThreads(reader);
  });
  afterAll(async () => {
    reader.close();
    read.reader.close();
    await read.program.stop();
  });

  const sample = (thread: string, verify = false): number =>
    reader.sample(threads.get(thread) ?? 0, verify, performance.now());
  const readsOf = (thread: string): number => {
    const address = threads.get(thread) ?? 0;
    // At the same moment, so that no code object is due to be checked.
    const now = performance.now();
    reader.sample(address, false, now);
    const before = reads;
    reader.sample(address, false, now);
    return reads - before;
  };

  const namesOf = (from: number, to: number): readonly (string | undefined)[] => {
    reader.beginFile();
    const ids: number[] = [];
    for (let number = from; number < to; number += 1) {
      otherName = `held-${String(number).padStart(4, '0')}`;
      ids.push(sample('named'));
    }
    otherName = '';
    const frames = parseStacks(reader.drain());
    return ids.map((id) => functionsOf(frames[id]).find((part) => part.startsWith('<task')));
  };

  it('have their names where they have been given one', () => {
    reader.beginFile();
    const wanted = expected(minor);
    const ids = Object.keys(wanted).map((name) => [name, sample(name, true)] as const);
    const frames = parseStacks(reader.drain());
    const found = ids.map(([name, id]) => {
      const functions = functionsOf(frames[id]);
      return [name, functions.slice(functions.indexOf('_run') + 1)];
    });
    expect(Object.fromEntries(found)).toEqual(wanted);
    expect(reader.counts).toMatchObject({ lost: 0, errors: new Map() });
    // Below one caller, frames of one task are one node.
    const nodes = frames.filter(({ label }) => label === '<task held-0000>');
    expect(nodes.map(({ name }) => name).sort()).toEqual(
      [
        'outer',
        'outer',
        minor < 11 ? 'waiting' : 'woken.<locals>.waiting',
        ...(minor < 12 ? [] : ['eager']),
      ].sort(),
    );
  });

  it('are verified with their labels', () => {
    for (let count = 0; count < 3; count += 1) sample('named', true);
    expect(reader.verified).toBe(true);
  });

  // Before, frames take turns in the reads of a stack.
  if (minor >= 11)
    it('cost a few reads, and fewer where no task runs', () => {
      const stack = readsOf('callback') - 2;
      const coroutines = 2;
      const [named, unnamed, inPython] = ['named', 'default', 'python'].map(
        (name) => readsOf(name) - stack - coroutines,
      );
      expect([named, unnamed]).toEqual([4, 2]);
      expect(inPython).toBeLessThanOrEqual(11);
    });

  it('have no label where their name, or who runs, changes while it is read', () => {
    for (const after of [0, 1, -1]) {
      reader.beginFile();
      disturbAfter = after;
      const id = sample('named');
      const isNamed = functionsOf(parseStacks(reader.drain())[id]).includes('<task held-0000>');
      expect(isNamed).toBe(after === -1);
    }
  });

  it('have labels up to a number, which counts anew in each file', () => {
    const first = namesOf(1, MOST_LABELS + 3);
    expect(first.slice(0, 2)).toEqual(['<task held-0001>', '<task held-0002>']);
    expect(first.slice(MOST_LABELS - 1)).toEqual([`<task held-${MOST_LABELS}>`, undefined, undefined]);
    expect(namesOf(5000, 5001)).toEqual(['<task held-5000>']);
  });
});

/** Stacks of `asyncio_tasks.py` below what runs tasks, by the name of the task. */
const CHAINS: Readonly<Record<string, readonly string[]>> = {
  '<task sensor loop>': ['nested;middle;inner;spin'],
  '<task generators>': ['generator;numbers;spin'],
  '<task with and for>': [
    'with_and_for;__aenter__;spin',
    'with_and_for;__aexit__;inner;spin',
    'with_and_for;__anext__;spin',
  ],
  '<task woken>': ['woken;spin'],
  '': ['gathered;inner;spin', 'callback;spin'],
};
const RUNNERS = new Set(['_run', '__wakeup', '__step', '__step_run_and_handle_result']);
const MOST_LOOKS = 30_000;

describe.each(findPythons())('chains of awaits in $version', (python) => {
  const chains = async (args: readonly string[]): Promise<void> => {
    const { reader, program } = await startRead(python, 'asyncio_tasks.py', args);
    reader.beginFile();
    const main = reader.threads().at(-1)!;
    const wanted = Object.entries(CHAINS).flatMap(([label, texts]) =>
      texts.map((text) => `${label};${text}`),
    );
    const seen = new Map<string, number>();
    const byId: string[] = [];
    let text = '';
    const missing = (): readonly string[] => wanted.filter((one) => !seen.has(one));
    for (let look = 0; look < MOST_LOOKS && missing().length > 0; look += 1) {
      const id = reader.sample(main.address, false, performance.now());
      if (id < 0) continue;
      if (byId[id] === undefined) {
        text += reader.drain();
        for (const frame of parseStacks(text).slice(byId.length)) {
          const functions = functionsOf(frame);
          const below = functions.slice(functions.findLastIndex((name) => RUNNERS.has(name)) + 1);
          byId.push(below[0]?.startsWith('<') === true ? below.join(';') : `;${below.join(';')}`);
        }
      }
      const stack = byId[id] ?? '';
      seen.set(stack, (seen.get(stack) ?? 0) + 1);
    }
    reader.close();
    await program.stop();
    expect(missing()).toEqual([]);
    // A task's name stands above its own coroutine alone, and above no callback.
    const owners = new Set([...seen.keys()].map((stack) => stack.split(';').slice(0, 2).join(';')));
    const allowed = new Set(wanted.map((stack) => stack.split(';').slice(0, 2).join(';')));
    expect([...owners].filter((owner) => owner.startsWith('<task') && !allowed.has(owner))).toEqual([]);
  };

  it('are in the stack of the task that runs, below its name', () => chains([]), 20_000);
  onlyWithAll(it)('are there for tasks in Python, too', () => chains(['python-tasks']));
});
