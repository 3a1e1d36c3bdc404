import type { InspectorSession } from './connect.js';
import { type Fields, fieldsOf } from './json.js';

/** What the event loop of a thread was like over a window. */
export interface LoopFigures {
  /** Lateness of a timer, in milliseconds. */
  readonly delayMs: { readonly p50: number; readonly p99: number; readonly max: number };
  /** Share of the time in which the loop had something to run; absent before Node 14.10. */
  readonly utilization?: number;
  readonly gc: { readonly count: number; readonly ms: number; readonly longestMs: number };
}

export interface LoopWatch {
  /** Ends it; undefined where nothing came of it. */
  readonly stop: () => Promise<LoopFigures | undefined>;
}

/** Every so many milliseconds the histogram's timer wakes the loop. */
const RESOLUTION_MS = 20;

/**
 * Runs in the target. It holds no name there, and ends by itself where we are gone before we could end it.
 */
function expression(limitMs: number): string {
  return `(() => {
    const { monitorEventLoopDelay, PerformanceObserver, performance } = (0, require)('perf_hooks');
    const delay = monitorEventLoopDelay({ resolution: ${RESOLUTION_MS} });
    const gc = { count: 0, ms: 0, longestMs: 0 };
    const add = (entries) => {
      for (const { duration } of entries) {
        gc.count += 1;
        gc.ms += duration;
        gc.longestMs = Math.max(gc.longestMs, duration);
      }
    };
    const observer = new PerformanceObserver((list) => add(list.getEntries()));
    const end = () => {
      delay.disable();
      observer.disconnect();
    };
    const timer = setTimeout(end, ${limitMs});
    timer.unref();
    observer.observe({ entryTypes: ['gc'] });
    delay.enable();
    const before = performance.eventLoopUtilization?.();
    return {
      stop: () => {
        clearTimeout(timer);
        add(observer.takeRecords?.() ?? []);
        end();
        const late = (ns) => Math.max(0, ns / 1e6 - ${RESOLUTION_MS});
        const utilization = before && performance.eventLoopUtilization(before).utilization;
        return { p50: late(delay.percentile(50)), p99: late(delay.percentile(99)), max: late(delay.max), utilization, gc };
      },
    };
  })()`;
}

/** Has the target watch its own event loop and garbage collector. Undefined where its Node cannot, or does not let us. */
export async function watchLoop(
  session: Pick<InspectorSession, 'call'>,
  limitMs: number,
): Promise<LoopWatch | undefined> {
  try {
    const made = await session.call('Runtime.evaluate', {
      expression: expression(limitMs),
      includeCommandLineAPI: true,
      silent: true,
    });
    const objectId = fieldsOf(made['result'])?.['objectId'];
    if (made['exceptionDetails'] !== undefined || typeof objectId !== 'string') return undefined;
    return { stop: () => stopWatch(session, objectId) };
  } catch {
    return undefined;
  }
}

async function stopWatch(
  session: Pick<InspectorSession, 'call'>,
  objectId: string,
): Promise<LoopFigures | undefined> {
  try {
    const done = await session.call('Runtime.callFunctionOn', {
      objectId,
      functionDeclaration: 'function () { return this.stop(); }',
      returnByValue: true,
      silent: true,
    });
    await session.call('Runtime.releaseObject', { objectId });
    return loopFigures(fieldsOf(fieldsOf(done['result'])?.['value']));
  } catch {
    return undefined;
  }
}

/** Checks what the target says of itself. */
export function loopFigures(value: Fields | undefined): LoopFigures | undefined {
  const gc = fieldsOf(value?.['gc']);
  if (value === undefined || gc === undefined) return undefined;
  const [p50, p99, max] = [number(value, 'p50'), number(value, 'p99'), number(value, 'max')];
  const [count, ms, longestMs] = [number(gc, 'count'), number(gc, 'ms'), number(gc, 'longestMs')];
  if (p50 === undefined || p99 === undefined || max === undefined) return undefined;
  if (count === undefined || ms === undefined || longestMs === undefined) return undefined;
  const utilization = number(value, 'utilization');
  return {
    delayMs: { p50, p99, max },
    ...(utilization === undefined ? {} : { utilization }),
    gc: { count, ms, longestMs },
  };
}

function number(from: Fields, field: string): number | undefined {
  const found = from[field];
  return typeof found === 'number' && Number.isFinite(found) && found >= 0 ? found : undefined;
}
