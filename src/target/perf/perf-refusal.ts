import type { Finding } from '../../model/index.js';
import { type KernelFacts, readKernelFacts } from '../doctor/kernel-facts.js';
import { shownPid, type Target } from '../target.js';

function blocker(id: string, what: string, why: string, fix?: string): Finding {
  return { level: 'blocker', id, what, why, ...(fix === undefined ? {} : { fix }) };
}

/** What a refused `perf record` means, by its own words and what the kernel says of us. */
export function explainPerf(
  said: string,
  target: Target,
  facts: Pick<KernelFacts, 'uid' | 'mayMeasure' | 'perfParanoid' | 'seccomp'>,
): Finding {
  const pid = shownPid(target);
  if (/No such process/i.test(said))
    return blocker(
      'target-ended',
      `Process ${pid} ended before perf began.`,
      'It was about to finish, or crashed; or perf runs in another pid namespace than the one that this number is of.',
    );
  const refused =
    /Operation not permitted|Permission denied|EPERM|EACCES|perf_event_paranoid|No permission|Access to performance monitoring/i.test(
      said,
    );
  if (!refused) {
    const line =
      said
        .split('\n')
        .find((one) => one.trim() !== '')
        ?.trim()
        .slice(0, 200) ?? '';
    return blocker(
      'perf-failed',
      `perf could not record process ${pid}.`,
      line === '' ? 'It gave no reason.' : `Its own words: ${line}`,
      `perf record -e cpu-clock -F 499 -g -p ${pid} -- sleep 1`,
    );
  }
  const { uid, mayMeasure, perfParanoid = 2, seccomp } = facts;
  if (mayMeasure && seccomp === 2)
    return blocker(
      'perf-seccomp',
      'A seccomp filter forbids perf_event_open here.',
      'We have the right to measure, and a container runtime filters the system call all the same.',
      'run profiler on the host  (or start this container with --security-opt seccomp=unconfined)',
    );
  if (perfParanoid > 2)
    return blocker(
      'perf-paranoid',
      `kernel.perf_event_paranoid is ${perfParanoid}: only root may measure.`,
      'Debian and Ubuntu ship a kernel that forbids it to everybody else.',
      'sudo sysctl kernel.perf_event_paranoid=1  (or run profiler with sudo)',
    );
  if (uid === 0 && !mayMeasure)
    return blocker(
      'perf-capability',
      'We are root without CAP_PERFMON (or CAP_SYS_ADMIN).',
      seccomp === 2
        ? "Containers lack it by default, and Docker's seccomp filter forbids perf_event_open with it."
        : 'The kernel lets nobody measure other users’ processes without it.',
      'run profiler on the host  (or start this container with --cap-add SYS_ADMIN; PERFMON where the engine knows it)',
    );
  if (target.uid !== uid)
    return blocker(
      'perf-other-user',
      `Process ${pid} runs as user ${target.uid}, and we are user ${uid}.`,
      'Without CAP_PERFMON only processes of the same user may be measured.',
      'sudo profiler attach … --backend perf',
    );
  return blocker(
    'perf-denied',
    `The kernel refused to measure process ${pid}.`,
    `kernel.perf_event_paranoid is ${perfParanoid}; the process may have rights that we have not.`,
    'sudo profiler attach … --backend perf',
  );
}

/** The same on this machine. */
export function diagnosePerf(said: string, target: Target): Finding {
  return explainPerf(said, target, readKernelFacts());
}
