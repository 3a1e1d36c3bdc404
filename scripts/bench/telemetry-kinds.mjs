// One way to time a call, in a process of its own: prints the nanoseconds of each.  node telemetry-kinds.mjs KIND
import { trace } from '@opentelemetry/api';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { createTelemetry } from '../../dist/telemetry/index.js';
import { addDisposable, disposeAll } from './typescript-using.mjs';
import { processClock } from '../../dist/telemetry/process-clock.js';

const t = createTelemetry();
const off = createTelemetry({ name: 'off', enabled: false });
// A clock that costs nothing: what is left is the span alone.
let now = 0;
const free = createTelemetry({ name: 'free', clock: () => (now += 1) });
/** What is done counts, so that no compiler leaves it out. */
const sums = new Float64Array(2);
const work = () => {
  sums[1]++;
};
const method = { kind: 'method', name: 'work' };
const decorated = t.profiled()(work, method);
const decoratedOff = off.profiled()(work, method);
const noop = trace.getTracer('bench');
const sdk = new BasicTracerProvider({ spanProcessors: [] }).getTracer('bench');
const CLEAR_EVERY = 1000;
const observer = new PerformanceObserver(() => {});
let isObserving = false;
function observe() {
  if (!isObserving) observer.observe({ entryTypes: ['measure'] });
  isObserving = true;
}

/** `using` of the language itself, which Node has since 24. */
function ownUsing() {
  try {
    return new Function(
      't',
      'work',
      'return (calls) => { for (let i = 0; i < calls; i++) { using span = t.span("work"); work(); } };',
    )(t, work);
  } catch {
    return undefined;
  }
}
const loopOfOwnUsing = ownUsing();

/** By name a loop of so many calls. All have the same work in them. */
export const KINDS = {
  'an empty call': (calls) => {
    for (let i = 0; i < calls; i++) work();
  },
  'two reads of the clock': (calls) => {
    for (let i = 0; i < calls; i++) {
      const start = processClock();
      work();
      sums[0] += processClock() - start;
    }
  },
  'two of performance.now()': (calls) => {
    for (let i = 0; i < calls; i++) {
      const start = performance.now();
      work();
      sums[0] += performance.now() - start;
    }
  },
  'measure()': (calls) => {
    for (let i = 0; i < calls; i++) t.measure('work', work);
  },
  'using span(), as try and finally': (calls) => {
    for (let i = 0; i < calls; i++) {
      const span = t.span('work');
      try {
        work();
      } finally {
        span[Symbol.dispose]();
      }
    }
  },
  'using span(), compiled by TypeScript': (calls) => {
    for (let i = 0; i < calls; i++) {
      const env = { stack: [], error: undefined, hasError: false };
      try {
        addDisposable(env, t.span('work'));
        work();
      } catch (error) {
        env.error = error;
        env.hasError = true;
      } finally {
        disposeAll(env);
      }
    }
  },
  ...(loopOfOwnUsing === undefined ? {} : { 'using span(), of the language': loopOfOwnUsing }),
  'span() and end()': (calls) => {
    for (let i = 0; i < calls; i++) {
      const span = t.span('work');
      work();
      span.end();
    }
  },
  '@profiled()': (calls) => {
    for (let i = 0; i < calls; i++) decorated();
  },
  'measure(), a clock for nothing': (calls) => {
    for (let i = 0; i < calls; i++) free.measure('work', work);
  },
  'disabled: measure()': (calls) => {
    for (let i = 0; i < calls; i++) off.measure('work', work);
  },
  'disabled: using span()': (calls) => {
    for (let i = 0; i < calls; i++) {
      const span = off.span('work');
      try {
        work();
      } finally {
        span[Symbol.dispose]();
      }
    }
  },
  'disabled: @profiled()': (calls) => {
    for (let i = 0; i < calls; i++) decoratedOff();
  },
  'performance.measure()': (calls) => {
    for (let i = 0; i < calls; i++) {
      const start = performance.now();
      work();
      performance.measure('work', { start });
      if (i % CLEAR_EVERY === 0) performance.clearMeasures('work');
    }
  },
  'performance.mark(), mark() and measure()': (calls) => {
    for (let i = 0; i < calls; i++) {
      performance.mark('from');
      work();
      performance.mark('to');
      performance.measure('work', 'from', 'to');
      if (i % CLEAR_EVERY === 0) {
        performance.clearMarks();
        performance.clearMeasures();
      }
    }
  },
  // Somebody has to take them: without an observer they are only kept.
  'performance.mark(), mark() and measure(), observed': (calls) => {
    observe();
    for (let i = 0; i < calls; i++) {
      performance.mark('from');
      work();
      performance.mark('to');
      performance.measure('work', 'from', 'to');
      if (i % CLEAR_EVERY === 0) {
        for (const entry of observer.takeRecords()) sums[0] += entry.duration;
        performance.clearMarks();
        performance.clearMeasures();
      }
    }
  },
  'OpenTelemetry, no SDK': (calls) => {
    for (let i = 0; i < calls; i++) {
      const span = noop.startSpan('work');
      work();
      span.end();
    }
  },
  'OpenTelemetry, SDK without an exporter': (calls) => {
    for (let i = 0; i < calls; i++) {
      const span = sdk.startSpan('work');
      work();
      span.end();
    }
  },
  'an empty async call': async (calls) => {
    for (let i = 0; i < calls; i++) await (async () => work())();
  },
  // Each asks in which asynchronous call it is.
  'measure() inside an async call': async (calls) =>
    await t.measure('mission', async () => {
      for (let i = 0; i < calls; i++) t.measure('work', work);
    }),
  'measure() of an async call': async (calls) => {
    for (let i = 0; i < calls; i++) await t.measure('work', async () => work());
  },
};

const BATCHES = 25;
const BATCH_US = 15_000;

/**
 * CPU time, so that what else the machine does counts only as far as it slows a core down; garbage collection is in it. The lower quartile of many
 * batches.
 */
export async function nanosecondsOf(kind) {
  const loop = KINDS[kind];
  let calls = 1000;
  const used = async () => {
    const from = process.cpuUsage();
    await loop(calls);
    const { user, system } = process.cpuUsage(from);
    return user + system;
  };
  // Long enough for the optimising compiler, too.
  for (let i = 0; i < 20; i++) await used();
  for (let us = await used(); us < BATCH_US; us = await used()) calls = Math.ceil(calls * 1.5);
  const each = [];
  for (let i = 0; i < BATCHES; i++) each.push(((await used()) / calls) * 1000);
  return each.sort((a, b) => a - b)[Math.floor(BATCHES / 4)];
}

const [kind] = process.argv.slice(2);
if (kind !== undefined && KINDS[kind] !== undefined) console.log(await nanosecondsOf(kind));
