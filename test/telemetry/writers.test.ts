import {
  DataPointType,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  AggregationTemporality,
} from '@opentelemetry/sdk-metrics';
import { describe, expect, it } from 'vitest';
import { createTelemetry, prometheusText, pyriteText, reportText } from '../../src/telemetry/index.js';
import { byHand, turns } from './hand-clock.js';

/** Frames of 10 ms with an update of 8 in each; the first update loads for two seconds, and three frames of two hundred stutter. */
function game(): ReturnType<typeof byHand> {
  const by = byHand({ name: 'game' });
  for (let i = 0; i < 200; i++) {
    by.t.startFrame();
    by.t.measure('World_Update', () => by.pass(i === 0 ? 2000 : 8));
    by.pass(i % 60 === 59 ? 150 : 2);
    by.t.endFrame();
  }
  return by;
}

describe('the report', () => {
  it('has the dearest first, names what stutters and sets first calls apart', () => {
    const { t } = game();
    expect(t.report()).toBe(`Telemetry game: 1 thread, 0.4 MB
category      calls   total     own     mean      P50      P99   P99.9     max   first
World_Update    200  3.59 s  3.59 s  18.0 ms  8.06 ms  8.06 ms  2.00 s  2.00 s  2.00 s
Frame_Total     200  4.44 s  844 ms  22.2 ms  10.1 ms   159 ms  2.00 s  2.00 s  2.00 s
Stutter: Frame_Total takes 22.2 ms on average, and one call of a hundred at least 159 ms.
First call: World_Update took 2.00 s in the first call, 8.00 ms on average in the others.
First call: Frame_Total took 2.00 s in the first call, 12.2 ms on average in the others.
`);
  });

  it('of nothing says so', () => {
    const { t } = byHand({ name: 'nothing' });
    expect(t.report()).toBe('Telemetry nothing: 1 thread, 0.0 MB\nNothing was measured.\n');
  });

  it('does not let a name move the cursor, and says of which calls own time is', async () => {
    const { t, pass } = byHand({ name: 'odd' });
    const call = t.measure('a\u001B[2Jb\n', () => Promise.resolve());
    pass(0.25);
    await call;
    expect(t.report()).toBe(`Telemetry odd: 1 thread, 0.2 MB
category  calls   total  own    mean     P50     P99   P99.9     max   first
a\uFFFD[2Jb\uFFFD       1  250 µs    ?  250 µs  250 µs  250 µs  250 µs  250 µs  250 µs
a\uFFFD[2Jb\uFFFD: own time is of 0 of 1 call; of the others it is not known what was inside.
`);
  });
});

describe('for Prometheus', () => {
  it('it is seconds, in its text format', () => {
    const { t } = byHand();
    t.record('a"\\\n', 1500);
    t.record('b', 0.002);
    t.record('b', 0.004);
    expect(t.prometheus())
      .toBe(String.raw`# HELP sim_profiler_span_duration_seconds Durations of spans, over the whole run.
# TYPE sim_profiler_span_duration_seconds summary
sim_profiler_span_duration_seconds{category="a\"\\\n",quantile="0.5"} 1.5
sim_profiler_span_duration_seconds{category="a\"\\\n",quantile="0.9"} 1.5
sim_profiler_span_duration_seconds{category="a\"\\\n",quantile="0.99"} 1.5
sim_profiler_span_duration_seconds{category="a\"\\\n",quantile="0.999"} 1.5
sim_profiler_span_duration_seconds_sum{category="a\"\\\n"} 1.5
sim_profiler_span_duration_seconds_count{category="a\"\\\n"} 1
sim_profiler_span_duration_seconds{category="b",quantile="0.5"} 0.000002
sim_profiler_span_duration_seconds{category="b",quantile="0.9"} 0.000003998
sim_profiler_span_duration_seconds{category="b",quantile="0.99"} 0.000003998
sim_profiler_span_duration_seconds{category="b",quantile="0.999"} 0.000003998
sim_profiler_span_duration_seconds_sum{category="b"} 0.000006
sim_profiler_span_duration_seconds_count{category="b"} 2
# HELP sim_profiler_span_own_seconds_total Time of spans without those inside, where that is known.
# TYPE sim_profiler_span_own_seconds_total counter
sim_profiler_span_own_seconds_total{category="a\"\\\n"} 1.5
sim_profiler_span_own_seconds_total{category="b"} 0.000006
# HELP sim_profiler_span_busy_seconds_total Time in which at least one span was open, by thread.
# TYPE sim_profiler_span_busy_seconds_total counter
sim_profiler_span_busy_seconds_total{category="a\"\\\n"} 1.5
sim_profiler_span_busy_seconds_total{category="b"} 0.000006
# HELP sim_profiler_span_max_seconds The longest span of the run.
# TYPE sim_profiler_span_max_seconds gauge
sim_profiler_span_max_seconds{category="a\"\\\n"} 1.5
sim_profiler_span_max_seconds{category="b"} 0.000004
# HELP sim_profiler_span_min_seconds The shortest span of the run.
# TYPE sim_profiler_span_min_seconds gauge
sim_profiler_span_min_seconds{category="a\"\\\n"} 1.5
sim_profiler_span_min_seconds{category="b"} 0.000002
`);
  });

  it('of nothing it is nothing', () => {
    expect(byHand().t.prometheus()).toBe('');
  });
});

describe('for OpenTelemetry', () => {
  it("it goes through the program's own SDK, until it is undone", async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1e9 });
    const provider = new MeterProvider({ readers: [reader] });
    const { t } = byHand();
    t.record('step', 1500);
    const undo = t.toOpenTelemetry(provider.getMeter('test'));
    const told = async (): Promise<unknown> => {
      exporter.reset();
      await reader.forceFlush();
      return exporter
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
        .map(({ descriptor, dataPointType, dataPoints }) => [
          descriptor.name,
          descriptor.unit,
          DataPointType[dataPointType],
          dataPoints.map(({ attributes, value }) => [...Object.values(attributes), value]),
        ]);
    };
    expect(await told()).toEqual([
      ['sim_profiler.span.calls', '{call}', 'SUM', [['step', 1]]],
      ['sim_profiler.span.time', 's', 'SUM', [['step', 1.5]]],
      ['sim_profiler.span.own_time', 's', 'SUM', [['step', 1.5]]],
      ['sim_profiler.span.busy_time', 's', 'SUM', [['step', 1.5]]],
      [
        'sim_profiler.span.duration',
        's',
        'GAUGE',
        [
          ['step', '0.5', 1.5],
          ['step', '0.9', 1.5],
          ['step', '0.99', 1.5],
          ['step', '0.999', 1.5],
        ],
      ],
      ['sim_profiler.span.max', 's', 'GAUGE', [['step', 1.5]]],
    ]);
    undo();
    t.record('step', 1);
    // The SDK tells again what it knows, and asks nobody.
    expect(((await told()) as unknown[])[0]).toEqual([
      'sim_profiler.span.calls',
      '{call}',
      'SUM',
      [['step', 1]],
    ]);
    await provider.shutdown();
  });
});

describe('disabled', () => {
  it('measures nothing and changes nothing', async () => {
    const t = createTelemetry({ enabled: false, saveOnExit: '/nowhere/report.json' });
    expect(t.enabled).toBe(false);
    expect(t.measure('x', () => 5)).toBe(5);
    expect(await t.measure('x', async () => 6)).toBe(6);
    expect(t.profiled()(turns, { kind: 'method', name: 'x' })).toBe(turns);
    {
      using span = t.span('x');
      span.end();
    }
    t.startFrame();
    t.endFrame();
    t.record('x', 1);
    expect(t.snapshot()).toEqual({ name: 'default', categories: [], threads: [], notes: [], bytes: 0 });
    expect(t.report()).toBe('Telemetry default is disabled.\n');
    expect([t.prometheus(), t.pyriteReport()]).toEqual(['', '{}']);
    expect(t.saveReport('/nowhere/report.json')).toEqual({
      isSaved: false,
      line: '[TELEMETRY] It is disabled: no report was written',
    });
    t.toOpenTelemetry(undefined as never)();
  });
});

describe('as functions of a snapshot', () => {
  it('they say the same', () => {
    const { t } = game();
    expect(reportText(t.snapshot())).toBe(t.report());
    expect(prometheusText(t.snapshot())).toBe(t.prometheus());
    expect(pyriteText(t.snapshot())).toBe(t.pyriteReport());
  });
});
