import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ProfilerError, errorCode } from '../../model/index.js';
import type { Outputs } from '../docker/demultiplex.js';
import { messageOf, statusOf } from '../docker/engine-error.js';
import type { RoutedProcess } from './route.js';
import { settable } from './running.js';
import { KILLED_MS, within } from './within.js';

export type Stop = 'SIGINT' | 'SIGKILL';

/** A program that an engine has started. */
export interface EngineRun extends Outputs {
  /** On this machine; undefined where it is not shown here. */
  readonly pid: Promise<number | undefined>;
  readonly exit: Promise<number | string>;
  /** May reject where the program has just ended. */
  readonly signal: (stop: Stop) => Promise<void>;
}

export interface EngineProcess extends RoutedProcess {
  /** Resolves when what was made for the run is taken back too. Never rejects. */
  readonly over: Promise<void>;
}

/**
 * A program that an engine runs, as a process: `begin` starts it, `end` takes back what that made, whatever came of it. Signals that
 * come too early are kept. What the engine refuses is told on standard error, and `exit` has the error's id.
 */
export function engineProcess(begin: () => Promise<EngineRun>, end: () => Promise<void>): EngineProcess {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const pid = settable<number | undefined>();
  const exit = settable<number | string>();
  const state: { run?: EngineRun; early?: Stop; ended: boolean } = { ended: false };

  const send = (stop: Stop): void => {
    if (state.ended) return;
    if (state.run === undefined) state.early = state.early === 'SIGKILL' ? 'SIGKILL' : stop;
    else state.run.signal(stop).catch(() => {});
  };
  const run = async (): Promise<number | string> => {
    const started = await begin();
    state.run = started;
    started.stdout.pipe(stdout);
    started.stderr.pipe(stderr);
    if (state.early !== undefined) send(state.early);
    pid.set(await started.pid);
    const code = await started.exit;
    state.ended = true;
    await Promise.all([finished(stdout), finished(stderr)]).catch(() => {});
    return code;
  };
  const refused = (error: unknown): string => {
    stderr.end(`${error instanceof ProfilerError ? error.message : messageOf(error)}\n`);
    stdout.end();
    const status = statusOf(error);
    if (error instanceof ProfilerError) return error.finding.id;
    return status === undefined ? (errorCode(error) ?? 'unknown') : `HTTP ${status}`;
  };
  const drive = async (): Promise<void> => {
    const result = await run().catch(refused);
    state.ended = true;
    pid.set(undefined);
    await Promise.all([finished(stdout), finished(stderr)]).catch(() => {});
    exit.set(result);
    await end().catch(() => {});
  };
  return {
    stdout,
    stderr,
    pid: pid.promise,
    exit: exit.promise,
    interrupt: () => send('SIGINT'),
    kill: () => send('SIGKILL'),
    over: drive(),
  };
}

/**
 * Kills programs that still run, and waits until they are over; answers how many are not. What nobody reads any more must not hold them up.
 */
export async function endAll(processes: Iterable<EngineProcess>): Promise<number> {
  const ended = await Promise.all(
    [...processes].map(async (process) => {
      process.kill();
      process.stdout.resume();
      process.stderr.resume();
      return within(
        KILLED_MS,
        process.over.then(() => true),
      );
    }),
  );
  return ended.filter((over) => over === undefined).length;
}
