import { runInThisContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { InspectorSession } from '../../../src/target/node/inspector/connect.js';
import { beginTelemetry, endTelemetry } from '../../../src/target/node/inspector/telemetry.js';
import { INSPECTED } from '../../../src/telemetry/inspected.js';

const store = globalThis as unknown as Record<symbol, unknown>;
const PLACE = Symbol.for(INSPECTED);

/** A thread of this program, as its inspector has it. */
function thread(): Pick<InspectorSession, 'call'> & { readonly asked: unknown[] } {
  const asked: unknown[] = [];
  return {
    asked,
    call: async (_, params = {}) => {
      asked.push(params);
      try {
        return { result: { value: runInThisContext(String(params['expression'])) as unknown } };
      } catch {
        return { result: {}, exceptionDetails: {} };
      }
    },
  };
}

const answering = (answer: unknown): void => {
  store[PLACE] = { answer: () => answer };
};

afterEach(() => {
  delete store[PLACE];
  vi.restoreAllMocks();
});

describe('what a thread says of its telemetry', () => {
  it('is its own text, before and after', async () => {
    store[PLACE] = { answer: (ago?: number) => (ago === undefined ? 'before' : 'after') };
    const session = thread();
    const begin = await beginTelemetry(session, 2);
    expect(await endTelemetry(session, begin, 2)).toEqual({ begin: 'before', end: 'after' });
    expect(session.asked).toMatchObject([{ timeout: 4000 }, { timeout: 4000 }]);
  });

  it('is nothing where it has none', async () => {
    const session = thread();
    expect(await beginTelemetry(session, 2)).toBeUndefined();
    expect(await endTelemetry(session, undefined, 2)).toBeUndefined();
  });

  it.each([
    ['a promise', Promise.resolve('x')],
    ['a number', 3],
    ['an object', { sources: [] }],
    ['more text than is read', 'x'.repeat(128 * 1024 * 1024 + 1)],
  ])('is told to be missing where %s stands in its place', async (_, answer) => {
    answering(answer);
    const session = thread();
    const begin = await beginTelemetry(session, 2);
    expect([begin, await endTelemetry(session, begin, 2)]).toEqual([undefined, { begin: '', end: '' }]);
  });

  it('is told to be missing where it throws, or is none that can be called', async () => {
    for (const own of [{ answer: () => expect.fail('it throws') }, 5, { answer: 'x' }]) {
      store[PLACE] = own;
      expect(await endTelemetry(thread(), undefined, 2)).toEqual({ begin: '', end: '' });
    }
  });

  it('is told to be missing where it answered before and does not after', async () => {
    answering('before');
    const begin = await beginTelemetry(thread(), 2);
    const blocked = { call: () => Promise.reject(new Error('no answer')) };
    expect(await endTelemetry(blocked, begin, 2)).toEqual({ begin: 'before', end: '' });
    expect(await endTelemetry(blocked, undefined, 2)).toBeUndefined();
  });
});
