import { AsyncResource } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import { StepProfiler } from '../../../src/telemetry/steps/index.js';
import type { StepSample } from '../../../src/telemetry/steps/index.js';
import { held, ManualHost } from './manual-host.js';

/** Numbers from 0 to below 1, the same for a seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Running {
  /** Runs something where the body of the step is. */
  readonly inside: (work: () => void) => void;
  readonly end: () => void;
  readonly ended: Promise<void>;
}

/** Steps that start inside any of those that run, or inside none, and end in any order. */
async function anyOrder(seed: number): Promise<readonly StepSample[]> {
  const host = new ManualHost();
  const prof = new StepProfiler({ host });
  const random = randomOf(seed);
  const running: Running[] = [];
  const start = (): void => {
    const gate = held<void>();
    let inside: Running['inside'] | undefined;
    const ended = prof.step(`step ${prof.samples.length}`, () => {
      inside = AsyncResource.bind((work: () => void) => work());
      return gate.promise;
    });
    if (inside !== undefined) running.push({ inside, end: gate.keep, ended });
  };
  for (let turn = 0; turn < 120; turn += 1) {
    host.pass(1);
    const any = running[Math.floor(random() * running.length)];
    if (any === undefined || random() < 0.2) start();
    else if (random() < 0.5) any.inside(start);
    else {
      running.splice(running.indexOf(any), 1);
      any.end();
      await any.ended;
    }
  }
  for (const one of running) {
    host.pass(1);
    one.end();
    await one.ended;
  }
  return prof.samples;
}

describe('rows', () => {
  it('hold only steps that lie inside each other or after each other, in whatever order they end', async () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const samples = await anyOrder(seed);
      const crossing: string[] = [];
      for (const one of samples)
        for (const other of samples) {
          const [from, to] = [other.ts, other.ts + other.total];
          const isCrossing =
            one.tid === other.tid && one.ts < from && from < one.ts + one.total && one.ts + one.total < to;
          if (isCrossing) crossing.push(`${one.signature} and ${other.signature} on ${one.tid}`);
        }
      expect(crossing).toEqual([]);
      // As many rows as there are steps beside each other, not one for each step.
      expect(new Set(samples.map(({ tid }) => tid)).size).toBeLessThan(samples.length);
    }
  });
});
