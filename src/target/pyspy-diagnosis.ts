import type { Finding, FindingLevel } from '../model/index.js';

interface Pattern {
  readonly id: string;
  readonly level: FindingLevel;
  readonly line: RegExp;
  readonly why: string;
  readonly fix?: string;
}

/** Progress of an ordinary run, and the second half of a message that another line already gave. */
const QUIET = [
  /Press Control-C to exit/,
  /^It looks like you are running in a docker container/,
  /^\s*$/,
  /Stopped sampling because process exited/,
  // Lines of a backtrace, which RUST_BACKTRACE adds to an error.
  /^Stack backtrace:$/,
  /^\d+: [\w<]/,
  /^at .*:\d+:\d+$/,
];

/** Messages of py-spy 0.3 and 0.4, first match wins. Text is only read here, where nothing is left to try. */
const PATTERNS: readonly Pattern[] = [
  {
    id: 'pyspy-permission',
    level: 'blocker',
    line: /permission denied|EPERM|operation not permitted/i,
    why: 'The process belongs to another user, Yama forbids it, or CAP_SYS_PTRACE is missing; py-spy says the same when it may not write its output.',
    fix: 'sudo profiler attach …',
  },
  {
    id: 'pyspy-no-python',
    level: 'blocker',
    line: /failed to find python version|failed to find a python interpreter|PyRuntime section not found/i,
    why: 'The process is not Python (a shell or launcher), or embeds a Python that py-spy does not recognise.',
    fix: 'profiler attach --match REGEX  (a part of the command line of the Python simulation)',
  },
  {
    id: 'pyspy-python-version',
    level: 'blocker',
    line: /unsupported version of python/i,
    why: 'This py-spy does not know the memory layout of that Python.',
    fix: 'perf record -F 499 -g -p PID -- sleep 20  (or a Python that py-spy supports)',
  },
  {
    id: 'pyspy-native-merge',
    level: 'warning',
    line: /failed to merge native and python frames/i,
    why: 'With --native a sample is lost whenever Python code was entered while the stack was being read.',
    fix: 'profiler attach …  (without --native)',
  },
  {
    id: 'pyspy-native-unwind',
    level: 'warning',
    line: /UNW_E[A-Z]+/,
    why: 'With --native the libraries of the process have to be readable under the same paths, which they are not from outside its container.',
    fix: 'profiler attach …  (without --native)',
  },
  {
    id: 'pyspy-emulated',
    level: 'blocker',
    line: /function not implemented|os error 38/i,
    why: 'The machine is emulated (QEMU, Rosetta) or sandboxed (gVisor), where a process cannot be traced.',
    fix: "docker run --platform linux/arm64 …  (an image of the machine's own architecture; uname -m on the host tells which)",
  },
  {
    id: 'pyspy-file-missing',
    level: 'blocker',
    line: /no such file or directory|os error 2\b/i,
    why: 'The program or a library of the process was deleted or replaced since it started, or lives in another mount namespace.',
    fix: 'Start the simulation again, then attach.',
  },
  {
    id: 'pyspy-output',
    level: 'blocker',
    line: /os error 6\b/i,
    why: 'Its output was to go to a socket, which cannot be opened again under the name /dev/stdout; a pipe or a file can.',
    fix: 'py-spy record … -o FILE',
  },
  {
    id: 'pyspy-suspend',
    level: 'warning',
    line: /failed to suspend process/i,
    why: 'The process has too many threads, or another tracer holds it, so that it could not be stopped for a sample.',
    fix: 'profiler attach … --rate 100  (without --native)',
  },
  {
    id: 'pyspy-trace-refused',
    level: 'blocker',
    line: /failed to get stack traces$/i,
    why: 'A filter on system calls (seccomp) forbids ptrace, which blocking mode needs.',
    fix: 'profiler attach …  (without --native)',
  },
  {
    id: 'pyspy-behind',
    level: 'warning',
    line: /behind in sampling/i,
    why: 'py-spy does not get the CPU it needs, or the process has too many threads: samples are late and the window grew.',
    fix: 'profiler attach … --rate 100',
  },
  {
    id: 'pyspy-target-gone',
    level: 'blocker',
    line: /check that the process is running|no such process|os error 3\b/i,
    why: 'The process ended before or while py-spy looked at it.',
    fix: 'Start the simulation again, then attach.',
  },
  {
    id: 'pyspy-read-failed',
    level: 'warning',
    line: /failed to get stack trace|failed to copy/i,
    why: 'The stack changed while it was being read; each time one sample is lost.',
  },
];

/** By process_vm_readv a frame that is gone is a bad address, through /proc/PID/mem an input error. */
const TORN = /bad address|os error (?:14|5)\b|failed to copy/i;
const NOT_ALLOWED = /EPERM|not permitted|permission denied|os error (?:1|13)\b/i;

/** Whether all that failed was one read of a stack that changed meanwhile: the memory itself could be read. */
export function isTornRead(said: string): boolean {
  return TORN.test(said) && !NOT_ALLOWED.test(said);
}

const UNKNOWN_SHOWN = 10;
/** Above this share of failed samples, what remains is no fair selection. */
const BAD_ERROR_SHARE = 0.05;

/**
 * What py-spy's messages mean, each cause once with the first line that shows it; lines that nothing explains are
 * handed on as they are. `exit` is the exit code, `undefined` when a signal ended it.
 */
export function diagnosePySpy(stderr: string, exit: number | undefined): Finding[] {
  const findings = new Map<string, { finding: Finding; count: number }>();
  const add = (key: string, finding: Finding): void => {
    const known = findings.get(key);
    if (known === undefined) findings.set(key, { finding, count: 1 });
    else known.count += 1;
  };
  let written = false;
  for (const raw of stderr.split(/[\r\n]+/)) {
    const line = raw.trim();
    const summary = /wrote .*samples: (\d+) errors: (\d+)/i.exec(line);
    if (summary !== null) {
      written = true;
      const finding = readSummary(Number(summary[1]), Number(summary[2]));
      if (finding !== undefined) add(finding.id, finding);
    } else if (/no child process|os error 10\b/i.test(line)) {
      add('pyspy-late-exit', lateExit(line, written));
    } else if (!QUIET.some((quiet) => quiet.test(line))) {
      const pattern = PATTERNS.find((candidate) => candidate.line.test(line));
      if (pattern !== undefined) add(pattern.id, explained(pattern, line));
      else if (findings.has(line) || unknownCount(findings) < UNKNOWN_SHOWN)
        add(line, unexplained(line, exit));
    }
  }
  return [...findings.values()].map(({ finding, count }) =>
    count === 1 ? finding : { ...finding, what: `${finding.what} (${count} times)` },
  );
}

function explained({ id, level, why, fix }: Pattern, line: string): Finding {
  return { level, id, what: `py-spy said: ${line}`, why, ...(fix === undefined ? {} : { fix }) };
}

function unexplained(line: string, exit: number | undefined): Finding {
  const failed = exit !== 0;
  return {
    level: failed ? 'warning' : 'note',
    id: 'pyspy-unknown',
    what: `py-spy said: ${line}`,
    why: failed
      ? `It ended ${exit === undefined ? 'by a signal' : `with exit code ${exit}`}; this message is not known to us.`
      : 'It ended well; this message is not known to us.',
  };
}

function unknownCount(findings: ReadonlyMap<string, { finding: Finding }>): number {
  return [...findings.values()].filter(({ finding }) => finding.id === 'pyspy-unknown').length;
}

function lateExit(line: string, written: boolean): Finding {
  return {
    level: written ? 'note' : 'warning',
    id: 'pyspy-late-exit',
    what: `py-spy said: ${line}`,
    why: written
      ? 'It says so after its output was written, while cleaning up: the samples are good although the exit code is not 0.'
      : 'It usually says so after its output was written, while cleaning up: what was written is good.',
    ...(written ? {} : { fix: 'profiler hot  (shows whether samples arrived)' }),
  };
}

function readSummary(samples: number, errors: number): Finding | undefined {
  if (samples === 0 && errors === 0) {
    return {
      level: 'blocker',
      id: 'pyspy-no-samples',
      what: 'py-spy wrote 0 samples and saw 0 errors.',
      why: 'The process ended at once, or no thread of it ran Python.',
      fix: 'profiler attach --pid PID  (check that the simulation is still running and is the right process)',
    };
  }
  const share = errors / (samples + errors);
  if (share <= BAD_ERROR_SHARE) return undefined;
  return {
    level: 'warning',
    id: 'pyspy-errors',
    what: `py-spy failed to read ${errors} of ${samples + errors} samples (${Math.round(share * 100)} %).`,
    why: 'The samples that could be read are not a fair selection of the others: shares are unreliable.',
    fix: 'profiler attach … --rate 100  (without --native)',
  };
}
