import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  LOST,
  NO_FRAMES,
  openReader,
  ReaderRefusal,
} from '../../../../src/capture/backends/cpython/cpython-reader.js';
import { selfTest } from '../../../../src/capture/backends/cpython/self-test.js';
import { itWhere } from '../../../only-where.js';
import { findPythons, program, start, type OwnFacts } from '../../../target/pythons.js';
import { path } from '../../live.js';
import { openOn, startRead, type Read } from './live-reader.js';
import { parseStacks, stackText } from './stack-text.js';

const NOBODY = 65_534;
const IS_ROOT = process.getuid?.() === 0;

function namesOf({ reader }: Read): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(reader.threads().map(({ pthread, name }) => [String(pthread), name]));
}

describe.each(findPythons())('a process of $version', (python) => {
  const hasNativeIds = Number(python.version.split('.')[1]) >= 11;
  let read: Read;
  let own: OwnFacts;
  beforeAll(async () => {
    read = await startRead(python, program('contended.py'));
    own = JSON.parse(read.program.lines[0] ?? '') as OwnFacts;
  });
  afterAll(async () => {
    read.reader.close();
    await read.program.stop();
  });

  it('passes the self-test', () => {
    expect(selfTest(read.reader)).toBeUndefined();
  });

  it('shows the threads that it says it has', () => {
    const threads = read.reader.threads();
    expect(threads.map(({ pthread }) => String(pthread)).sort()).toEqual(
      own.threads.map(({ ident }) => ident).sort(),
    );
    for (const { tid, pthread } of threads) {
      const same = own.threads.find(({ ident }) => ident === String(pthread));
      expect(tid).toBe(hasNativeIds ? same?.tid : 0);
    }
  });

  it('shows their names', () => {
    read.reader.threads();
    read.reader.readNames(10_000, true);
    expect(namesOf(read)).toEqual(Object.fromEntries(own.threads.map(({ ident, name }) => [ident, name])));
  });

  it('shows a holder of the GIL that is one of them, and where the GIL lies', async () => {
    const holders = new Set<number>();
    await vi.waitFor(
      () => {
        for (let look = 0; look < 1000; look += 1) holders.add(read.reader.holder());
        // Between two holders there may be none for a moment, and longer where the program gets no CPU.
        expect([...holders].some((holder) => holder > 0)).toBe(true);
      },
      { timeout: 60_000, interval: 20 },
    );
    const known = new Set([0, ...read.reader.threads().map(({ address }) => address)]);
    expect([...holders].filter((holder) => !known.has(holder))).toEqual([]);
    const { gil } = read.reader;
    expect(gil.end - gil.start).toBeGreaterThanOrEqual(208);
  });

  it('shows where the thread is that never sleeps', () => {
    const { reader } = read;
    reader.beginFile();
    const busy = own.threads.find(({ name }) => name === 'spinner');
    const thread = reader.threads().find(({ pthread }) => String(pthread) === busy?.ident);
    const id = reader.sample(thread?.address ?? 0, true, performance.now());
    const names = stackText(parseStacks(reader.drain())[id])
      .split(';')
      .map((part) => part.slice(part.lastIndexOf('.') + 1));
    expect(names.map((name) => name.split(':')[0])).toEqual([
      '_bootstrap',
      '_bootstrap_inner',
      'run',
      'spin',
    ]);
  });
});

describe('a constructor', () => {
  it.each(findPythons())(
    'is called by its caller, with no frame of the interpreter between ($version)',
    async (python) => {
      const { reader, program: started } = await startRead(python, 'constructor.py');
      const main = reader.threads().at(-1)!;
      reader.beginFile();
      for (let count = 0; count < 1000; count += 1) reader.sample(main.address, false, performance.now());
      const qualified = Number(python.version.split('.')[1]) >= 11;
      const names = new Set(parseStacks(reader.drain()).map(({ name }) => name));
      expect([...names].sort()).toEqual(
        ['<module>', qualified ? 'Thing.__init__' : '__init__', 'make'].sort(),
      );
      reader.close();
      await started.stop();
    },
  );
});

describe('the end of a process', () => {
  const python = findPythons()[0];
  itWhere(python !== undefined, 'no CPython 3.8 to 3.13 here')(
    'is told by its code, and loses stacks',
    async () => {
      const { reader, program: started } = await startRead(python!, program('contended.py'));
      const [thread] = reader.threads();
      await started.stop();
      expect(() => reader.threads()).toThrow(expect.objectContaining({ code: 'ESRCH' }));
      expect(reader.sample(thread!.address, true, 0)).toBe(LOST);
      expect(reader.holder()).toBe(-1);
      reader.close();
    },
  );

  itWhere(python !== undefined, 'no CPython 3.8 to 3.13 here')(
    'is what another program in it looks like',
    async () => {
      const read = await startRead(python!, 'becomes-cat.py');
      expect(codeOf(read)).toBe(1);
      process.kill(read.program.pid, 'SIGUSR1');
      await expect.poll(() => codeOf(read)).toBe('ESRCH');
      read.reader.close();
      await read.program.stop();
    },
  );

  it('before a reader is opened is a refusal', () => {
    const plan = { pid: 4_194_305, runtime: 4096, runtimeSize: 1464, version: '3.8.18' };
    expect(() => openReader(plan)).toThrow(ReaderRefusal);
  });

  it.each(findPythons())(
    'of its interpreter leaves no threads, and no reader is opened ($version)',
    async (ended) => {
      const started = await start(ended.path, [path('ended-interpreter.py')]);
      // From 3.12 on the GIL belongs to an interpreter, so that without one a reader is refused.
      await expect.poll(() => finding(started.pid, ended.version)).toMatch(/not ready yet/);
      await started.stop();
    },
  );
});

function codeOf({ reader }: Read): unknown {
  try {
    return reader.threads().length;
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
}

function finding(pid: number, version: string): string | undefined {
  try {
    const reader = openOn(pid, version);
    const reason = selfTest(reader);
    reader.close();
    return reason;
  } catch (error) {
    return error instanceof ReaderRefusal ? error.reason : String(error);
  }
}

describe('without privileges', () => {
  const python = findPythons()[0];
  itWhere(IS_ROOT && python !== undefined, 'not root, or no CPython here')(
    'a process of the same user can be read, and one of another cannot',
    async () => {
      const { program: mine } = await startRead(python!, program('contended.py'), [], {
        uid: NOBODY,
        gid: NOBODY,
      });
      const { program: other } = await startRead(python!, program('contended.py'));
      try {
        process.setegid?.(NOBODY);
        process.seteuid?.(NOBODY);
        const reader = openOn(mine.pid, python!.version);
        expect(selfTest(reader)).toBeUndefined();
        const [thread] = reader.threads();
        expect([NO_FRAMES, 0]).toContain(Math.min(0, reader.sample(thread!.address, true, 0)));
        reader.close();
        expect(() => openOn(other.pid, python!.version)).toThrow();
      } finally {
        process.seteuid?.(0);
        process.setegid?.(0);
        await Promise.all([mine.stop(), other.stop()]);
      }
    },
  );
});
