import type { Finding } from '../../model/index.js';
import { shownPid, type Target } from '../target.js';
import { inspectorCandidates, type NodeFacts } from './node-look.js';

/** The oldest whose inspector speaks the protocol that is spoken here. */
const OLDEST_MAJOR = 8;
export const PERF_INSTEAD = 'profiler attach … --backend perf';

function blocker(id: string, what: string, why: string, fix?: string): Finding {
  return { level: 'blocker', id, what, why, ...(fix === undefined ? {} : { fix }) };
}

/** Why a process is nothing that this sampler can read at all. */
function notNode(pid: number, { program, version, listening }: NodeFacts): Finding | undefined {
  if (program === 'deno')
    return blocker(
      'node-is-deno',
      `Process ${pid} is Deno, not Node.`,
      'Deno opens its inspector only when it starts, and no signal opens it later.',
      `${PERF_INSTEAD}  (native frames)`,
    );
  if (program === 'bun')
    return blocker(
      'node-is-bun',
      `Process ${pid} is Bun, not Node.`,
      'Its engine is not V8, and its inspector speaks another protocol.',
      `${PERF_INSTEAD}  (native frames)`,
    );
  if (listening === undefined)
    return blocker(
      'node-other-user',
      `Process ${pid} hides its open files from us.`,
      'It runs as another user, or has rights that we have not.',
      'sudo profiler attach … --backend node',
    );
  if (version === undefined)
    return blocker(
      'not-node',
      `Process ${pid} (${program === '' ? 'without a program' : program}) is no Node.`,
      'Its program holds no inspector of Node: it is another program, or a Node older than 7.',
      'profiler attach …  (without --backend)',
    );
  if (Number(version.split('.')[0]) < OLDEST_MAJOR)
    return blocker(
      'node-too-old',
      `Process ${pid} runs Node ${version}, which is too old.`,
      `${OLDEST_MAJOR} is the oldest whose inspector can profile and be closed again.`,
      PERF_INSTEAD,
    );
  return undefined;
}

/** What keeps SIGUSR1 from opening the inspector. It is never sent where the program would die of it, or take it for an order of its own. */
function notOpened(pid: number, { fate, options, ownHandler, portTaken }: NodeFacts): Finding | undefined {
  const restart = 'start it with --inspect=127.0.0.1:0, then: profiler attach …';
  if (fate === 'kills')
    return blocker(
      'node-signal-kills',
      `Process ${pid} does not catch SIGUSR1, which would end it: it was not sent.`,
      options.signalDisabled
        ? 'It was started with --disable-sigusr1.'
        : 'It has only just started, or its program took back the handler that Node has for it.',
      restart,
    );
  if (fate === undefined)
    return blocker(
      'node-signal-unknown',
      `What process ${pid} does about SIGUSR1 is not known: it was not sent.`,
      'The kernel does not tell which signals it catches.',
      restart,
    );
  if (fate === 'ignored' || fate === 'blocked' || options.signalDisabled)
    return blocker(
      'node-signal-ignored',
      `Process ${pid} does not listen to SIGUSR1, which would open its inspector.`,
      options.signalDisabled
        ? 'It was started with --disable-sigusr1.'
        : `The signal is ${fate}: its program, or whoever started it, wants that.`,
      restart,
    );
  if (ownHandler === true)
    return blocker(
      'node-signal-handled',
      `Process ${pid} handles SIGUSR1 itself, so it cannot open the inspector: it was not sent.`,
      'A handler of its own (process.on) replaces that of Node; the program would do whatever it means there.',
      restart,
    );
  if (portTaken)
    return blocker(
      'inspector-port-taken',
      `The inspector of process ${pid} would listen at port ${options.port}, which is taken.`,
      'Another process listens there, most likely a Node with an open inspector; Node tries no other port.',
      `ss -ltnp 'sport = :${options.port}'  (who it is; or start the target with --inspect-port=0)`,
    );
  return undefined;
}

/** What stands in the way of profiling a Node, by what can be seen without touching it. `isOpen`: its inspector answers. */
export function nodeObstacle(target: Target, facts: NodeFacts, isOpen: boolean): Finding | undefined {
  const pid = shownPid(target);
  return notNode(pid, facts) ?? (isOpen ? undefined : notOpened(pid, facts));
}

/** Whether an inspector is probably open, by what can be seen alone. */
export function seemsOpen(facts: NodeFacts): boolean {
  return inspectorCandidates(facts).length > 0;
}
