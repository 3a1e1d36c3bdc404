import { describe, expect, it } from 'vitest';
import { readTables } from '../../src/simulator/index.js';
import { createTelemetry } from '../../src/telemetry/index.js';

/** A telemetry whose clock goes on only when it is told to. */
function printed(): string {
  let now = 0;
  const pass = (ms: number): void => {
    now += ms;
  };
  const t = createTelemetry({ name: 'bridge of a game', clock: () => now });
  for (let frame = 0; frame < 12_000; frame += 1)
    t.measure('Frame_Total', () => {
      pass(frame % 50 === 0 ? 90 : 1);
      t.measure('World  Update', () => pass(2));
    });
  t.measure('Once', () => pass(0.0004));
  return t.report();
}

describe('the report of a telemetry', () => {
  it('is read as it is printed, with true counts past any ring', () => {
    const [table, ...others] = readTables(
      `ready\nweb-1  | ${printed().split('\n').join('\nweb-1  | ')}\nbye\n`,
    );
    expect(others).toEqual([]);
    expect(table).toMatchObject({
      kind: 'telemetry-report',
      title: 'sim-profiler/telemetry: bridge of a game',
      lines: { from: 2, to: 6 },
    });
    expect(table?.rows).toMatchObject([
      {
        name: 'Frame_Total',
        calls: 12_000,
        totalUs: 57_400_000,
        selfUs: 33_400_000,
        meanUs: 4780,
        p99Us: 92_000,
        maxUs: 92_000,
      },
      {
        name: 'World  Update',
        calls: 12_000,
        totalUs: 24_000_000,
        selfUs: 24_000_000,
        meanUs: 2000,
        maxUs: 2000,
      },
      { name: 'Once', calls: 1, totalUs: 0.4, meanUs: 0.4 },
    ]);
    expect(table?.findings.map(({ level, id }) => `${level} ${id}`)).toEqual([
      'warning stutter',
      'note categories-nest',
    ]);
  });

  it('says of which rows own time is not known, and has none for them', async () => {
    let now = 0;
    const t = createTelemetry({ name: 'asynchronous', clock: () => now });
    const call = t.measure('Later', () => Promise.resolve());
    now += 5;
    await call;
    const [table] = readTables(t.report());
    expect(table?.rows).toEqual([
      {
        name: 'Later',
        path: [],
        role: 'part',
        calls: 1,
        totalUs: 5000,
        meanUs: 5000,
        p50Us: 5000,
        p99Us: 5000,
        maxUs: 5000,
      },
    ]);
  });

  it('is none without its heads', () => {
    expect(readTables('Telemetry x: 1 thread, 0.2 MB\nNothing was measured.\n')).toEqual([]);
  });
});
