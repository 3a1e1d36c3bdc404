import type { Finding } from '../../model/index.js';
import { innerUser } from '../proc/id-map.js';
import { PROC, readProcText } from '../proc/file.js';
import { isHere } from './namespaces.js';
import { explainDump, type DumpResult } from './probe-dump.js';
import type { RouteContext, RouteId } from './route.js';
import { shownPid } from '../target.js';

/** What engines answer, first match wins. */
const ANSWERS: readonly {
  readonly id: string;
  readonly text: RegExp;
  readonly why: string;
  readonly fix?: string;
}[] = [
  {
    id: 'container-paused',
    text: /is paused/i,
    why: 'A paused container runs nothing.',
    fix: 'docker unpause CONTAINER',
  },
  {
    id: 'no-such-container',
    text: /no such container/i,
    why: 'It was removed, or replaced by a new one.',
    fix: 'docker ps  (shows what runs)',
  },
  {
    id: 'container-exited',
    text: /is not running|non running container|does not run|cannot join pid/i,
    why: 'The container stopped.',
    fix: 'docker ps  (shows what runs)',
  },
  {
    id: 'container-disk-full',
    text: /no space left|disk quota/i,
    why: "The engine's disk is full.",
    fix: 'docker system df  (shows what takes the room)',
  },
  {
    id: 'engine-architecture',
    text: /exec format error/i,
    why: 'The engine runs on another kind of machine than this py-spy was made for.',
    fix: 'profiler attach … --pyspy FILE  (a static py-spy for that machine)',
  },
  {
    id: 'engine-lacks-capability',
    text: /unable to apply caps|invalid CapAdd|operation not permitted.*caps/i,
    why: 'The engine may not give that capability itself: it runs with less than all, or a policy forbids it.',
    fix: 'sudo profiler attach … --via nsenter',
  },
  {
    id: 'engine-refused',
    text: /denied|forbidden|not allowed|authorization/i,
    why: 'A policy of the engine forbids it.',
    fix: 'Ask its administrator, or attach on the host as root.',
  },
];

/** What an answer of an engine means; undefined for one that is not known. */
export function engineAnswer(route: RouteId, said: string): Finding | undefined {
  const answer = ANSWERS.find(({ text }) => text.test(said));
  if (answer === undefined) return undefined;
  const { id, why, fix } = answer;
  const what = `The engine refused (${route}): ${said.trim().split('\n')[0] ?? ''}`;
  return { level: 'blocker', id, what, why, ...(fix === undefined ? {} : { fix }) };
}

/** Why a route that an engine serves failed: the engine's own words first, then what the kernel would say, then py-spy's. */
export function explainEngine(
  id: RouteId,
  context: RouteContext,
  dump: DumpResult & { readonly works: false },
): Finding {
  const { said, exit } = dump;
  const byEngine = typeof exit === 'string' || exit === 126 || exit === 127;
  if (byEngine) {
    return (
      engineAnswer(id, said) ?? {
        level: 'blocker',
        id: `${id}-refused`,
        what: `The engine refused (${id}): ${said.trim().split('\n')[0] ?? exit}`,
        why: 'It gave no other reason.',
      }
    );
  }
  if (/permission denied|EPERM|not permitted|failed to get stack traces/i.test(said))
    return explainDenial(id, context);
  return explainDump(dump, `(${id})`);
}

/** py-spy may not read the target. Facts of this machine, where the container runs on it. */
function explainDenial(id: RouteId, context: RouteContext): Finding {
  const { target, container } = context;
  const yama = isHere(context) ? Number(readProcText(PROC, 'sys/kernel/yama/ptrace_scope') ?? '0') : 0;
  const what = `py-spy may not read process ${shownPid(target)} of container ${container?.name ?? '?'} (${id}).`;
  if (yama === 3) {
    return blocker(
      'trace-yama',
      what,
      'kernel.yama.ptrace_scope is 3, which forbids tracing to everyone until the next boot.',
    );
  }
  if (id === 'sidecar') {
    return blocker(
      'trace-security-module',
      what,
      'It holds CAP_SYS_PTRACE there, so a security module (AppArmor, SELinux) or another user namespace forbids it.',
      'sudo profiler attach … --via nsenter',
    );
  }
  if (yama > 0) {
    return blocker(
      'trace-yama',
      what,
      `kernel.yama.ptrace_scope is ${yama}: only what started a process may read it, or one with CAP_SYS_PTRACE, which containers lack by default.`,
      'sudo sysctl kernel.yama.ptrace_scope=0',
    );
  }
  return blocker(
    'trace-target-capabilities',
    what,
    `As user ${innerUser(target).uid} it is refused where the process holds more capabilities than py-spy gets there, or is marked as not dumpable.`,
    'profiler attach … --via sidecar',
  );
}

function blocker(id: string, what: string, why: string, fix?: string): Finding {
  return { level: 'blocker', id, what, why, ...(fix === undefined ? {} : { fix }) };
}
