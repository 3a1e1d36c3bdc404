import { describe, expect, it } from 'vitest';
import { diagnosePySpy } from '../../src/target/index.js';

describe('what py-spy says', () => {
  it.each([
    [
      `Error: Permission Denied: Try running again with elevated permissions by going 'sudo env "PATH=$PATH" !!'`,
      'pyspy-permission',
      'blocker',
      'sudo',
    ],
    ['Error: Permission denied (os error 13)', 'pyspy-permission', 'blocker', 'sudo'],
    ['Error: EPERM: Operation not permitted', 'pyspy-permission', 'blocker', 'sudo'],
    ['Error: Failed to find python version from target process', 'pyspy-no-python', 'blocker', '--match'],
    [
      'Error: Failed to find a python interpreter in the .data section',
      'pyspy-no-python',
      'blocker',
      '--match',
    ],
    ['Error: Unsupported version of Python: 3.15.0', 'pyspy-python-version', 'blocker', 'perf record'],
    [
      'Error: Failed to merge native and python frames (Have 3 native and 8 python)',
      'pyspy-native-merge',
      'warning',
      'without --native',
    ],
    ['Error: Function not implemented (os error 38)', 'pyspy-emulated', 'blocker', 'docker run --platform'],
    [
      'Error: No such file or directory (os error 2)',
      'pyspy-file-missing',
      'blocker',
      'Start the simulation again',
    ],
    ['Error: No child process (os error 10)', 'pyspy-late-exit', 'warning', 'profiler hot'],
    ['Error: Failed to suspend process', 'pyspy-suspend', 'warning', '--rate'],
    [
      'WARN  py_spy] Failed to get stack trace from 86516: Failed to merge native and python frames (Have 3 native and 8 python)',
      'pyspy-native-merge',
      'warning',
      'without --native',
    ],
    [
      'py-spy> 13.88s behind in sampling, results may be inaccurate. Try reducing the sampling rate',
      'pyspy-behind',
      'warning',
      '--rate',
    ],
    [
      `py-spy> Wrote raw flamegraph data to 'p.txt'. Samples: 1326 Errors: 26649`,
      'pyspy-errors',
      'warning',
      '--rate',
    ],
    [
      `py-spy> Wrote raw flamegraph data to 'p.txt'. Samples: 0 Errors: 0`,
      'pyspy-no-samples',
      'blocker',
      'profiler attach --pid',
    ],
    [
      'Error: Failed to get process executable name. Check that the process is running.',
      'pyspy-target-gone',
      'blocker',
      'Start the simulation again',
    ],
    ['Error: No such process (os error 3)', 'pyspy-target-gone', 'blocker', 'Start the simulation again'],
    ['Error: UNW_EBADREG: bad register number', 'pyspy-native-unwind', 'warning', 'without --native'],
    ['Error: Failed to get stack traces', 'pyspy-trace-refused', 'blocker', 'without --native'],
  ])('%s', (line, id, level, fix) => {
    const findings = diagnosePySpy(`${line}\n`, 1);
    expect(findings.map((finding) => [finding.id, finding.level])).toEqual([[id, level]]);
    expect(findings[0]?.fix).toContain(fix);
  });

  it('counts failed samples in percent', () => {
    const [finding] = diagnosePySpy(
      `py-spy> Wrote raw flamegraph data to 'p.txt'. Samples: 1326 Errors: 26649`,
      0,
    );
    expect(finding?.what).toBe('py-spy failed to read 26649 of 27975 samples (95 %).');
    expect(diagnosePySpy(`py-spy> Wrote raw flamegraph data to 'p.txt'. Samples: 950 Errors: 50`, 0)).toEqual(
      [],
    );
    expect(
      diagnosePySpy(`py-spy> Wrote raw flamegraph data to 'p.txt'. Samples: 949 Errors: 51`, 0),
    ).toHaveLength(1);
  });

  it('knows that an error after the output was written does no harm', () => {
    const said = `py-spy> Wrote raw flamegraph data to 'p.txt'. Samples: 900 Errors: 0\nError: No child process (os error 10)\n`;
    const findings = diagnosePySpy(said, 1);
    expect(findings.map(({ id, level }) => [id, level])).toEqual([['pyspy-late-exit', 'note']]);
    expect(findings[0]?.why).toContain('the samples are good');
  });

  it('says each cause once, with how often', () => {
    const line = 'WARN  py_spy] Failed to get stack trace from 7: Failed to merge native and python frames';
    const [finding, ...others] = diagnosePySpy(`${line}\n${line}\r${line}\n`, 0);
    expect(others).toEqual([]);
    expect(finding?.what).toBe(`py-spy said: ${line} (3 times)`);
  });

  it('hands on what it does not know, as it is', () => {
    const findings = diagnosePySpy('thread main panicked at src/x.rs:7\n\n  oh no  \n', 101);
    expect(findings).toEqual([
      {
        level: 'warning',
        id: 'pyspy-unknown',
        what: 'py-spy said: thread main panicked at src/x.rs:7',
        why: 'It ended with exit code 101; this message is not known to us.',
      },
      {
        level: 'warning',
        id: 'pyspy-unknown',
        what: 'py-spy said: oh no',
        why: 'It ended with exit code 101; this message is not known to us.',
      },
    ]);
    expect(diagnosePySpy('hello', 0)[0]?.level).toBe('note');
    expect(diagnosePySpy('hello', undefined)[0]?.why).toContain('by a signal');
  });

  it('is not flooded by unknown lines', () => {
    const said = Array.from({ length: 5000 }, (_, index) => `line ${index}`).join('\n');
    expect(diagnosePySpy(said, 1)).toHaveLength(10);
  });

  it('is silent about an ordinary run', () => {
    const said =
      'py-spy> Sampling process 250 times a second for 5 seconds. Press Control-C to exit.\n\n' +
      'py-spy> Stopped sampling because process exited\n' +
      `py-spy> Wrote raw flamegraph data to '/dev/stdout'. Samples: 1250 Errors: 2\n`;
    expect(diagnosePySpy(said, 0)).toEqual([]);
  });

  it('leaves the backtrace of an error out', () => {
    const said =
      'Error: No such device or address (os error 6)\n\nStack backtrace:\n' +
      '   0: anyhow::error::<impl core::convert::From<E> for anyhow::Error>::from\n             at /src/main.rs:7:5\n   1: py_spy::main\n';
    expect(diagnosePySpy(said, 1).map(({ id }) => id)).toEqual(['pyspy-output']);
  });

  it('takes the hint about containers as part of the refusal', () => {
    const said =
      'Permission Denied\n\nIt looks like you are running in a docker container. Please make sure you started your container with the SYS_PTRACE capability.';
    expect(diagnosePySpy(said, 1).map(({ id }) => id)).toEqual(['pyspy-permission']);
  });
});
