import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { ProfilerError } from '../../../src/model/index.js';
import { findProgram } from '../../../src/target/launch/find-program.js';
import { inForeground } from '../../../src/target/launch/foreground.js';
import { isLauncher, launchFacts, launchOf } from '../../../src/target/launch/launcher.js';
import { startProgram } from '../../../src/target/launch/start-program.js';

const PYTHON = '/usr/bin/python3';
const OWN = { file: '/bin/sim', argv: ['sim', '--hz', '500'] };
const FACTS = { yama: 1, capable: false, selfPid: 4711, python: PYTHON, ctype: false } as const;

function errorOf(action: () => unknown): { readonly id: string; readonly exitCode: number } | undefined {
  try {
    action();
  } catch (error) {
    if (error instanceof ProfilerError) return { id: error.finding.id, exitCode: error.exitCode };
  }
  return undefined;
}

describe('how a program is started', () => {
  it.each([undefined, 0, 2, 3])('is as it stands where ptrace_scope is %s', (yama) => {
    expect(launchOf(OWN, { ...FACTS, yama })).toEqual(OWN);
  });

  it('is as it stands for who holds CAP_SYS_PTRACE', () => {
    expect(launchOf(OWN, { ...FACTS, capable: true })).toEqual(OWN);
  });

  it('is by a launcher that permits us, and nobody else, where Yama asks for it', () => {
    const { file, argv } = launchOf(OWN, FACTS);
    expect(file).toBe(PYTHON);
    expect(argv.slice(0, 4)).toEqual([PYTHON, '-I', '-S', '-c']);
    expect(argv[4]).toContain('prctl(ctypes.c_int(0x59616d61), ctypes.c_ulong(int(sys.argv[1])), 0, 0, 0)');
    expect(argv.slice(5)).toEqual(['4711', 'unset', '/bin/sim', 'sim', '--hz', '500']);
    expect(isLauncher(argv)).toBe(true);
    expect(isLauncher(OWN.argv)).toBe(false);
  });

  it('cannot be where a launcher is needed and there is no Python', () => {
    const facts = { ...FACTS, python: undefined };
    expect(errorOf(() => launchOf(OWN, facts))).toEqual({ id: 'launcher-missing', exitCode: 1 });
  });

  it('is decided by the facts of this machine', () => {
    const proc = mkdtempSync(join(tmpdir(), 'profiler-proc-'));
    mkdirSync(join(proc, 'sys/kernel/yama'), { recursive: true });
    mkdirSync(join(proc, 'self'));
    writeFileSync(join(proc, 'sys/kernel/yama/ptrace_scope'), '1\n');
    writeFileSync(join(proc, 'self/status'), 'Name:\tnode\nCapEff:\t0000000000000000\n');
    const python = { file: '/venv/bin/python3.11', argv: ['python'] };
    expect(launchFacts(python, { LC_CTYPE: 'C' }, '/', proc)).toEqual({
      yama: 1,
      capable: false,
      selfPid: process.pid,
      python: '/venv/bin/python3.11',
      ctype: true,
    });
    writeFileSync(join(proc, 'self/status'), 'CapEff:\t0000000000080000\n');
    expect(launchFacts(OWN, { PATH: '' }, proc, proc)).toMatchObject({
      capable: true,
      python: undefined,
      ctype: false,
    });
  });
});

describe('the launcher', () => {
  it('becomes the program, with its arguments, its environment and its signals as they would have been', async () => {
    // Without an environment Python would set LC_CTYPE; it always ignores SIGPIPE.
    const program = {
      file: '/bin/sh',
      argv: ['my-sh', '-c', 'echo $0 "$@"; env; grep SigIgn /proc/$$/status', '-', 'a b', ''],
    };
    const env = { PATH: '/usr/bin:/bin' };
    const plain = await execa(program.file, program.argv.slice(1), { argv0: 'my-sh', env, extendEnv: false });
    const { file, argv } = launchOf(program, { ...FACTS, selfPid: process.pid });
    const launched = await execa(file, argv.slice(1), { env, extendEnv: false });
    expect(launched.stdout).toBe(plain.stdout);
    expect(launched.stdout).toContain('SigIgn:\t0000000000000000');
  });

  it('passes the exit code through', async () => {
    const { file, argv } = launchOf({ file: '/bin/sh', argv: ['sh', '-c', 'exit 5'] }, FACTS);
    const program = await startProgram({ file, argv }, { env: process.env, cwd: '/', through: false });
    expect(await program.ended).toEqual({ code: 5 });
  });
});

describe('a program', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'profiler-find-'));
    mkdirSync(join(folder, 'bin'));
    mkdirSync(join(folder, 'other'));
    writeFileSync(join(folder, 'bin/sim'), '#!/bin/sh\n');
    writeFileSync(join(folder, 'other/sim'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(join(folder, 'walk.py'), '');
    chmodSync(join(folder, 'walk.py'), 0o644);
  });
  const find = (name: string): string => findProgram(name, { PATH: `${folder}/bin:${folder}/other` }, folder);

  it('is found by PATH, past what is not executable, or by its path', () => {
    expect(find('sim')).toBe(join(folder, 'other/sim'));
    expect(find('./other/sim')).toBe(join(folder, 'other/sim'));
  });

  it('that is none has the exit codes of a shell', () => {
    expect(errorOf(() => find('nosuch'))).toEqual({ id: 'program-not-found', exitCode: 127 });
    expect(errorOf(() => find('./nosuch'))).toEqual({ id: 'program-not-found', exitCode: 127 });
    expect(errorOf(() => find(''))).toEqual({ id: 'program-not-found', exitCode: 127 });
    expect(errorOf(() => find('./other'))).toEqual({ id: 'program-not-executable', exitCode: 126 });
    // Root may read anything, but executes only what anybody may.
    expect(errorOf(() => find('./walk.py'))).toEqual({ id: 'program-not-executable', exitCode: 126 });
  });

  it('that a signal ended has 128 and its number', async () => {
    const launch = { file: '/bin/sh', argv: ['sh', '-c', 'kill -9 $$'] };
    const program = await startProgram(launch, { env: process.env, cwd: '/', through: false });
    expect(await program.ended).toEqual({ code: 137, signal: 'SIGKILL' });
    expect(program.end()).toEqual({ code: 137, signal: 'SIGKILL' });
  });

  it('whose interpreter is missing is told', async () => {
    const path = join(folder, 'broken');
    writeFileSync(path, '#!/no/such/interpreter\n', { mode: 0o755 });
    const started = startProgram({ file: path, argv: [path] }, { env: {}, cwd: '/', through: false });
    await expect(started).rejects.toMatchObject({ finding: { id: 'program-not-started' }, exitCode: 126 });
  });
});

const stat = (group: number, foreground: number): string => {
  const proc = mkdtempSync(join(tmpdir(), 'profiler-stat-'));
  mkdirSync(join(proc, 'self'));
  writeFileSync(join(proc, 'self/stat'), `7 (a) b) S 1 ${group} 5 34816 ${foreground} 0 0\n`);
  return proc;
};

describe('the foreground of a terminal', () => {
  it('is ours where its group is', () => {
    expect(inForeground(stat(7, 7))).toBe(true);
    expect(inForeground(stat(7, 9))).toBe(false);
    expect(inForeground(stat(7, -1))).toBe(false);
    expect(inForeground('/nonexistent')).toBe(false);
  });
});
