import type { Finding } from '../../model/index.js';
import type { PerfProbe } from '../perf/perf-route.js';
import type { Container } from '../docker/container.js';
import { nodeOutlook } from '../node/node-route.js';
import { shownPid, type Target } from '../target.js';
import { type Check, failing } from './check.js';

/** Which process it is about. */
export function targetCheck(target: Target, container: Container | undefined): Check {
  const inside =
    target.nsPid === undefined || target.elsewhere !== undefined ? '' : `, ${target.nsPid} inside`;
  const runtime = [target.runtime, target.runtimeVersion].filter(Boolean).join(' ');
  const user = target.elsewhere === undefined ? [`user ${target.uid}:${target.gid}`] : [];
  const at = target.elsewhere === undefined ? '' : ` at ${target.elsewhere}`;
  const where = container === undefined ? '' : `, container ${container.name}${at}`;
  return {
    group: 'target',
    id: 'target',
    name: 'target',
    state: 'note',
    what: `pid ${shownPid(target)}${inside}${where}: ${target.command.join(' ')} (${[runtime, ...user].join(', ')})`,
  };
}

/** Why the container that was named has no process to look at now. */
export function notReadyCheck({ what, why, list = [], fix }: Finding): Check {
  const reasons = [why, ...list].filter(Boolean).join(' ');
  const more = fix === undefined ? {} : { fix };
  return failing({ group: 'target', id: 'target', name: 'target' }, { what, why: reasons, ...more });
}

/** Whether a Node would let its inspector be used; undefined for what is none. */
export function nodeBackendCheck(target: Target): Check | undefined {
  if (target.runtime !== 'node') return undefined;
  const check = { group: 'backends', id: 'backend-node', name: 'node' } as const;
  const { blocked, version, isOpen } = nodeOutlook(target);
  if (blocked !== undefined) return failing(check, blocked);
  const how = isOpen ? 'its inspector is open' : 'SIGUSR1 opens its inspector, and it is closed again';
  return { ...check, state: 'works', what: `Node ${version}; ${how}` };
}

/** Whether py-spy can read this program, and gets beside it. */
export function pyspyBackendCheck(unsupported: Finding | undefined, routes: readonly Check[]): Check {
  const check = { group: 'backends', id: 'backend-py-spy', name: 'py-spy' } as const;
  if (unsupported !== undefined)
    return {
      ...check,
      state: 'fails',
      what: `${unsupported.what} ${unsupported.why}`,
      ...(unsupported.fix === undefined ? {} : { fix: unsupported.fix }),
    };
  // As `--via auto` chooses.
  const best = routes.find(({ state }) => state === 'works' || state === 'limited');
  if (best === undefined)
    return { ...check, state: 'fails', what: 'knows this Python, but no route leads to the process' };
  return {
    ...check,
    state: best.state,
    what: `knows this Python; best route: ${best.name}`,
    ...(best.fix === undefined ? {} : { fix: best.fix }),
  };
}

/** Whether perf can measure the process, by a moment of it. */
export function perfBackendCheck(probe: PerfProbe, flags: string): Check {
  const check = { group: 'backends', id: 'backend-perf', name: 'perf' } as const;
  if (!probe.works) {
    const { what, why, fix } = probe.finding;
    return failing(check, { what, why, ...(fix === undefined ? {} : { fix }) });
  }
  const { switches, callGraph } = probe.route.mode;
  const off = {
    stacks: 'and where threads block',
    times: 'and when threads block, not where',
    none: 'time on a CPU only',
  };
  return {
    ...check,
    state: switches === 'stacks' ? 'works' : 'limited',
    what: `native code, ${off[switches]}; stacks by ${callGraph === 'fp' ? 'frame pointers' : 'copies'}`,
    fix: `profiler attach ${flags} --backend perf`,
  };
}
