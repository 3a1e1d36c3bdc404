import {
  chmodSync,
  copyFileSync,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { describeWhere, itWhere } from '../only-where.js';
import {
  AS_NOBODY,
  ATTACH,
  HAS_PYSPY,
  HAS_PYTHON,
  NO_NOBODY,
  NO_PYSPY,
  NO_PYTHON,
  YAMA_LEVEL,
  canMount,
  liveTargets,
} from './live-targets.js';
import {
  IS_ROOT,
  NOBODY,
  type ReadableCopy,
  SYSTEM_PYTHON,
  errorOf,
  isThere,
  readableCopy,
} from './readable-copy.js';
import { whyNoPerf } from './why-no-perf.js';

const DROPS_PTRACE = ['setpriv', '--bounding-set=-sys_ptrace', '--inh-caps=-sys_ptrace'];
const CAN_DROP = IS_ROOT && (await isThere('setpriv', ['--bounding-set=-sys_ptrace', 'true']));
const CAN_HIDE = await canMount('-t', 'proc', '-o', 'hidepid=2', 'proc', '/proc');
const SYSCALLS = { x64: { ptrace: 101 }, arm64: { ptrace: 117 } }[process.arch as string];
const MATCH = 'profiler attach --match REGEX  (a part of the command line';

let copy: ReadableCopy;
const targets = liveTargets(() => copy);

beforeAll(async () => {
  copy = await readableCopy();
});
afterEach(() => targets.stop());
afterAll(() => rmSync(copy.folder, { recursive: true, force: true }));

describe('a process that cannot be profiled', () => {
  it('is not there', async () => {
    const run = await copy.run([...ATTACH, '4194305']);
    expect(errorOf(run)).toEqual({
      code: 1,
      out: '',
      what: 'There is no process 4194305.',
      why: 'It has ended, or the number is one from inside a container, which the host knows by another.',
      fix: `${MATCH})`,
    });
  });

  itWhere(HAS_PYTHON, NO_PYTHON)('is a zombie', async () => {
    const parent = await targets.python('zombie.py');
    const zombie = parent.lines[0] ?? '';
    expect(errorOf(await copy.run([...ATTACH, zombie]))).toMatchObject({
      code: 1,
      what: `Process ${zombie} (python3) has ended and is a zombie.`,
      why: `Its parent, process ${parent.pid}, has not collected its exit status yet.`,
      fix: 'Start the simulation again, then attach.',
    });
  });

  const kernelThread =
    existsSync('/proc/2/comm') && readFileSync('/proc/2/comm', 'utf8').trim() === 'kthreadd';
  itWhere(kernelThread, 'no kernel thread is seen from here')('is a thread of the kernel', async () => {
    expect(errorOf(await copy.run([...ATTACH, '2']))).toMatchObject({
      code: 1,
      what: 'Process 2 (kthreadd) is a thread of the kernel.',
      fix: `${MATCH})`,
    });
  });

  it.each([
    ['/bin/sleep', ['1000']],
    [process.execPath, ['-e', 'setInterval(() => {}, 1e6)']],
  ])('is not Python: %s', async (file, args) => {
    const pid = targets.other(file, args);
    const error = errorOf(await copy.run([...ATTACH, `${pid}`, '--backend', 'py-spy']));
    expect(error).toMatchObject({ code: 1, fix: `${MATCH} of the Python simulation)` });
    expect(error.what).toMatch(
      new RegExp(`^Process ${pid} is not a Python process: it runs /.*/${basename(file)}\\.$`),
    );
  });

  itWhere(whyNoPerf === undefined, whyNoPerf ?? '')('is no Python, and never runs', async () => {
    const pid = targets.other('/bin/sleep', ['1000']);
    const run = await copy.run([...ATTACH, `${pid}`, '-d', '1', '--no-baseline']);
    expect(errorOf(run)).toMatchObject({
      code: 1,
      what: expect.stringMatching(
        new RegExp(`^perf ran for \\d\\.\\d s and saw process ${pid} on no CPU\\.$`),
      ),
      fix: `${MATCH} of the simulation)`,
    });
  });

  // The name of the program is all that tells its version where no interpreter is in it.
  it.each([
    ['python3.15', 'Process PID runs Python 3.15.', 'perf record -F 499 -g -p PID -- sleep 20'],
    [
      'python3.14t',
      'Process PID runs a free-threaded Python 3.14.',
      'Start the simulation with the ordinary build of Python 3.14, then attach again.',
    ],
  ])('is a Python that py-spy cannot read: %s', async (name, what, fix) => {
    const fake = join(copy.scratch(), name);
    copyFileSync('/bin/sleep', fake);
    chmodSync(fake, 0o755);
    const pid = targets.other(fake, ['1000']);
    expect(errorOf(await copy.run([...ATTACH, `${pid}`]))).toMatchObject({
      code: 1,
      what: what.replace('PID', `${pid}`),
      fix: fix.replace('PID', `${pid}`),
    });
  });

  itWhere(HAS_PYSPY && HAS_PYTHON, NO_PYSPY)('ends before the recording begins', async () => {
    const target = await targets.python('waits.py');
    const killing = join(copy.scratch(), 'py-spy');
    writeFileSync(
      killing,
      `#!/bin/sh
[ "$1" = dump ] || exec ${copy.pyspy} "$@"
kill -9 ${target.pid}
until grep -q '^State:.[ZX]' /proc/${target.pid}/status || ! [ -d /proc/${target.pid} ]; do :; done
exit 1
`,
      { mode: 0o755 },
    );
    const cwd = copy.scratch();
    const run = await copy.run(
      [...ATTACH.slice(0, 1), '--backend', 'py-spy', ...ATTACH.slice(1), `${target.pid}`],
      { cwd, env: { PROFILER_PY_SPY: killing } },
    );
    expect(errorOf(run)).toMatchObject({
      code: 1,
      what: `Process ${target.pid} ended before the recording began.`,
      fix: 'Start the simulation again, then attach.',
    });
    expect(readdirSync(cwd)).toEqual([]);
  });
});

/** Goes in front of a command that one system call is to be refused to. */
function without(number: number | undefined): readonly string[] {
  return [SYSTEM_PYTHON, copy.program('without_syscall.py'), `${number}`];
}

describe('a process that is not ours to trace', () => {
  itWhere(AS_NOBODY && HAS_PYSPY, NO_NOBODY)('belongs to another user', async () => {
    const { pid } = await targets.python('waits.py');
    expect(errorOf(await copy.run([...ATTACH, `${pid}`], { user: NOBODY }))).toMatchObject({
      code: 1,
      what: `Process ${pid} may not be read: it runs as user 0, we run as user 65534.`,
      why: 'Only its own user, or root, may look into a process.',
      fix: `sudo profiler attach --pid ${pid}`,
    });
  });

  itWhere(AS_NOBODY && CAN_HIDE, `${NO_NOBODY}, and the right to mount /proc`)(
    'is hidden by /proc',
    async () => {
      const { pid } = await targets.python('waits.py');
      const hidden = [
        'unshare',
        '-m',
        'sh',
        '-c',
        'mount -t proc -o hidepid=2 proc /proc && exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"',
        'sh',
      ];
      expect(errorOf(await copy.run([...ATTACH, `${pid}`], { through: hidden }))).toMatchObject({
        code: 1,
        what: `Process ${pid} exists but /proc does not show it.`,
        fix: `sudo profiler attach --pid ${pid}`,
      });
    },
  );

  itWhere(CAN_DROP && AS_NOBODY && HAS_PYSPY, `${NO_NOBODY}, and setpriv`)(
    'needs a capability that was taken from root',
    async () => {
      const { pid } = await targets.python('waits.py', NOBODY);
      expect(errorOf(await copy.run([...ATTACH, `${pid}`], { through: DROPS_PTRACE }))).toMatchObject({
        code: 1,
        what: `Process ${pid} may not be read: we are root without CAP_SYS_PTRACE, and it runs as user 65534.`,
        fix: `profiler attach --pid ${pid}  (on the host as root, or in a container with --cap-add SYS_PTRACE)`,
      });
    },
  );

  describeWhere(
    HAS_PYSPY && HAS_PYTHON && process.platform === 'linux' && SYSCALLS !== undefined,
    `${NO_PYSPY}, or system calls of an unknown machine`,
  )('under a seccomp filter', (test) => {
    test('that refuses ptrace: --native is refused', async () => {
      const { pid } = await targets.python('waits.py');
      const run = await copy.run([...ATTACH, `${pid}`, '--native'], { through: without(SYSCALLS?.ptrace) });
      expect(errorOf(run)).toEqual({
        code: 1,
        out: '',
        what: `The memory of process ${pid} can be read, but py-spy is refused.`,
        why: 'A seccomp filter of our container forbids the system call ptrace.',
        fix: `profiler attach --pid ${pid}  (without --native, which alone needs it)`,
      });
    });

    test('that refuses ptrace and --native is not asked for: there is an answer', async () => {
      const { pid } = await targets.python('waits.py');
      const run = await copy.run([...ATTACH, `${pid}`, '-o', 'r'], {
        cwd: copy.scratch(),
        through: without(SYSCALLS?.ptrace),
      });
      expect(run).toMatchObject({ code: 0, out: expect.stringContaining('Reliability: ') });
    });
  });

  // Without such a kernel, test/target/probes.test.ts has Yama from recorded facts.
  itWhere(AS_NOBODY && HAS_PYSPY && YAMA_LEVEL > 0, 'kernel without Yama, or not in force')(
    'is kept from us by Yama',
    async () => {
      const { pid } = await targets.python('waits.py', NOBODY);
      const error = errorOf(await copy.run([...ATTACH, `${pid}`], { user: NOBODY }));
      expect(error).toMatchObject({
        code: 1,
        what: `Process ${pid} may not be read: kernel.yama.ptrace_scope is ${YAMA_LEVEL}.`,
      });
    },
  );
});

describeWhere(AS_NOBODY && HAS_PYSPY && YAMA_LEVEL === 0, `${NO_NOBODY}; no Yama`)(
  'a user without the right to real-time priority',
  (test) => {
    test('gets an answer that says how far to trust it, and exit code 3 with --strict', async () => {
      const pid = await targets.loop(NOBODY);
      const cwd = copy.scratch();
      const options = { cwd, user: NOBODY };
      const text = await copy.run([...ATTACH, `${pid}`, '-o', 'text'], options);
      expect([text.code, text.err]).toEqual([
        0,
        `Sampling process ${pid} for 1 s; Ctrl-C ends early and keeps what there is.`,
      ]);
      expect(text.out.replaceAll(/\s+/g, ' ')).toContain(
        'Warning: The sampler runs at normal priority: the limit for real-time priority is 0. ' +
          'It gets its turn when the target sleeps: function shares may be off by 20 points; the totals from the kernel are exact. ' +
          '-> sudo profiler attach …',
      );
      expect(text.out).toMatch(/is busy \d+\.\d % of the time/);
      expect(text.out).toContain('Reliability: totals from the kernel; ');

      const json = await copy.run([...ATTACH, `${pid}`, '--strict', '--json', '-o', 'json'], options);
      expect(json.code).toBe(3);
      const answer = JSON.parse(json.out) as {
        findings: readonly { id: string; level: string }[];
        threads: readonly { accounting: Readonly<Record<string, number>> }[];
      };
      expect(answer.findings).toContainEqual(
        expect.objectContaining({ id: 'sampler-normal-priority', level: 'warning' }),
      );
      expect(Object.keys(answer.threads[0]?.accounting ?? {})).toEqual(
        expect.arrayContaining(['onCpu', 'cpuWait', 'blocked']),
      );
    });
  },
);
