import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTables } from '../../../src/simulator/index.js';
import { StepProfiler } from '../../../src/telemetry/steps/index.js';
import { missionPath } from '../../../src/telemetry/steps/mission-path.js';
import { held, ManualHost } from './manual-host.js';

const folder = mkdtempSync(join(tmpdir(), 'steps-'));

async function run(prof: StepProfiler, host: ManualHost): Promise<void> {
  prof.start();
  const gate = held<void>();
  host.pass(100);
  await prof.step(
    'parallel(2)',
    async () => {
      const left = prof.step('drive(1)', async () => {
        prof.phase('dbRead', () => host.pass(10));
        await prof.phase('execute', async () => {
          await prof.phase('sleep', () => gate.promise);
          prof.phase('hal:Servo.setPosition', () => host.pass(1.25));
        });
        await prof.phase('dbWrite', async () => host.pass(20));
      });
      const right = prof.step('wait(2)', () => gate.promise);
      host.wake(12.5);
      gate.keep();
      await Promise.all([left, right]);
    },
    { composite: true },
  );
}

const args = {
  path: 'M > parallel',
  execute_ms: 0,
  overhead_ms: 0,
  db_write_ms: 0,
  db_read_ms: 0,
  acquire_ms: 0,
  hal_ms: 0,
  hal_calls: 0,
  sleep_ms: 0,
  body_compute_ms: 0,
};

describe('the Chrome trace', () => {
  it('has the events and arguments of raccoon', async () => {
    const host = new ManualHost();
    const prof = new StepProfiler({ host, tracePath: join(folder, 'kept.json'), mission: 'M' });
    await run(prof, host);
    await prof.close();
    const path = join(folder, 'kept.M.json');
    expect(await host.traces.flush()).toEqual([path]);
    const { traceEvents, displayTimeUnit } = JSON.parse(readFileSync(path, 'utf8')) as {
      traceEvents: unknown[];
      displayTimeUnit: string;
    };
    expect(displayTimeUnit).toBe('ms');
    expect(traceEvents).toEqual([
      { name: 'thread_name', ph: 'M', pid: 1, tid: 0, args: { name: 'main' } },
      { name: 'thread_name', ph: 'M', pid: 1, tid: 2, args: { name: 'event-loop-lag' } },
      { name: 'loop_lag', ph: 'C', pid: 1, tid: 2, ts: 122_500, args: { ms: 117.5 } },
      { name: 'LAG 118ms', ph: 'i', s: 'g', pid: 1, tid: 2, ts: 122_500 },
      { name: 'thread_name', ph: 'M', pid: 1, tid: 1, args: { name: 'task-1' } },
      {
        name: 'wait(2)',
        cat: 'step',
        ph: 'X',
        pid: 1,
        tid: 1,
        ts: 110_000,
        dur: 12_500,
        args: { ...args, execute_ms: 12.5, body_compute_ms: 12.5 },
      },
      {
        name: 'drive(1)',
        cat: 'step',
        ph: 'X',
        pid: 1,
        tid: 0,
        ts: 100_000,
        dur: 43_750,
        args: {
          ...args,
          execute_ms: 13.75,
          overhead_ms: 30,
          db_write_ms: 20,
          db_read_ms: 10,
          hal_ms: 1.25,
          hal_calls: 1,
          sleep_ms: 12.5,
        },
      },
      { name: 'db_read', cat: 'phase', ph: 'X', pid: 1, tid: 0, ts: 100_000, dur: 10_000 },
      { name: 'sleep', cat: 'phase', ph: 'X', pid: 1, tid: 0, ts: 110_000, dur: 12_500 },
      { name: 'hal:Servo.setPosition', cat: 'phase', ph: 'X', pid: 1, tid: 0, ts: 122_500, dur: 1250 },
      { name: 'execute', cat: 'phase', ph: 'X', pid: 1, tid: 0, ts: 110_000, dur: 13_750 },
      { name: 'db_write', cat: 'phase', ph: 'X', pid: 1, tid: 0, ts: 123_750, dur: 20_000 },
      {
        name: 'parallel(2)',
        cat: 'composite',
        ph: 'X',
        pid: 1,
        tid: 0,
        ts: 100_000,
        dur: 43_750,
        args: { ...args, path: 'M', execute_ms: 43.75, body_compute_ms: 43.75 },
      },
    ]);
  });

  it('is read by profiler tables, with one finding: that steps ran beside each other', () => {
    const tables = readTables(readFileSync(join(folder, 'kept.M.json'), 'utf8'));
    expect(tables.flatMap(({ findings }) => findings.map(({ id }) => id))).toEqual([
      'steps-beside-each-other',
    ]);
    expect(tables.map(({ title }) => title)).toEqual([
      'raccoon: where the time goes',
      'raccoon: steps by overhead',
      'raccoon: composite steps',
      'raccoon: HAL and transport calls',
      'raccoon: gaps between steps',
      'raccoon: tasks',
      'raccoon: event-loop lag',
    ]);
  });

  it('that is written while the mission runs tells the same', async () => {
    const host = new ManualHost();
    const prof = new StepProfiler({
      host,
      tracePath: join(folder, 'running.json'),
      mission: 'M',
      deferTrace: false,
    });
    await run(prof, host);
    await prof.close();
    const [kept, running] = ['kept', 'running'].map((name) =>
      readTables(readFileSync(join(folder, `${name}.M.json`), 'utf8')),
    );
    expect(running).toEqual(kept);
  });

  it('of a step that has not ended says so', async () => {
    const host = new ManualHost();
    const prof = new StepProfiler({ host, tracePath: join(folder, 'unended.json') });
    void prof.step('forever', () => held<void>().promise);
    host.pass(1000);
    await prof.close();
    await host.traces.flush();
    const tables = readTables(readFileSync(join(folder, 'unended.json'), 'utf8'));
    expect(tables[0]?.findings.map(({ id }) => id)).toEqual(['no-steps', 'steps-not-ended']);
  });

  it('gives a step that took no time a tenth of a microsecond, since 0 says that it has not ended', async () => {
    const host = new ManualHost();
    const prof = new StepProfiler({ host, tracePath: join(folder, 'short.json') });
    prof.step('short', () => undefined);
    await prof.close();
    await host.traces.flush();
    const { traceEvents } = JSON.parse(readFileSync(join(folder, 'short.json'), 'utf8')) as {
      traceEvents: { name: string; dur?: number }[];
    };
    expect(traceEvents.find(({ name }) => name === 'short')?.dur).toBe(0.1);
  });
});

describe('the name of a trace', () => {
  it('has the mission in it, and the turn', () => {
    expect([
      missionPath('a/raccoon-profile.json', 'M010Drive', 1),
      missionPath('a/raccoon-profile.json', 'M010Drive', 2),
      missionPath('profile', 'M1', 1),
      missionPath('p.json', '../x/y.z', 1),
    ]).toEqual([
      'a/raccoon-profile.M010Drive.json',
      'a/raccoon-profile.M010Drive-2.json',
      'profile.M1.json',
      'p._x_y_z.json',
    ]);
  });

  it('is counted for each mission of a program', () => {
    const host = new ManualHost();
    const name = (mission: string | undefined): string | undefined =>
      new StepProfiler({ host, tracePath: 'p.json', ...(mission === undefined ? {} : { mission }) })
        .tracePath;
    expect([name('A'), name('B'), name('A'), name('A')]).toEqual([
      'p.A.json',
      'p.B.json',
      'p.A-2.json',
      'p.A-3.json',
    ]);
    expect(host.warnings).toEqual([]);
    expect([name(undefined), name(undefined)]).toEqual(['p.json', 'p-2.json']);
    expect(host.warnings).toEqual([
      'The trace p.json is of another profiler that has not written it yet: this one is p-2.json.',
    ]);
  });
});
