import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { RoutedProcess } from './route.js';

/** A program that could not be started: its `exit` is the error's code, else `unknown`, and its standard error has the reason. */
export function notStarted(reason: unknown): RoutedProcess {
  const code = reason instanceof Error && 'code' in reason ? String(reason.code) : 'unknown';
  const text = reason instanceof Error ? reason.message : String(reason);
  const stderr = Readable.from([`${text}\n`]);
  return {
    stdout: Readable.from([]),
    stderr,
    pid: Promise.resolve(undefined),
    exit: once(stderr, 'close').then(() => code),
    interrupt: () => {},
    kill: () => {},
  };
}
