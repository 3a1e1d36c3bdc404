import { ProfilerError, shellLine } from '../model/index.js';
import { diagnosePerf, diagnosePySpy, shownPid } from '../target/index.js';
import type { CaptureRequest } from './request.js';

/** Exit codes of a launcher that could not start its program, and error codes of starting it ourselves. */
const NOT_STARTED = [126, 127, 'ENOENT', 'EACCES', 'ENOEXEC', 'EPERM'] as const;

/** What a route through an engine ends with that got no answer about its program. */
const ENGINE_GONE = ['engine-gone', 'engine-unreachable'] as const;

function engineGone(host: string | undefined): ProfilerError {
  return new ProfilerError({
    id: 'engine-gone',
    what: `The container engine${host === undefined ? '' : ` at ${host}`} stopped answering while it was sampled.`,
    why: 'It was stopped or restarted, the connection to it broke, or somebody removed the sampler there.',
    fix: 'profiler cleanup',
  });
}

/** One stack by the same way and with the same binary: shows whether it or the target is at fault. */
export function oneStack({ route, realtime }: CaptureRequest): string {
  const argv = route.commands(['dump', '--pid', String(route.targetPid)]).at(-1) ?? [];
  const priority = realtime.allowed ? realtime.argv : [];
  // One stack needs no priority.
  const isFirst = priority.length > 0 && priority.every((word, index) => argv[index] === word);
  return shellLine(isFirst ? argv.slice(priority.length) : argv);
}

/** The inspector was there a moment ago, and its JavaScript answered. */
function inspectorFailure({ target }: CaptureRequest, talk: string, exit: number | string): ProfilerError {
  const said = /^inspector: (.*)$/m.exec(talk)?.[1] ?? '';
  return new ProfilerError({
    id: /no answer to/.test(said) ? 'node-unresponsive' : 'inspector-failed',
    what: `The inspector of process ${shownPid(target)} gave no profile (${said === '' ? exit : said.slice(0, 200)}).`,
    why: 'Its main thread may be in native code that does not return, or somebody closed the inspector meanwhile.',
    fix: 'profiler attach … --backend perf  (sees native code)',
  });
}

/** The error of a sampler that never sampled, from all it said. */
export function samplerFailure(request: CaptureRequest, talk: string, exit: number | string): ProfilerError {
  const { path } = request.sampler;
  if (request.perf !== undefined) {
    const { level: _, ...finding } = diagnosePerf(talk, request.target);
    return new ProfilerError(finding);
  }
  if (request.node !== undefined) return inspectorFailure(request, talk, exit);
  const tryIt = oneStack(request);
  if (NOT_STARTED.some((code) => code === exit)) {
    return new ProfilerError({
      id: 'py-spy-broken',
      what: `${path} could not be started (${exit}).`,
      why: 'The file is missing, not executable, or made for another kind of machine.',
      fix: 'profiler tools install py-spy',
    });
  }
  if (exit === 'unresponsive') {
    return new ProfilerError({
      id: 'sampler-unresponsive',
      what: 'py-spy did not end, neither asked nor killed, and has no samples.',
      why: 'Something holds it that a signal does not reach: its container was paused, or its engine does not answer.',
      fix: 'profiler cleanup  (takes back what is left of it)',
    });
  }
  if (ENGINE_GONE.some((code) => code === exit)) return engineGone(request.route.engine);
  const findings = diagnosePySpy(talk, typeof exit === 'number' ? exit : undefined);
  const cause = findings.find(({ level }) => level === 'blocker') ?? findings[0];
  if (cause === undefined) {
    return new ProfilerError({
      id: 'sampler-failed',
      what: `py-spy ended (${exit}) without samples, and said nothing.`,
      why: 'It may have been killed, or be broken.',
      fix: tryIt,
    });
  }
  const { level: _, ...finding } = cause;
  return new ProfilerError({ fix: tryIt, ...finding });
}
