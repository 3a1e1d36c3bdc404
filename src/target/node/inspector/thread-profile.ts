import type { InspectorSession } from './connect.js';
import { type Fields, fieldsOf, textOf } from './json.js';

type Session = Pick<InspectorSession, 'call'>;

/** Writing the profile of a large program to the socket takes seconds. */
const STOP_PATIENCE_MS = 8000;

/** Starts V8's CPU profiler on the thread of a session. */
export async function startProfile(session: Session, intervalUs: number): Promise<void> {
  await session.call('Profiler.enable');
  await session.call('Profiler.setSamplingInterval', { interval: intervalUs });
  await session.call('Profiler.start');
}

/** Stops it. The profile as V8 gives it. */
export async function stopProfile(session: Session): Promise<Fields> {
  const { profile } = await session.call('Profiler.stop', {}, STOP_PATIENCE_MS);
  const fields = fieldsOf(profile);
  if (fields === undefined || !Array.isArray(fields['nodes'])) throw new Error('V8 gave no profile');
  return fields;
}

/**
 * Number of the thread that a session's JavaScript runs on, in the target's own pid namespace: what it sees when it looks at itself in
 * /proc. Undefined where it cannot look.
 */
export async function threadNumber(session: Session): Promise<number | undefined> {
  try {
    const seen = await session.call('Runtime.evaluate', {
      expression: "(0, require)('fs').readlinkSync('/proc/thread-self')",
      includeCommandLineAPI: true,
      returnByValue: true,
      silent: true,
    });
    const link = textOf(fieldsOf(seen['result'])?.['value']) ?? '';
    const tid = /^\d+\/task\/(\d{1,10})$/.exec(link)?.[1];
    return tid === undefined ? undefined : Number(tid);
  } catch {
    return undefined;
  }
}
