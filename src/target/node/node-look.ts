import { baseName } from '../proc/command.js';
import { PROC } from '../proc/file.js';
import type { Target } from '../target.js';
import { reachable, readTcp, socketInodes } from './listening.js';
import { type InspectorOptions, readInspectorOptions } from './node-options.js';
import { readNodeVersion } from './node-version.js';
import { handlesItself } from './own-handler.js';
import { readSignalFate, type SignalFate } from './signals.js';
import type { InspectorAddress } from './inspector/connect.js';

/** What can be known of a Node from outside, without touching it. */
export interface NodeFacts {
  readonly program: string;
  /** `20.20.2`; undefined for what is no Node, or hides its program from us. */
  readonly version: string | undefined;
  readonly options: InspectorOptions;
  /** Undefined where the kernel does not tell. */
  readonly fate: SignalFate | undefined;
  /** The program handles SIGUSR1 itself; undefined where that cannot be seen. */
  readonly ownHandler: boolean | undefined;
  /** Sockets of the process that listen; undefined where we may not look. */
  readonly listening: readonly InspectorAddress[] | undefined;
  /** Another process of its network listens where its inspector would. */
  readonly portTaken: boolean;
}

export function lookAtNode(target: Target, proc: string = PROC): NodeFacts {
  const { pid, command, exe } = target;
  const options = readInspectorOptions(pid, command, proc);
  const program = baseName(exe ?? command[0] ?? '');
  const sockets = readTcp(pid, proc).filter(({ state }) => state === 'listening');
  const own = socketInodes(pid, proc);
  const others = sockets.filter(({ inode }) => own !== undefined && !own.has(inode));
  const taken = others.some(
    ({ host, port }) => port === options.port && ['127.0.0.1', '0.0.0.0', '::'].includes(host),
  );
  return {
    program,
    version: readNodeVersion(pid, proc),
    options,
    fate: readSignalFate(pid, proc),
    ownHandler: handlesItself(pid, proc),
    listening: own === undefined ? undefined : sockets.filter(({ inode }) => own.has(inode)).map(reachable),
    portTaken: taken,
  };
}

/**
 * Sockets that may be an open inspector, the likeliest first. Others of the program are not called: it might take that for a client of its
 * own. Where any free port was asked for, all are.
 */
export function inspectorCandidates({
  options,
  listening = [],
}: Pick<NodeFacts, 'options' | 'listening'>): readonly InspectorAddress[] {
  const local = listening.filter(({ host }) => ['127.0.0.1', '::1'].includes(host) || options.opened);
  return options.opened && options.port === 0 ? local : local.filter(({ port }) => port === options.port);
}

/** How many clients are connected to a port of the process. */
export function clientsOf(pid: number, port: number, proc: string = PROC): number {
  const own = socketInodes(pid, proc);
  return readTcp(pid, proc).filter(
    (socket) => socket.state === 'connected' && socket.port === port && own?.has(socket.inode) === true,
  ).length;
}
