import { setTimeout as delay } from 'node:timers/promises';
import { errorCode, type Finding } from '../../model/index.js';
import type { Journal, Trace } from '../journal/journal.js';
import { sameProcess } from '../process.js';
import { shownPid, type Target } from '../target.js';
import { reachable, readTcp, socketInodes } from './listening.js';
import { clientsOf } from './node-look.js';
import { askInspector } from './inspector-program.js';
import { PERF_INSTEAD } from './node-obstacle.js';
import { readSignalFate } from './signals.js';
import type { InspectorAddress } from './inspector/connect.js';

/** A loop that computes for seconds opens its inspector at the next call of a function; one in native code when that returns. */
const PATIENCE_MS = 5000;
const LOOK_MS = 20;
/** The socket goes a moment after the connection. */
const CLOSED_MS = 1000;

export type Opened =
  | { readonly works: true; readonly address: InspectorAddress }
  | { readonly works: false; readonly finding: Finding };

export function inspectorTrace({ pid, startTicks }: Target, port: number): Trace {
  return { kind: 'inspector', pid, startTicks, port };
}

function listeningOf(pid: number): readonly (InspectorAddress & { readonly inode: number })[] {
  const own = socketInodes(pid);
  return readTcp(pid).filter(({ state, inode }) => state === 'listening' && own?.has(inode) === true);
}

/**
 * Sends SIGUSR1 to a Node that catches it, and waits for the socket of its inspector. It is written down first, and stays so where
 * no socket came: the inspector may still open, once the program runs JavaScript again.
 */
export async function openInspector(target: Target, journal: Journal): Promise<Opened> {
  const { pid } = target;
  const before = new Set(listeningOf(pid).map(({ inode }) => inode));
  const trace = inspectorTrace(target, 0);
  // Looked at again in the last moment: a process that does not catch it dies of it.
  if (!sameProcess(target) || readSignalFate(pid) !== 'caught') return gone(target);
  journal.add(trace);
  try {
    process.kill(pid, 'SIGUSR1');
  } catch (error) {
    journal.remove(trace);
    return errorCode(error) === 'EPERM' ? notAllowed(target) : gone(target);
  }
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    await delay(LOOK_MS);
    if (!sameProcess(target)) {
      journal.remove(trace);
      return gone(target);
    }
    const opened = listeningOf(pid).find(({ inode }) => !before.has(inode));
    if (opened === undefined) continue;
    journal.add(inspectorTrace(target, opened.port));
    journal.remove(trace);
    return { works: true, address: reachable(opened) };
  }
  return { works: false, finding: silent(target) };
}

function silent(target: Target): Finding {
  return {
    level: 'blocker',
    id: 'node-silent',
    what: `Process ${shownPid(target)} did not open its inspector within ${PATIENCE_MS / 1000} s.`,
    why: 'Its main thread is in native code that does not return (execSync, an addon), or the program handles SIGUSR1 itself. Should the inspector open later, profiler cleanup closes it.',
    fix: `${PERF_INSTEAD}  (sees native code)`,
  };
}

function gone(target: Target): Opened {
  const finding: Finding = {
    level: 'blocker',
    id: 'target-ended',
    what: `Process ${shownPid(target)} ended before its inspector was open.`,
    why: 'It was about to finish, or crashed.',
    fix: 'Start it again, then attach.',
  };
  return { works: false, finding };
}

function notAllowed(target: Target): Opened {
  const finding: Finding = {
    level: 'blocker',
    id: 'node-other-user',
    what: `Process ${shownPid(target)} may not be sent SIGUSR1, which opens its inspector.`,
    why: `It runs as user ${target.uid}.`,
    fix: 'sudo profiler attach … --backend node',
  };
  return { works: false, finding };
}

/** Whether a process has a socket that listens there. */
export function listensAt(pid: number, { port }: InspectorAddress): boolean {
  return listeningOf(pid).some((one) => one.port === port);
}

/** Has an inspector closed that we opened. What is left of it, where it does not close. */
export async function closeOpened(
  target: Pick<Target, 'pid'> & { readonly program?: string },
  address: InspectorAddress,
): Promise<Finding | undefined> {
  if (!listensAt(target.pid, address)) return undefined;
  const fix = 'profiler cleanup';
  const what = `The inspector of process ${target.pid} is still open at ${address.host}:${address.port}.`;
  if (clientsOf(target.pid, address.port) > 0)
    return {
      level: 'warning',
      id: 'inspector-left-open',
      what,
      why: 'Somebody else is connected to it, and would be cut off.',
      fix: `${fix}  (once they have hung up)`,
    };
  const { said } = await askInspector(target, 'close', address);
  const until = performance.now() + CLOSED_MS;
  while (performance.now() < until) {
    if (!listensAt(target.pid, address)) return undefined;
    await delay(LOOK_MS);
  }
  return {
    level: 'warning',
    id: 'inspector-left-open',
    what,
    why: said === '' ? 'It gave no reason.' : said,
    fix,
  };
}
