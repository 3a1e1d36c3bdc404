import type { InspectorSession } from './connect.js';
import { fieldsOf, textOf } from './json.js';

/** What `sim-profiler/telemetry` in a thread said, before a slice and after it; its own JSON, unread. */
export interface TelemetryTexts {
  readonly begin: string;
  readonly end: string;
}

/** How far a thread's telemetry is; undefined where it has none. */
export type TelemetryBegin = { readonly text: string; readonly atMs: number } | undefined;

type Session = Pick<InspectorSession, 'call'>;

/** As `INSPECTED` of the telemetry's `inspected.ts`. */
const INSPECTED = 'sim-profiler.inspected.1';
/** What ended between two slices is asked for by the second. */
const BETWEEN_MS = 2000;
/** So long one that has ended waits for the next slice. */
const KEPT_MS = 10_000;
/** Of 257 categories the last 10,000 spans each are 55 MB in base64. */
const LONGEST = 128 * 1024 * 1024;
/** The thread does nothing else meanwhile: a program that has something of its own there is not waited for. */
const MOST_MS = 4000;
/** Some ten megabytes have to come over the socket. */
const PATIENCE_MS = 8000;

/** What a thread answers: nothing where it has no telemetry. */
type Answer = { readonly text: string } | 'nothing' | 'failed';

export async function beginTelemetry(session: Session, seconds: number): Promise<TelemetryBegin> {
  const answer = await ask(session, undefined, seconds * 2000 + KEPT_MS);
  return typeof answer === 'object' ? { ...answer, atMs: performance.now() } : undefined;
}

/** All that ended since: a thread that began to measure meanwhile has told nothing before. Where it cannot tell, its end is empty. */
export async function endTelemetry(
  session: Session,
  begin: TelemetryBegin,
  seconds: number,
): Promise<TelemetryTexts | undefined> {
  const sinceBeginMs = begin === undefined ? seconds * 1000 : performance.now() - begin.atMs;
  const end = await ask(session, sinceBeginMs + BETWEEN_MS, KEPT_MS);
  if (typeof end === 'object') return { begin: begin?.text ?? '', end: end.text };
  return begin === undefined && end === 'nothing' ? undefined : { begin: begin?.text ?? '', end: '' };
}

/** In the thread: whatever stands there is called, and all but a text of that length stays where it is. */
function expression(agoMs: number | undefined, keepMs: number): string {
  return `(() => {
    const text = globalThis[Symbol.for('${INSPECTED}')]?.answer(${agoMs}, ${keepMs});
    if (text === undefined) return '';
    return typeof text === 'string' && text.length <= ${LONGEST} ? text : null;
  })()`;
}

async function ask(session: Session, agoMs: number | undefined, keepMs: number): Promise<Answer> {
  try {
    const params = {
      expression: expression(agoMs, keepMs),
      returnByValue: true,
      silent: true,
      timeout: MOST_MS,
    };
    const said = await session.call(
      'Runtime.evaluate',
      params,
      ...(agoMs === undefined ? [] : [PATIENCE_MS]),
    );
    const text = textOf(fieldsOf(said['result'])?.['value']);
    if (said['exceptionDetails'] !== undefined || text === undefined) return 'failed';
    return text === '' ? 'nothing' : { text };
  } catch {
    // It is blocked, or gone, and nobody knows whether it has one.
    return 'nothing';
  }
}
