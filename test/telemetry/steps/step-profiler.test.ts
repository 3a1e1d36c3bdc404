import { describe, expect, it } from 'vitest';
import { StepProfiler } from '../../../src/telemetry/steps/index.js';
import type { StepSample } from '../../../src/telemetry/steps/index.js';
import { held, ManualHost } from './manual-host.js';

const profilerOf = (host: ManualHost): StepProfiler => new StepProfiler({ host, sleepTrack: true });

const failing = (): never => {
  throw new Error('no');
};

/** A hundred steps of three kinds. */
function hundred(maxSamples: number): StepProfiler {
  const host = new ManualHost();
  const prof = new StepProfiler({ host, maxSamples });
  for (let at = 0; at < 100; at += 1) prof.step(`turn(${at % 3})`, () => host.pass(125));
  return prof;
}

/** Times of powers of two of a second, so that sums are exact. */
const parts = (sample: StepSample | undefined): object => ({
  total: sample?.total,
  execute: sample?.execute,
  dbRead: sample?.dbRead,
  dbWrite: sample?.dbWrite,
  acquire: sample?.acquire,
  sleep: sample?.sleep,
  hal: sample?.hal,
  overhead: sample?.overhead,
  unattributed: sample?.unattributed,
  bodyCompute: sample?.bodyCompute,
});

describe('a step', () => {
  it('is told apart into its phases, with what is left over', async () => {
    const host = new ManualHost();
    const prof = profilerOf(host);
    host.pass(500);
    const answer = await prof.step('drive_forward(25.0)', async () => {
      host.pass(125);
      await prof.phase('dbRead', async () => host.pass(125));
      prof.phase('acquire', () => host.pass(250));
      const inner = await prof.phase('execute', async () => {
        await prof.phase('sleep', async () => host.pass(1000));
        prof.phase('hal', () => host.pass(250), { method: 'Servo.setPosition' });
        host.pass(125);
        return 42;
      });
      await prof.phase('dbWrite', async () => host.pass(500));
      host.pass(62.5);
      return inner;
    });
    expect(answer).toBe(42);
    const [sample] = prof.samples;
    expect(parts(sample)).toEqual({
      total: 2.4375,
      execute: 1.375,
      dbRead: 0.125,
      dbWrite: 0.5,
      acquire: 0.25,
      sleep: 1,
      hal: 0.25,
      overhead: 1.0625,
      unattributed: 0.1875,
      bodyCompute: 0.125,
    });
    expect(sample?.ts).toBe(0.5);
    expect(sample?.halCalls).toBe(1);
    expect(sample?.phases).toEqual([
      { label: 'db_read', ts: 0.625, dur: 0.125 },
      { label: 'acquire', ts: 0.75, dur: 0.25 },
      { label: 'sleep', ts: 1, dur: 1 },
      { label: 'hal:Servo.setPosition', ts: 2, dur: 0.25 },
      { label: 'execute', ts: 1, dur: 1.375 },
      { label: 'db_write', ts: 2.375, dur: 0.5 },
    ]);
    expect([...prof.halStats]).toEqual([['Servo.setPosition', { calls: 1, total: 0.25, max: 0.25 }]]);
  });

  it('is its body from end to end where nothing says what its body is', async () => {
    const host = new ManualHost();
    const prof = profilerOf(host);
    await prof.step('wait', async () => {
      host.pass(750);
      await prof.phase('dbWrite', async () => host.pass(250));
    });
    expect(parts(prof.samples[0])).toMatchObject({
      total: 1,
      execute: 0.75,
      overhead: 0.25,
      unattributed: 0,
      bodyCompute: 0.75,
    });
  });

  it('counts a part inside another part once', async () => {
    const host = new ManualHost();
    const prof = profilerOf(host);
    await prof.step('drive', () =>
      prof.phase('execute', async () => {
        await prof.phase('sleep', () => prof.phase('sleep', async () => host.pass(500)));
        prof.phase('hal:Drive.setSpeed', () => prof.phase('hal:Motor.setVelocity', () => host.pass(250)));
      }),
    );
    expect(parts(prof.samples[0])).toMatchObject({ execute: 0.75, sleep: 0.5, hal: 0.25, bodyCompute: 0 });
    expect(prof.samples[0]?.halCalls).toBe(2);
    expect([...prof.halStats.keys()]).toEqual(['Motor.setVelocity', 'Drive.setSpeed']);
  });

  it('has the compute time of its motion, and how often that ran, but no phase for each', async () => {
    const host = new ManualHost();
    const prof = profilerOf(host);
    prof.step('drive', () =>
      prof.phase('execute', () => {
        for (let at = 0; at < 3; at += 1) prof.phase('motion', () => host.pass(125));
        host.pass(125);
      }),
    );
    const [sample] = prof.samples;
    expect([sample?.motionCompute, sample?.motionUpdates, sample?.phases.length]).toEqual([0.375, 3, 1]);
  });

  it('has phases of the names that a program gives, also those of raccoon', () => {
    const host = new ManualHost();
    const prof = profilerOf(host);
    prof.step('drive', () => {
      prof.phase('plan a path', () => host.pass(125));
      prof.phase('db_write', () => host.pass(125));
    });
    const [sample] = prof.samples;
    expect(sample?.phases.map(({ label }) => label)).toEqual(['plan a path', 'db_write']);
    expect(sample?.dbWrite).toBe(0.125);
  });

  it('leaves out of the trace what is shorter than halSpanMs, and counts it', () => {
    const host = new ManualHost();
    const prof = new StepProfiler({ host, halSpanMs: 2 });
    prof.step('drive', () => {
      prof.phase('hal:A.short', () => host.pass(1));
      prof.phase('hal:A.long', () => host.pass(2));
      prof.phase('sleep', () => host.pass(1));
    });
    expect(prof.samples[0]?.phases.map(({ label }) => label)).toEqual(['hal:A.long']);
    expect(prof.samples[0]?.halCalls).toBe(2);
  });

  it('knows the steps around it', async () => {
    const host = new ManualHost();
    const prof = new StepProfiler({ host, mission: 'M010Drive' });
    await prof.step(
      'seq(2 steps)',
      async () => {
        await prof.step('turn(90)', async () => host.pass(1));
        prof.step('stop', () => host.pass(1));
      },
      { composite: true },
    );
    expect(
      prof.samples.map(({ signature, path, depth, composite, tid }) => [
        signature,
        path,
        depth,
        composite,
        tid,
      ]),
    ).toEqual([
      ['seq(2 steps)', 'M010Drive', 1, true, 0],
      ['turn(90)', 'M010Drive > seq', 2, false, 0],
      ['stop', 'M010Drive > seq', 2, false, 0],
    ]);
  });

  it('that never ends stands in the samples without a duration', () => {
    const host = new ManualHost();
    const prof = profilerOf(host);
    void prof.step('forever', () => held<void>().promise);
    host.pass(1000);
    prof[Symbol.dispose]();
    expect(prof.samples.map(({ signature, total }) => [signature, total])).toEqual([['forever', 0]]);
    expect(host.printed.join('')).toContain('  leaf steps executed         : 1\n');
  });

  it('that ends after the profiler gives its answer', async () => {
    const host = new ManualHost();
    const prof = profilerOf(host);
    const { promise, keep } = held<string>();
    const answer = prof.step('late', () => prof.phase('execute', () => promise));
    prof[Symbol.dispose]();
    keep('done');
    expect(await answer).toBe('done');
  });

  it('has no part in what it leaves behind', async () => {
    const host = new ManualHost();
    const prof = profilerOf(host);
    const { promise, keep } = held<void>();
    let left: Promise<void> | undefined;
    prof.step('starts something', () => {
      host.pass(250);
      left = prof.phase('sleep', () => promise);
    });
    host.pass(1000);
    keep();
    await left;
    expect(parts(prof.samples[0])).toMatchObject({ total: 0.25, sleep: 0 });
  });
});

describe('steps beside each other', () => {
  it('have phases and a row each, and rows are used again', async () => {
    const host = new ManualHost();
    const prof = profilerOf(host);
    const gates = [held<void>(), held<void>(), held<void>()];
    const branch = (name: string, at: number): Promise<void> =>
      prof.step(name, () => prof.phase('sleep', () => gates[at]?.promise ?? Promise.resolve()));
    await prof.step(
      'parallel',
      async () => {
        const all = [branch('a', 0), branch('b', 1), branch('c', 2)];
        for (const gate of gates) {
          host.pass(125);
          gate.keep();
          await gate.promise;
          await Promise.resolve();
        }
        await Promise.all(all);
        prof.step('after', () => host.pass(125));
      },
      { composite: true },
    );
    expect(prof.samples.map(({ signature, tid, sleep }) => [signature, tid, sleep])).toEqual([
      ['parallel', 0, 0],
      ['a', 0, 0.125],
      ['b', 1, 0.25],
      ['c', 2, 0.375],
      ['after', 0, 0],
    ]);
  });

  it('move to a row of their own when they outlive the step around them', async () => {
    const host = new ManualHost();
    const prof = profilerOf(host);
    const gate = held<void>();
    let left: Promise<void> | undefined;
    prof.step('outer', () => {
      host.pass(125);
      left = prof.step('left behind', () => gate.promise);
      host.pass(125);
    });
    prof.step('next', () => host.pass(125));
    gate.keep();
    await left;
    expect(prof.samples.map(({ signature, tid }) => [signature, tid])).toEqual([
      ['outer', 0],
      ['left behind', 1],
      ['next', 0],
    ]);
  });
});

describe('what a program does with errors', () => {
  it('is the same with and without the profiler', async () => {
    const host = new ManualHost();
    const prof = profilerOf(host);
    const error = new Error('hardware gone');
    expect(() =>
      prof.step('sync', () => {
        host.pass(125);
        throw error;
      }),
    ).toThrow(error);
    await expect(prof.step('async', async () => Promise.reject(error))).rejects.toBe(error);
    expect(() =>
      prof.phase('hal:A.b', () => {
        throw error;
      }),
    ).toThrow(error);
    // oxlint-disable-next-line no-throw-literal -- user code may
    const odd = prof.step('odd', async () => {
      throw undefined;
    });
    await expect(odd).rejects.toBeUndefined();
    expect(prof.samples.map(({ signature, total }) => [signature, total])).toEqual([
      ['sync', 0.125],
      ['async', 0],
      ['odd', 0],
    ]);
    expect(host.warnings).toEqual([]);
  });

  it('leaves what is returned as it is', async () => {
    const prof = profilerOf(new ManualHost());
    const object = { a: 1 };
    expect(prof.step('a', () => object)).toBe(object);
    expect(prof.step('b', () => undefined)).toBeUndefined();
    expect(await prof.step('c', async () => object)).toBe(object);
    // oxlint-disable-next-line unicorn/no-thenable -- as query builders are
    const lazy = { then: (take: (value: number) => void) => take(7) };
    expect(await prof.phase('dbRead', () => lazy)).toBe(7);
  });

  it('survives a host that fails in everything', async () => {
    const host = {
      clock: failing,
      print: failing,
      warn: failing,
      timers: { setTimeout: failing, clearTimeout: failing },
    };
    const prof = new StepProfiler({ host: { ...host, traces: new ManualHost().traces } });
    expect(prof.step('a', () => prof.phase('execute', () => 1))).toBe(1);
    expect(await prof.step('b', async () => 2)).toBe(2);
    await prof.close();
  });

  it('takes a signature that is no text', () => {
    const host = new ManualHost();
    const prof = profilerOf(host);
    const hostile = {
      toString: (): never => {
        throw new Error('no text');
      },
    };
    expect(prof.step(hostile as unknown as string, () => 5)).toBe(5);
    expect(prof.step(Symbol('s') as unknown as string, () => 6)).toBe(6);
    expect(prof.phase(undefined as unknown as string, () => 7)).toBe(7);
    expect(prof.step('a', () => prof.phase(5 as unknown as string, () => 8), null as never)).toBe(8);
    expect(prof.samples.map(({ signature }) => signature)).toEqual(['Symbol(s)', 'a']);
    expect(host.warnings).toEqual([
      'The step profiler failed, and may have missed something: Error: no text',
    ]);
  });
});

describe('a clock', () => {
  it('that goes back makes no time negative, and is told', () => {
    const host = new ManualHost();
    const prof = profilerOf(host);
    prof.step('a', () => {
      host.pass(250);
      prof.phase('execute', () => {
        host.pass(125);
        host.pass(-60_000);
      });
      host.pass(125);
    });
    prof.step('b', () => host.pass(500));
    expect(prof.samples.map(({ ts, total, execute }) => [ts, total, execute])).toEqual([
      [0, 0.375, 0],
      [0.375, 0.5, 0.5],
    ]);
    expect(prof.formatReport()).toContain(
      '  The clock went back 1 times: what passed meanwhile counts as nothing.\n',
    );
  });
});

describe('memory', () => {
  it('of names that a program makes up is bounded: the rest are one row', () => {
    const host = new ManualHost();
    const prof = new StepProfiler({ host, top: 1, maxSamples: 100 });
    for (let at = 0; at < 10_100; at += 1)
      prof.step(`turn(${at})`, () => {
        prof.phase('execute', () => undefined);
        prof.phase(`hal:call ${at}`, () => host.pass(1));
      });
    expect(prof.halStats.size).toBe(10_001);
    expect(prof.halStats.get('(other calls)')?.calls).toBe(100);
    expect(prof.formatReport()).toContain(
      '  (other steps)                      100   0.100s      0.0     1.0     0.0\n',
    );
    expect(prof.formatReport()).toContain('  leaf steps executed         : 10100\n');
  });

  it('of the phases of one step is bounded, and their sums are not', () => {
    const host = new ManualHost();
    const prof = new StepProfiler({ host });
    prof.step('drive', () => {
      for (let at = 0; at < 10_005; at += 1) prof.phase('acquire', () => host.pass(1));
    });
    const [sample] = prof.samples;
    expect([sample?.phases.length, sample?.phasesLeftOut]).toEqual([10_000, 5]);
    expect(sample?.acquire).toBeCloseTo(10.005, 9);
  });

  it('of old samples only the sums stay, and the report is the same', () => {
    const [short, whole] = [hundred(20), hundred(1000)];
    expect(short.samples.length).toBe(20);
    expect(whole.samples.length).toBe(100);
    const said = '  The oldest 80 steps are only in these sums: no samples of them are kept.\n\n';
    expect(short.formatReport()).toContain(said);
    expect(short.formatReport().replace(said, '')).toBe(whole.formatReport());
  });
});

describe('a profiler that is off', () => {
  it('only calls what it is given', async () => {
    const prof = StepProfiler.disabled();
    expect(prof.step('a', () => prof.phase('hal', () => 3))).toBe(3);
    expect([prof.samples.length, prof.halStats.size]).toEqual([0, 0]);
    await prof.close();
  });

  it('does not time calls into hardware without `hal`, nor sleep without `sleepTrack`', () => {
    const host = new ManualHost();
    const prof = new StepProfiler({ host, hal: false, sleepTrack: false });
    prof.step('a', () => {
      prof.phase('hal:A.b', () => host.pass(125));
      prof.phase('sleep', () => host.pass(125));
    });
    expect([prof.halStats.size, prof.samples[0]?.hal, prof.samples[0]?.sleep]).toEqual([0, 0, 0]);
  });
});
