import { closeSync, openSync } from 'node:fs';
import type { Finding } from '../../model/index.js';
import { startLocal } from './local-process.js';
import { innerPid, isHere, isRoot } from './namespaces.js';
import { explainDump, probeDump, type DumpResult } from './probe-dump.js';
import type { Route, RouteContext, RoutedProcess, RouteKind } from './route.js';
import { notHere, notRoot } from './route-findings.js';
import { notStarted } from './not-started.js';
import { undoProcesses } from './undo-processes.js';

/** Open files that the program gets: its own binary, and where its samples go. These paths hold wherever there is a /proc. */
const BINARY = '/proc/self/fd/3';
const OUTPUT = '/proc/self/fd/4';

/** For a person: the shell opens what we hand over as open files. */
const OPEN_BINARY = 'exec 3<"$0" && exec "$@"';
const OPEN_BOTH = 'exec 3<"$0" 4>"$1" && shift && exec "$@"';

/**
 * py-spy inside the target's pid and mount namespaces, its binary and its output handed over as open files: right thread ids, the
 * target's own libraries for native frames, our control group (no quota, real-time priority), and no file is left. Needs no engine.
 */
export const nsenter: RouteKind = {
  id: 'nsenter',
  output: 'file',
  targetPid: innerPid,
  obstacle: (context): Finding | undefined => {
    if (!isHere(context)) return notHere('nsenter', context);
    return isRoot() ? undefined : notRoot('nsenter');
  },
  commands: (context, args) => {
    const { file, inside } = toOpenFile(args);
    const opened = file === undefined ? [OPEN_BINARY] : [OPEN_BOTH];
    const files = [context.pyspy.path, ...(file === undefined ? [] : [file])];
    return [['sh', '-c', ...opened, ...files, ...enter(context), ...inside]];
  },
  probe: async (context) => {
    const route = nsenterRoute(context);
    const dump = await probeDump(route, context);
    if (dump.works) return { works: true, route };
    return { works: false, id: 'nsenter', finding: explain(context, dump) };
  },
};

function enter({ priority, target }: RouteContext): readonly string[] {
  return [...priority, 'nsenter', '-t', String(target.pid), '-p', '-m', BINARY];
}

/** py-spy's arguments with its output file replaced by an open one. */
function toOpenFile(args: readonly string[]): {
  readonly file?: string;
  readonly inside: readonly string[];
} {
  const at = args.indexOf('-o') + 1;
  const file = at === 0 ? undefined : args[at];
  return file === undefined ? { inside: args } : { file, inside: args.with(at, OUTPUT) };
}

function nsenterRoute(context: RouteContext): Route {
  const running = undoProcesses();
  return {
    id: 'nsenter',
    targetPid: innerPid(context),
    output: 'file',
    findings: [],
    commands: (args) => nsenter.commands(context, args),
    start: (args) => running.add(start(context, args)),
    undo: running.undo,
  };
}

function start(context: RouteContext, args: readonly string[]): RoutedProcess {
  const { file, inside } = toOpenFile(args);
  const files: number[] = [];
  try {
    files.push(openSync(context.pyspy.path, 'r'));
    if (file !== undefined) files.push(openSync(file, 'w'));
    // Our environment is nobody's business inside a container.
    const env = { PATH: process.env['PATH'] ?? '/usr/sbin:/usr/bin:/sbin:/bin' };
    return startLocal({ argv: [...enter(context), ...inside], files, forks: true, env }, context.journal);
  } catch (error) {
    return notStarted(error);
  } finally {
    for (const fd of files) closeSync(fd);
  }
}

function explain({ target }: RouteContext, dump: DumpResult & { readonly works: false }): Finding {
  const { said, exit } = dump;
  const line = said.split('\n').find((text) => /^(?:nsenter|chrt): /.test(text)) ?? '';
  if (exit === 'ENOENT') {
    return {
      level: 'blocker',
      id: 'nsenter-missing',
      what: 'The program nsenter was not found.',
      why: 'It comes with util-linux.',
      fix: 'sudo apt-get install util-linux',
    };
  }
  if (line.includes(BINARY)) {
    return {
      level: 'blocker',
      id: 'nsenter-no-proc',
      what: `py-spy could not be started beside process ${target.pid}: ${line}`,
      why: 'Its mount namespace has no /proc, or forbids to run what is named there.',
    };
  }
  if (line !== '') {
    return {
      level: 'blocker',
      id: 'nsenter-refused',
      what: `The namespaces of process ${target.pid} could not be joined: ${line}`,
      why: 'We may be root of a user namespace only, as in a rootless container, or lack CAP_SYS_ADMIN.',
      fix: 'sudo profiler attach …  (on the host, outside containers)',
    };
  }
  return explainDump(dump, 'in its namespaces');
}
