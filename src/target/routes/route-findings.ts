import type { Finding } from '../../model/index.js';
import type { RouteContext, RouteId } from './route.js';

function blocker(id: string, what: string, why: string, fix?: string): Finding {
  return { level: 'blocker', id, what, why, ...(fix === undefined ? {} : { fix }) };
}

/** The target is not among this machine's processes. */
export function notHere(id: RouteId, { engine, target }: Pick<RouteContext, 'engine' | 'target'>): Finding {
  if (target.elsewhere !== undefined)
    return blocker(
      `${id}-not-here`,
      `The process is on the machine of the engine (${target.elsewhere}).`,
      'This way leads to processes of this machine only.',
      'profiler attach … --via sidecar',
    );
  return blocker(
    `${id}-not-here`,
    `Process ${target.pid} is not a process of this machine.`,
    engine === undefined || engine.local
      ? 'It has ended, or its engine runs in a virtual machine.'
      : `Its engine is at ${engine.host}.`,
  );
}

export function notRoot(id: RouteId): Finding {
  return blocker(
    `${id}-not-root`,
    'We are not root on this machine.',
    "Only root may join another process's namespaces.",
    'sudo profiler attach …',
  );
}

/** No engine answers, or none that knows the container. */
export function noEngine(id: RouteId, { engine, target }: Pick<RouteContext, 'engine' | 'target'>): Finding {
  if (engine !== undefined) {
    return blocker(
      `${id}-no-container`,
      `The engine at ${engine.host} knows no container of process ${target.pid}.`,
      target.container === undefined
        ? 'It lives in none.'
        : 'Another engine made it, such as podman or containerd.',
    );
  }
  return blocker(
    `${id}-no-engine`,
    'There is no container engine to ask.',
    'This way needs its interface.',
    'docker version  (shows whether one answers)',
  );
}

/** Samplers that a kill did not end; nothing for none. */
export function samplersLeft(count: number): readonly Finding[] {
  if (count === 0) return [];
  return [
    {
      level: 'warning',
      id: 'sampler-left',
      what: `${count === 1 ? 'A sampler was' : `${count} samplers were`} killed and did not end.`,
      why: 'Something holds it that a signal does not reach, such as a paused container; it ends when that lets go.',
      fix: 'profiler cleanup',
    },
  ];
}
