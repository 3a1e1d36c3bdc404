import { afterEach, describe, expect, it } from 'vitest';
import { selfTest } from '../../../../src/capture/backends/cpython/self-test.js';
import { type Means, warmUp } from '../../../../src/capture/backends/cpython/sampling.js';
import { findPythons } from '../../../target/pythons.js';
import { startRead, type Read } from './live-reader.js';
import { parseStacks, stackText } from './stack-text.js';

let open: Read | undefined;
afterEach(async () => {
  open?.reader.close();
  await open?.program.stop();
  open = undefined;
});

/** The stack of the newest thread, or of the first one, as it is read first and a moment later. */
function stacksOf({ reader }: Read, thread: 'first' | 'newest'): readonly string[] {
  const address = reader.threads().at(thread === 'first' ? -1 : 0)?.address ?? 0;
  reader.beginFile();
  const ids = [5000, 5000.1].map((nowMs) => [reader.sample(address, true, nowMs), reader.verified] as const);
  const stacks = parseStacks(reader.drain());
  return ids.map(([id, verified]) => `${verified ? 'verified' : 'once'} ${stackText(stacks[id])}`);
}

describe.each(findPythons())('a stack deeper than what is read ($version)', (python) => {
  it('is known to be, and is no reason to distrust the reader', async () => {
    open = await startRead(python, 'deep_recursion.py', ['thread', '25000']);
    expect(selfTest(open.reader)).toBeUndefined();
    expect(stacksOf(open, 'newest')).toEqual(Array(2).fill('verified <stack too deep to be read>:0'));
    expect(open.reader.counts.lost).toBe(0);
  });

  it('is another than one that is nearly as deep', async () => {
    open = await startRead(python, 'deep_recursion.py', ['thread', '15000']);
    const [read] = stacksOf(open, 'newest');
    expect(read?.match(/;call:/g)?.length).toBe(15_001);
  });
});

/** Older ones call themselves on the C stack, and the main thread's is too short. */
const CAN = findPythons().filter(({ version }) => Number(version.split('.')[1]) >= 11);
it.each(CAN)('a stack deeper than what is read may be that of the main thread ($version)', async (python) => {
  open = await startRead(python, 'deep_recursion.py', ['main', '25000']);
  expect(selfTest(open.reader)).toBeUndefined();
  expect(stacksOf(open, 'first')).toEqual(Array(2).fill('verified <stack too deep to be read>:0'));
});

it('The looks before the first window end in time, however long one takes', () => {
  let looks = 0;
  const means = {
    kernel: { tick: () => {}, switchedIn: () => 0, of: () => 0 },
    threads: { list: [{ address: 1, files: {} }] },
    reader: {
      holder: () => 0,
      sample() {
        looks += 1;
        // As long as one of a deep stack.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
        return 0;
      },
    },
  } as unknown as Means;
  warmUp(means, 500);
  expect(looks).toBeGreaterThan(1);
  expect(looks).toBeLessThanOrEqual(11);
});
