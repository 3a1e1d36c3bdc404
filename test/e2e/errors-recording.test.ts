import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import { describeWhere, itWhere, onlyWithAll } from '../only-where.js';
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
import { NOBODY, type ReadableCopy, errorOf, readableCopy } from './readable-copy.js';

const SMALL = ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs'];
const CAN_MOUNT = await canMount(...SMALL, '/mnt');

let copy: ReadableCopy;
const targets = liveTargets(() => copy);
const mounts: string[] = [];
beforeAll(async () => {
  copy = await readableCopy();
});
afterEach(async () => {
  await targets.stop();
  for (const mount of mounts.splice(0)) execFileSync('umount', [mount]);
});
afterAll(() => rmSync(copy.folder, { recursive: true, force: true }));

function script(name: string, text: string): string {
  const path = join(copy.scratch(), name);
  writeFileSync(path, text, { mode: 0o755 });
  return path;
}

/** Waits until the recording `r` has a slice, or until the run that makes it ends without. */
async function firstSlice(cwd: string, attach: Promise<unknown>): Promise<void> {
  let over = false;
  void attach.finally(() => {
    over = true;
  });
  await vi.waitUntil(() => over || existsSync(join(cwd, 'r/recording.json')), 60_000);
}

/** Fills a disk to its last byte. */
function fill(folder: string): void {
  for (const size of [65_536, 4096, 512]) {
    try {
      for (let count = 0; ; count += 1) writeFileSync(`${folder}/fill-${size}-${count}`, Buffer.alloc(size));
    } catch {
      // Full for this size.
    }
  }
}

function smallDisk(): string {
  const folder = copy.scratch();
  execFileSync('mount', [...SMALL, folder]);
  mounts.push(folder);
  return folder;
}
/** By name: our own sampler needs no other program. */
const BY_PYSPY = [...ATTACH.slice(0, 1), '--backend', 'py-spy', ...ATTACH.slice(1)];

describeWhere(HAS_PYTHON, NO_PYTHON)('a py-spy that cannot be used', (test) => {
  const INSTALL = 'profiler tools install py-spy';

  test('is missing', async () => {
    const { pid } = await targets.python('waits.py');
    const home = copy.scratch();
    const run = await copy.run([...BY_PYSPY, `${pid}`], {
      env: { PROFILER_PY_SPY: undefined, PATH: home, HOME: home },
    });
    expect(errorOf(run)).toEqual({
      code: 1,
      out: '',
      what: 'The sampler py-spy was not found.',
      why: `It is neither in PATH, nor in the target's own Python, nor in ${home}/.local/share/sim-profiler/tools.`,
      fix: INSTALL,
    });
  });

  test('is not where it was said to be', async () => {
    const { pid } = await targets.python('waits.py');
    expect(errorOf(await copy.run([...ATTACH, `${pid}`, '--py-spy', '/nowhere/py-spy']))).toMatchObject({
      code: 1,
      what: 'There is no py-spy at /nowhere/py-spy.',
      fix: `${INSTALL}  (and leave the path out)`,
    });
  });

  const foreign = Buffer.alloc(64);
  foreign.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  // A machine that is none: EM_NONE.
  foreign.set([2, 0, 0, 0, 1], 16);
  for (const [name, content, mode, why] of [
    [
      'is a text file',
      'not a program\n',
      0o755,
      /^This is because py-spy --version ended with exit code 127/,
    ],
    [
      'crashes',
      '#!/bin/sh\nkill -SEGV $$\n',
      0o755,
      /^This is because py-spy --version was ended by SIGSEGV\.$/,
    ],
    ['is for another machine', foreign, 0o755, /^This is because it is not a program for this machine\.$/],
    [
      'may not be run',
      '#!/bin/sh\n',
      0o644,
      /^This is because it is not executable, or its disk is mounted noexec\.$/,
    ],
  ] as const) {
    test(name, async () => {
      const { pid } = await targets.python('waits.py');
      const path = join(copy.scratch(), 'py-spy');
      writeFileSync(path, content, { mode });
      const error = errorOf(await copy.run([...BY_PYSPY, `${pid}`], { env: { PROFILER_PY_SPY: path } }));
      expect(error).toMatchObject({
        code: 1,
        what: `The py-spy at ${path} cannot be used.`,
        fix: `${INSTALL}  (and leave the path out)`,
      });
      expect(error.why).toMatch(why);
    });
  }

  for (const [name, does, why] of [
    [
      'crashes as soon as it records',
      'echo garbage; kill -SEGV $$',
      'It ended by a signal; this message is not known to us.',
    ],
    ['records nothing and says nothing', 'exit 1', 'It may have been killed, or be broken.'],
  ] as const) {
    test(name, async () => {
      const { pid } = await targets.python('waits.py');
      const path = script(
        'py-spy',
        `#!/bin/sh\ncase $1 in record) ${does};; dump) echo '[{}]';; *) echo py-spy 0.4.3;; esac\n`,
      );
      const cwd = copy.scratch();
      const run = await copy.run([...BY_PYSPY, `${pid}`], { cwd, env: { PROFILER_PY_SPY: path } });
      expect(errorOf(run)).toMatchObject({ code: 1, why, fix: `${path} dump --pid ${pid}` });
    });
  }
});

describeWhere(HAS_PYSPY && HAS_PYTHON, NO_PYSPY)('a recording that goes wrong', (test) => {
  for (const backend of ['cpython', 'py-spy']) {
    // Tried faster by test/capture: cpython-capture.test.ts, record.test.ts.
    onlyWithAll(test)(`keeps what ${backend} has when the target is killed, and says so`, async () => {
      const pid = await targets.loop();
      const cwd = copy.scratch();
      const flags = ['--backend', backend, '-d', '60', '--no-baseline', '-o', 'r'];
      const attach = copy.run(['attach', '--pid', `${pid}`, ...flags], { cwd });
      await firstSlice(cwd, attach);
      process.kill(pid, 'SIGKILL');
      const run = await attach;
      expect([run.code, run.err.split('\n').length]).toEqual([0, 1]);
      expect(run.out).toMatch(new RegExp(`Process ${pid} ended during the recording; \\d+\\.\\d of 60 s`));
      const again = await copy.run(['buckets', 'r'], { cwd });
      expect([again.code, again.out]).toEqual([0, run.out]);
    });
  }

  test('has no samples', async () => {
    const { pid } = await targets.python('waits.py');
    const path = script(
      'py-spy',
      `#!/bin/sh\n[ "$1" = record ] && set -- "$@" --gil\nexec ${copy.pyspy} "$@"\n`,
    );
    const run = await copy.run([...BY_PYSPY, `${pid}`], {
      cwd: copy.scratch(),
      env: { PROFILER_PY_SPY: path },
    });
    const error = errorOf(run);
    expect(error).toMatchObject({
      code: 1,
      why: 'The interpreter has no Python thread yet or any more, or its stacks cannot be read.',
      fix: `${path} dump --pid ${pid}`,
    });
    expect(error.what).toMatch(
      new RegExp(`^The sampler ran for \\d\\.\\d s and read no stack of process ${pid}\\.$`),
    );
  });

  describeWhere(CAN_MOUNT, 'needs the right to mount a small disk')('on a full disk', (mounted) => {
    const heavy = onlyWithAll(mounted);
    heavy('keeps the slices that were written, and they can be read', async () => {
      const pid = await targets.loop();
      const cwd = smallDisk();
      const attach = copy.run(['attach', '-d', '60', '--no-baseline', '--pid', `${pid}`, '-o', 'r'], { cwd });
      await firstSlice(cwd, attach);
      fill(cwd);
      const error = errorOf(await attach);
      expect(error).toMatchObject({
        code: 1,
        what: `No space is left for the recording ${cwd}/r.`,
        fix: `df -h ${cwd}/r`,
      });
      const seconds = /^The first \d slices? \((\d+\.\d) s\) (?:is|are) kept in it\.$/.exec(error.why)?.[1];
      const buckets = await copy.run(['buckets', 'r'], { cwd });
      expect([buckets.code, buckets.err]).toEqual([0, '']);
      // The window stands in a line that is wrapped where the names before it are long.
      expect(buckets.out.replaceAll(/\s+/g, ' ')).toMatch(new RegExp(` ${seconds} s at \\d+ Hz`));
      // Nobody pressed it.
      expect(buckets.out).not.toContain('Ctrl-C');
    });

    mounted('from the start keeps nothing, and says so', async () => {
      const { pid } = await targets.python('waits.py');
      const cwd = smallDisk();
      fill(cwd);
      expect(errorOf(await copy.run([...ATTACH, `${pid}`, '-o', 'r'], { cwd }))).toMatchObject({
        code: 1,
        what: `No space is left for the recording ${cwd}/r.`,
        why: 'Nothing could be kept.',
        fix: `df -h ${cwd}/r`,
      });
    });
  });
});

describeWhere(HAS_PYSPY && HAS_PYTHON, NO_PYSPY)('a folder that cannot take a recording', (test) => {
  test('holds something already', async () => {
    const { pid } = await targets.python('waits.py');
    const cwd = copy.scratch();
    mkdirSync(join(cwd, 'thesis'));
    writeFileSync(join(cwd, 'thesis/thesis.tex'), 'x');
    expect(errorOf(await copy.run([...ATTACH, `${pid}`, '-o', 'thesis'], { cwd }))).toMatchObject({
      code: 2,
      what: `The folder ${cwd}/thesis is not empty.`,
      fix: 'profiler attach … -o NEW_FOLDER',
    });
    expect(readdirSync(join(cwd, 'thesis'))).toEqual(['thesis.tex']);
  });

  test('is a file', async () => {
    const { pid } = await targets.python('waits.py');
    const cwd = copy.scratch();
    writeFileSync(join(cwd, 'notes'), 'x');
    for (const folder of ['notes', 'notes/r']) {
      expect(errorOf(await copy.run([...ATTACH, `${pid}`, '-o', folder], { cwd }))).toMatchObject({
        code: 1,
        why: 'There is a file of that name, or a part of the path is one.',
        fix: 'profiler attach … -o NEW_FOLDER',
      });
    }
    expect(readFileSync(join(cwd, 'notes'), 'utf8')).toBe('x');
  });

  itWhere(AS_NOBODY && YAMA_LEVEL === 0, NO_NOBODY)('belongs to another user', async () => {
    const { pid } = await targets.python('waits.py', NOBODY);
    const cwd = copy.scratch();
    chmodSync(cwd, 0o755);
    const options = { cwd, user: NOBODY };
    for (const [flags, folder] of [
      [['-o', 'r'], 'r'],
      [[], 'recordings'],
    ] as const) {
      expect(errorOf(await copy.run([...ATTACH, `${pid}`, ...flags], options))).toMatchObject({
        code: 1,
        what: `The folder ${cwd}/${folder} could not be made (EACCES).`,
        fix: 'profiler attach … -o NEW_FOLDER',
      });
    }
    expect(readdirSync(cwd)).toEqual([]);
  });
});
