import { describe, expect, it } from 'vitest';
import { itWhere, onlyWithAll } from '../../../only-where.js';
import { findPythons, type Python } from '../../../target/pythons.js';
import { startRead, type Read } from './live-reader.js';
import { parseStacks, stackText } from './stack-text.js';
import { wrongFrame, type OwnCode } from './true-edges.js';

interface Outcome {
  readonly samples: number;
  readonly verified: number;
  readonly lost: number;
  readonly again: number;
  readonly errors: Readonly<Record<string, number>>;
  readonly deepest: number;
  readonly names: ReadonlySet<string>;
  /** Samples of stacks that the program cannot have, with the first reasons. */
  readonly wrong: { readonly verified: number; readonly unverified: number };
  readonly reasons: readonly string[];
  readonly us: number;
}

/** Takes that many samples, every thread each time, and holds each stack to the text of the program. */
function judge({ reader, program }: Read, samples: number): Outcome {
  const own = JSON.parse(program.lines[0] ?? '') as OwnCode[];
  const verified: number[] = [];
  const unverified: number[] = [];
  let threads = reader.threads();
  let count = 0;
  let lost = 0;
  const begin = performance.now();
  for (let turn = 1; count < samples; turn += 1) {
    if (turn % 50 === 0) threads = reader.threads();
    for (const { address } of threads) {
      const id = reader.sample(address, true, performance.now());
      if (id >= 0) {
        const tally = reader.verified ? verified : unverified;
        tally[id] = (tally[id] ?? 0) + 1;
      }
      if (id !== -2) count += 1;
      if (id === -1) lost += 1;
    }
  }
  const us = ((performance.now() - begin) * 1000) / count;
  const frames = parseStacks(reader.drain());
  const reasons = frames.map((frame) => wrongFrame(frame, own));
  // A stack is wrong when one of its frames is.
  const whole: (string | undefined)[] = [];
  const depths: number[] = [];
  for (const { id, parent } of frames) {
    whole.push(reasons[id] ?? (parent === undefined ? undefined : whole[parent.id]));
    depths.push(parent === undefined ? 1 : depths[parent.id]! + 1);
  }
  const wrongOf = (tally: readonly number[]): number =>
    frames.reduce((sum, { id }) => sum + (whole[id] === undefined ? 0 : (tally[id] ?? 0)), 0);
  return {
    samples: count,
    verified: verified.reduce((total, value) => total + (value ?? 0), 0),
    lost,
    again: reader.counts.again,
    errors: Object.fromEntries(reader.counts.errors),
    deepest: depths.reduce((most, depth) => Math.max(most, depth), 0),
    names: new Set(frames.map(({ name }) => name)),
    wrong: { verified: wrongOf(verified), unverified: wrongOf(unverified) },
    reasons: frames
      .filter(({ id }) => reasons[id] !== undefined && (verified[id] ?? 0) > 0)
      .slice(0, 5)
      .map((frame) => `${reasons[frame.id]} in ${stackText(frame)}`),
    us,
  };
}

async function judged(python: Python, samples: number, args: readonly string[]): Promise<Outcome> {
  const read = await startRead(python, 'call-structure.py', args);
  try {
    return judge(read, samples);
  } finally {
    read.reader.close();
    await read.program.stop();
  }
}

const pythons = findPythons();

describe('stacks of a program whose call structure is known', () => {
  for (const python of pythons) {
    it(`are those that it can have, on ${python.version}`, async () => {
      const outcome = await judged(python, 1200, []);
      expect(outcome.reasons).toEqual([]);
      expect(outcome.wrong.verified).toBe(0);
      expect(outcome.verified).toBeGreaterThan(0);
      expect([...outcome.names]).toContain('<module>');
    });
  }
  itWhere(pythons.length > 0, 'no CPython 3.8 to 3.13 here')('for at least one version', () => {});
});

const LONG = Number(process.env['STACK_SAMPLES'] ?? 1_200_000);
const SCENARIOS = ['fast', 'deep', 'generators', 'exceptions', 'objects', 'made', 'coroutines'];

describe('a million stacks', () => {
  for (const python of pythons) {
    onlyWithAll(it)(
      `are those that the program can have, on ${python.version}`,
      async () => {
        const each = Math.ceil(LONG / pythons.length / (SCENARIOS.length + 1));
        for (const scenario of ['', ...SCENARIOS]) {
          const alone = scenario === '' ? [] : ['--alone', scenario];
          const { names, reasons, ...figures } = await judged(python, each, alone);
          process.stdout.write(
            `${JSON.stringify({ python: python.version, scenario, names: names.size, ...figures, reasons })}\n`,
          );
          expect.soft(reasons).toEqual([]);
          expect.soft(figures.wrong.verified).toBe(0);
        }
      },
      600_000,
    );
  }
});
