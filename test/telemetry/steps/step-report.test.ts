import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readTables } from '../../../src/simulator/index.js';
import { StepProfiler } from '../../../src/telemetry/steps/index.js';
import { fixed, short } from '../../../src/telemetry/steps/exact-text.js';
import { LagSpike } from '../../../src/telemetry/steps/lag-spike.js';
import { stepReport } from '../../../src/telemetry/steps/step-report.js';
import { StepRecord } from '../../../src/telemetry/steps/step-sample.js';
import { StepTotals } from '../../../src/telemetry/steps/step-totals.js';
import { held, ManualHost } from './manual-host.js';

interface Event {
  readonly name: string;
  readonly cat?: string;
  readonly ph: string;
  readonly tid: number;
  readonly ts: number;
  readonly dur: number;
  readonly args: Readonly<Record<string, number>> & { readonly path: string };
}

const fixture = (name: string): string =>
  readFileSync(new URL(`../../fixtures/simulator/${name}`, import.meta.url), 'utf8');

/** The mission of the fixtures, of which there is a report and a trace; motions are in the report alone. */
function mission(): { readonly totals: StepTotals; readonly lagMs: number[] } {
  const { traceEvents } = JSON.parse(fixture('raccoon-profile.M010Drive.json')) as { traceEvents: Event[] };
  const totals = new StepTotals();
  let motions = 0;
  for (const { name, cat, tid, ts, dur, args } of traceEvents) {
    if (cat !== 'step' && cat !== 'composite') continue;
    const sample = new StepRecord({
      signature: name,
      path: args.path,
      depth: args.path.split(' > ').length,
      composite: cat === 'composite',
      tid,
      ts: ts / 1e6,
    });
    sample.total = dur / 1e6;
    const seconds = (key: string): number => (args[key] ?? 0) / 1000;
    sample.execute = seconds('execute_ms');
    sample.dbRead = seconds('db_read_ms');
    sample.dbWrite = seconds('db_write_ms');
    sample.acquire = seconds('acquire_ms');
    sample.sleep = seconds('sleep_ms');
    sample.hal = seconds('hal_ms');
    sample.halCalls = args['hal_calls'] ?? 0;
    if (name.startsWith('drive_forward')) {
      motions += 1;
      sample.motionUpdates = 40;
      sample.motionCompute = 0.02;
    }
    totals.add(sample);
  }
  expect(motions).toBe(2);
  const lagMs = traceEvents.filter(({ ph }) => ph === 'C').map(({ args }) => args['ms'] ?? 0);
  return { totals, lagMs };
}

describe('the report', () => {
  it('is that of raccoon, letter by letter', () => {
    const { totals, lagMs } = mission();
    const text = stepReport({
      totals,
      halStats: new Map([
        ['Servo.set_position', { calls: 3, total: 0.0604, max: 0.06 }],
        ['VelocityController.set_target_velocity', { calls: 60, total: 0.012, max: 0.0011 }],
        ['IOdometry.get_pose', { calls: 20, total: 0.008, max: 0.0009 }],
      ]),
      top: 25,
      lagMs,
      lagDropped: 0,
      maxLagMs: Math.max(...lagMs),
      lagIntervalMs: 5,
      lagSpikeMs: 5,
      spikes: [
        new LagSpike(0.531, 12.4, '(between steps)'),
        new LagSpike(1.361, 70.2, 'follow_line(sensor=left, until=black_line, speed=0.6)'),
        new LagSpike(2.351, 5, 'wait_for_button()'),
        new LagSpike(2.41, 8, '(between steps)'),
      ],
      spikeCount: 4,
      gc: { pauses: 0, totalMs: 0, maxMs: 0 },
      delay: undefined,
      trace: { is: 'written', path: 'raccoon-profile.M010Drive.json', bytes: 48_024 },
      samplesFolded: 0,
      clockSetBack: 0,
    });
    const [before, after] = text.split('  It is whole: 48024 bytes.\n');
    expect(`${before}${after}\n`).toBe(fixture('raccoon-report.txt'));
  });

  it('of nothing is that of raccoon too', () => {
    const prof = new StepProfiler({ host: new ManualHost() });
    expect(prof.formatReport().split('\n')).toEqual([
      '',
      '='.repeat(78),
      '  STEP PROFILER REPORT',
      '='.repeat(78),
      '  wall clock (all steps)      :    0.000 s',
      '  leaf steps executed         : 0',
      '',
      '  WHERE THE TIME GOES (leaf steps; overhead = run_step minus step body)',
      `  ${'-'.repeat(74)}`,
      '  step body  (execute)        :    0.000 s     n/a',
      '  overhead   (between steps)  :    0.000 s     n/a',
      '      db write (record_exec)  :    0.000 s     n/a   <- SQLite insert+commit per step',
      '      db read  (upper_bound)  :    0.000 s     n/a',
      '      resource acquire        :    0.000 s     n/a',
      '      other (log/sig/asyncio) :    0.000 s     n/a',
      '',
      '  TOP STEPS BY TOTAL OVERHEAD (the standstill budget)',
      `  ${'-'.repeat(74)}`,
      '  signature                            n  ovh_tot  exec_ms  ovh_ms  dbw_ms',
      '',
      '  EVENT-LOOP LAG (does something block the asyncio loop?)',
      `  ${'-'.repeat(74)}`,
      '  (loop-lag monitor did not run — were any steps executed under async?)',
      '',
      '='.repeat(78),
    ]);
  });

  it('is read by profiler tables without a finding, whatever becomes of the trace', async () => {
    for (const deferTrace of [true, false]) {
      const host = new ManualHost();
      const prof = new StepProfiler({
        host,
        deferTrace,
        tracePath: `${process.env['TMPDIR']}/told.json`,
        mission: 'M1',
      }).start();
      await prof.step(
        'seq(2)',
        async () => {
          for (const ms of [500, 250])
            await prof.step(`turn(${ms})`, async () => {
              prof.phase('acquire', () => host.pass(5));
              await prof.phase('execute', async () => {
                host.wake(5);
                await prof.phase('sleep', async () => host.pass(ms));
                prof.phase('hal:Servo.setPosition', () => host.pass(30));
                prof.phase('motion', () => host.pass(15));
                host.wake(5);
              });
              await prof.phase('dbWrite', async () => host.pass(20));
            });
        },
        { composite: true },
      );
      await prof.close();
      const tables = readTables(host.printed.join(''));
      expect(tables.map(({ title, findings }) => [title, findings])).toEqual([
        ['raccoon: where the time goes (M1)', []],
        ['raccoon: motion on_update() (M1)', []],
        ['raccoon: HAL and transport calls (M1)', []],
        ['raccoon: steps by overhead (M1)', []],
        ['raccoon: event-loop lag (M1)', []],
      ]);
      expect(tables[0]?.rows.map(({ name, totalUs }) => [name, totalUs])).toEqual([
        ['step body', 860_000],
        ['deliberate sleep', 750_000],
        ['HAL/transport calls', 60_000],
        ['python compute', 50_000],
        ['overhead', 50_000],
        ['db write', 40_000],
        ['resource acquire', 10_000],
      ]);
      await host.traces.flush();
    }
  });

  it('of a trace that the disk did not take is read with a warning', async () => {
    const host = new ManualHost();
    const prof = new StepProfiler({ host, deferTrace: false, tracePath: '/dev/full' });
    prof.step('a', () => host.pass(125));
    await prof.close();
    const findings = readTables(host.printed.join('')).flatMap((table) => table.findings);
    expect(findings.map(({ id, what }) => [id, what])).toEqual([
      ['trace-not-whole', 'The trace /dev/full lacks 1 events: ENOSPC: no space left on device, write.'],
      ['lag-not-measured', 'The lag of the event loop was not measured.'],
    ]);
  });

  it('keeps its lines whatever a name holds', () => {
    const host = new ManualHost();
    const prof = new StepProfiler({ host });
    prof.step('a\nb\u001b[31m', () => host.pass(125));
    expect(prof.formatReport()).toContain(
      '\n  a b [31m                             1   0.000s    125.0     0.0     0.0\n',
    );
  });

  it('has at most `top` rows', async () => {
    const host = new ManualHost();
    const prof = new StepProfiler({ host, top: 2 });
    for (const name of ['a', 'b', 'c'])
      prof.step(name, () => {
        prof.phase('execute', () => undefined);
        prof.phase(`hal:${name}`, () => host.pass(name.charCodeAt(0)));
      });
    const rows = prof
      .formatReport()
      .split('\n')
      .filter((line) => /^ {2}[abc] {30}/.test(line));
    expect(rows).toEqual([
      '  c                                      1    0.099s    99.000   99.000',
      '  b                                      1    0.098s    98.000   98.000',
      '  c                                    1   0.099s      0.0    99.0     0.0',
      '  b                                    1   0.098s      0.0    98.0     0.0',
    ]);
  });

  it('counts steps that have not ended, as raccoon does', () => {
    const host = new ManualHost();
    const prof = new StepProfiler({ host });
    void prof.step('forever', () => held<void>().promise);
    expect(prof.formatReport()).toContain(
      '  forever                              1   0.000s      0.0     0.0     0.0',
    );
  });
});

describe('numbers', () => {
  it('are printed as Python prints them: halves go to the even digit', () => {
    expect([0.125, 0.375, 2.675, 1.005, -0.125].map((value) => fixed(value, 2))).toEqual([
      '0.12',
      '0.38',
      '2.67',
      '1.00',
      '-0.12',
    ]);
    expect([0.5, 1.5, 2.5, 12.5].map((value) => fixed(value, 0))).toEqual(['0', '2', '2', '12']);
  });

  it('names of more than 33 letters are cut to 30 and three dots', () => {
    expect([short('x'.repeat(33)), short('ü'.repeat(34))]).toEqual(['x'.repeat(33), `${'ü'.repeat(30)}...`]);
  });
});
