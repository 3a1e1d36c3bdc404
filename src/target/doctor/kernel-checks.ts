import type { Realtime, RealtimeFacts } from '../probe-realtime.js';
import type { Check } from './check.js';
import type { KernelFacts } from './kernel-facts.js';

const AS_ROOT = 'sudo profiler attach …';

/** Every answer about the kernel's settings. */
export function kernelChecks(
  facts: KernelFacts,
  realtime: Realtime,
  limits: RealtimeFacts,
): readonly Check[] {
  return [
    rightsCheck(facts),
    yamaCheck(facts),
    seccompCheck(facts),
    hidepidCheck(facts),
    cgroupCheck(facts),
    realtimeCheck(realtime, limits),
    perfCheck(facts),
    stepsCheck(facts),
  ];
}

/** Whose processes we may read at all. */
export function rightsCheck(facts: KernelFacts): Check {
  const check = { group: 'kernel', id: 'rights', name: 'rights' } as const;
  if (facts.mayTrace && !facts.ownUserNamespace)
    return {
      ...check,
      state: 'works',
      what: `user ${facts.uid} with CAP_SYS_PTRACE: every process may be read`,
    };
  if (facts.mayTrace)
    return {
      ...check,
      state: 'limited',
      what: 'CAP_SYS_PTRACE of a user namespace of our own: only processes inside it may be read',
      fix: `${AS_ROOT}  (on the host, outside the container)`,
    };
  if (facts.uid === 0)
    return {
      ...check,
      state: 'limited',
      what: 'root without CAP_SYS_PTRACE: only processes of root that hold no more rights may be read',
      fix: facts.container
        ? 'profiler attach …  (on the host as root, or in a container with --cap-add SYS_PTRACE)'
        : 'profiler attach …  (from a shell of root that dropped no capability)',
    };
  return {
    ...check,
    state: 'limited',
    what: `user ${facts.uid}: only processes of the same user may be read`,
    fix: AS_ROOT,
  };
}

/** Yama's ptrace_scope: 1 allows only children, 2 only root, 3 nobody. */
export function yamaCheck({ ptraceScope, mayTrace }: KernelFacts): Check {
  const check = { group: 'kernel', id: 'yama', name: 'ptrace_scope' } as const;
  if (ptraceScope === undefined)
    return { ...check, state: 'works', what: 'this kernel has no Yama, so it adds no limit' };
  const value = String(ptraceScope);
  if (ptraceScope >= 3)
    return {
      ...check,
      state: 'fails',
      what: `${value}: nobody may read another process, root included, until the next boot`,
      fix: 'grep -rs ptrace_scope /etc/sysctl.conf /etc/sysctl.d /usr/lib/sysctl.d  (set it to 1 there, then reboot)',
    };
  if (ptraceScope === 0) return { ...check, state: 'works', what: `${value}: no limit` };
  if (mayTrace)
    return { ...check, state: 'works', what: `${value}: does not bind CAP_SYS_PTRACE, which we hold` };
  return ptraceScope === 1
    ? {
        ...check,
        state: 'limited',
        what: `${value}: only processes that we started may be read`,
        fix: `${AS_ROOT}  (or once: sudo sysctl kernel.yama.ptrace_scope=0)`,
      }
    : { ...check, state: 'fails', what: `${value}: only root may read other processes`, fix: AS_ROOT };
}

/** A filter on our own system calls, as every container has. */
export function seccompCheck({ seccomp }: KernelFacts): Check {
  const check = { group: 'kernel', id: 'seccomp', name: 'seccomp' } as const;
  if (seccomp === 0) return { ...check, state: 'works', what: 'no filter on our system calls' };
  return {
    ...check,
    state: 'limited',
    what: 'a filter on our system calls is in force, as in a container: it may forbid reading other processes',
    fix: 'profiler attach …  (on the host, or in a container with --security-opt seccomp=unconfined)',
  };
}

/** What /proc hides from users other than root. */
export function hidepidCheck({ hidepid, mayTrace, uid }: KernelFacts): Check {
  const check = { group: 'kernel', id: 'hidepid', name: 'hidepid' } as const;
  if (hidepid === '0') return { ...check, state: 'works', what: '/proc shows all processes' };
  const bound = hidepid === 'ptraceable' || hidepid === '4' ? !mayTrace : uid !== 0 && !mayTrace;
  return bound
    ? { ...check, state: 'limited', what: `${hidepid}: /proc hides what is not ours`, fix: AS_ROOT }
    : { ...check, state: 'works', what: `${hidepid}: does not bind us` };
}

const CGROUPS = {
  v1: 'v1: a container has no real-time share of its own, so a sampler inside it is raised from outside',
  v2: 'v2',
  hybrid: 'v1, with an empty v2 hierarchy beside it',
  none: 'none mounted: no engine can run on this machine',
} as const;

export function cgroupCheck({ cgroups }: KernelFacts): Check {
  return { group: 'kernel', id: 'cgroups', name: 'control groups', state: 'note', what: CGROUPS[cgroups] };
}

/** Tried, not deduced; the limits are shown because they say what to change. */
export function realtimeCheck(realtime: Realtime, limits: RealtimeFacts): Check {
  const check = { group: 'kernel', id: 'realtime', name: 'real-time priority' } as const;
  const values = [
    ...(limits.kernelRuntimeUs === undefined ? [] : [`kernel.sched_rt_runtime_us ${limits.kernelRuntimeUs}`]),
    ...(limits.cgroupRuntimeUs === undefined
      ? []
      : [`cpu.rt_runtime_us of our group ${limits.cgroupRuntimeUs}`]),
    `RLIMIT_RTPRIO ${limits.limit === Number.POSITIVE_INFINITY ? 'unlimited' : limits.limit}`,
  ].join(', ');
  if (realtime.allowed) return { ...check, state: 'works', what: `granted to samplers (${values})` };
  const { what, fix } = realtime.finding;
  return {
    ...check,
    state: 'limited',
    what: `${what.replace(/\.$/, '')}: shares may be off by 20 points (${values})`,
    ...(fix === undefined ? {} : { fix }),
  };
}

/** Whether the steps of a simulation can be seen. Without them a profile is as good, and has no real-time factor. */
export function stepsCheck({ noStepProbe }: KernelFacts): Check {
  const check = { group: 'kernel', id: 'step-probe', name: 'step probe' } as const;
  if (noStepProbe === undefined)
    return { ...check, state: 'works', what: 'the steps of a running MuJoCo can be counted and timed' };
  return {
    ...check,
    state: 'note',
    what: `no real-time factor: ${noStepProbe.because}`,
    fix: noStepProbe.fix ?? `${AS_ROOT}  (on the host)`,
  };
}

/** No sampler of today needs it: said for those that will be asked for by name. */
export function perfCheck({ perfParanoid, mayMeasure }: KernelFacts): Check {
  const check = { group: 'kernel', id: 'perf-event-paranoid', name: 'perf_event_paranoid' } as const;
  if (perfParanoid === undefined)
    return { ...check, state: 'note', what: 'this kernel counts no performance events' };
  const value = String(perfParanoid);
  if (mayMeasure) return { ...check, state: 'works', what: `${value}: does not bind us` };
  if (perfParanoid <= 1) return { ...check, state: 'works', what: `${value}: own processes may be measured` };
  if (perfParanoid === 2)
    return {
      ...check,
      state: 'limited',
      what: `${value}: own processes may be measured, the kernel's part not`,
    };
  return {
    ...check,
    state: 'fails',
    what: `${value}: only root may measure`,
    fix: 'sudo sysctl kernel.perf_event_paranoid=1',
  };
}
