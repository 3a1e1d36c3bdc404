import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeEach, describe, expect, it } from 'vitest';
import { toolsCommand } from '../../src/cli/tools.js';
import { ProfilerError } from '../../src/model/index.js';
import {
  findPySpy,
  findTarget,
  installPySpy,
  toolsFolder,
  type Environment,
} from '../../src/target/index.js';
import { wheelFor } from '../../src/target/tools/release.js';
import { readZipEntry } from '../../src/target/tools/zip.js';
import { start } from './pythons.js';
import { scratch } from './scratch.js';
import { FAKE_PYSPY, wheelOf, zipOf } from './wheel.js';

let home: string;
beforeEach(() => {
  home = scratch();
});

/** Writes an executable script and gives its path. */
function script(path: string, text: string): string {
  const full = join(home, path);
  mkdirSync(join(full, '..'), { recursive: true });
  writeFileSync(full, text);
  chmodSync(full, 0o755);
  return full;
}

const says = (version: string): string => `#!/bin/sh\necho "py-spy ${version}"\n`;
const env = (more: Environment = {}): Environment => ({ HOME: home, PATH: join(home, 'bin'), ...more });

async function failure(work: Promise<unknown>): Promise<ProfilerError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ProfilerError) return error;
  throw new Error(`not a ProfilerError: ${String(error)}`);
}

describe('finding py-spy', () => {
  it('takes flag, environment, PATH and tools folder in this order', async () => {
    const flag = script('flag/py-spy', says('0.1.0'));
    const named = script('named/py-spy', says('0.2.0'));
    const inPath = script('bin/py-spy', says('0.3.0'));
    const ours = script('.local/share/sim-profiler/tools/py-spy', says('0.4.0'));
    const all = env({ PROFILER_PY_SPY: named });
    expect(await findPySpy({ explicit: flag, env: all })).toEqual({
      path: flag,
      version: '0.1.0',
      from: 'flag',
      passedOver: [],
    });
    expect(await findPySpy({ env: all })).toMatchObject({
      path: named,
      version: '0.2.0',
      from: 'environment',
    });
    expect(await findPySpy({ env: env() })).toMatchObject({ path: inPath, version: '0.3.0', from: 'path' });
    expect(await findPySpy({ env: env({ PATH: '/nonexistent' }) })).toMatchObject({
      path: ours,
      from: 'tools-folder',
    });
  });

  it('takes the one beside the Python of the target after PATH, before ours', async () => {
    const ours = script('.local/share/sim-profiler/tools/py-spy', says('0.4.0'));
    const beside = script('venv/bin/py-spy', says('0.4.2'));
    const started = await start('/bin/sh', ['-c', 'echo ready; read line'], {
      env: { VIRTUAL_ENV: join(home, 'venv') },
    });
    try {
      const target = findTarget({ pid: started.pid, selfPid: process.pid });
      expect(await findPySpy({ env: env(), target })).toMatchObject({
        path: beside,
        from: 'target',
        version: '0.4.2',
      });
      expect(await findPySpy({ env: env() })).toMatchObject({ path: ours });
    } finally {
      await started.stop();
    }
  });

  it.each([
    ['by a path from its working folder', 'venv/bin/python3', {}],
    ['by its bare name, as in an activated environment', 'python3', { PATH: 'HOME/venv/bin:/usr/bin:/bin' }],
  ])('finds the one beside a Python that was called %s', async (_, called, variables) => {
    const beside = script('venv/bin/py-spy', says('0.4.2'));
    symlinkSync('/bin/sh', join(home, 'venv/bin/python3'));
    const given = Object.entries(variables).map(([name, value]) => [name, value.replace('HOME', home)]);
    const started = await start(called, ['-c', 'echo ready; read line'], {
      cwd: home,
      env: Object.fromEntries(given),
    });
    try {
      const target = findTarget({ pid: started.pid, selfPid: process.pid });
      expect(await findPySpy({ env: env(), target })).toMatchObject({ path: beside, from: 'target' });
    } finally {
      await started.stop();
    }
  });

  it('does not take one from a target that sees other files than we do', async (context) => {
    const may = await execa('unshare', ['-m', 'true'], { reject: false });
    if (may.exitCode !== 0) return context.skip();
    script('venv/bin/py-spy', says('0.4.2'));
    const args = ['-m', '/bin/sh', '-c', 'echo ready; read line'];
    const started = await start('unshare', args, { env: { VIRTUAL_ENV: join(home, 'venv') } });
    try {
      const target = findTarget({ pid: started.pid, selfPid: process.pid });
      expect((await failure(findPySpy({ env: env(), target }))).finding.id).toBe('py-spy-missing');
    } finally {
      await started.stop();
    }
  });

  it.runIf(process.geteuid?.() === 0)('does not run a program of another user as root', async () => {
    const beside = script('venv/bin/py-spy', says('0.4.2'));
    await execa('chown', ['65534', beside]);
    const started = await start('/bin/sh', ['-c', 'echo ready; read line'], {
      env: { VIRTUAL_ENV: join(home, 'venv') },
    });
    try {
      const target = findTarget({ pid: started.pid, selfPid: process.pid });
      const error = await failure(findPySpy({ env: env(), target }));
      expect(error.finding).toMatchObject({
        id: 'py-spy-broken',
        why: 'This is because it belongs to another user.',
      });
      expect(await findPySpy({ env: env({ SUDO_UID: '65534' }), target })).toMatchObject({ path: beside });
    } finally {
      await started.stop();
    }
  });

  it('passes over a broken one and says so', async () => {
    const broken = script('bin/py-spy', '#!/bin/sh\necho "shim: command not found" >&2\nexit 127\n');
    const ours = script('.local/share/sim-profiler/tools/py-spy', says('0.4.3'));
    expect(await findPySpy({ env: env() })).toEqual({
      path: ours,
      version: '0.4.3',
      from: 'tools-folder',
      passedOver: [
        {
          path: broken,
          because: 'py-spy --version ended with exit code 127 and said: shim: command not found',
        },
      ],
    });
  });

  it('never replaces the path that the user named', async () => {
    script('bin/py-spy', says('0.4.3'));
    const absent = join(home, 'absent');
    expect((await failure(findPySpy({ explicit: absent, env: env() }))).finding).toMatchObject({
      id: 'py-spy-missing',
      what: `There is no py-spy at ${absent}.`,
    });
    expect((await failure(findPySpy({ env: env({ PROFILER_PY_SPY: absent }) }))).finding.why).toContain(
      'PROFILER_PY_SPY',
    );
  });

  it('says what to type when there is none', async () => {
    const { finding } = await failure(findPySpy({ env: env() }));
    expect(finding).toMatchObject({ id: 'py-spy-missing', fix: 'profiler tools install py-spy' });
  });

  it.each([
    [
      'is for another machine',
      '\u007fELF\u0002\u0001\u0001'.padEnd(64, '\0'),
      'because it is not a program for this machine.',
    ],
    ['lacks its interpreter', '#!/nonexistent/python\n', 'is missing'],
    ['is another program', '#!/bin/sh\necho hello\n', 'exit code 0 and said: hello'],
    ['fails', '#!/bin/sh\necho "no memory" >&2\nexit 3\n', 'exit code 3 and said: no memory'],
    ['is killed', '#!/bin/sh\nkill -KILL $$\n', 'was ended by SIGKILL'],
  ])('tells a binary that %s', async (_, text, why) => {
    const path = script('py-spy', text);
    const { finding } = await failure(findPySpy({ explicit: path, env: env() }));
    expect(finding).toMatchObject({ id: 'py-spy-broken', what: `The py-spy at ${path} cannot be used.` });
    expect(finding.why).toContain(why);
  });

  it('tells a binary that is not executable', async () => {
    const path = script('py-spy', FAKE_PYSPY);
    chmodSync(path, 0o644);
    expect((await failure(findPySpy({ explicit: path, env: env() }))).finding.why).toContain(
      'it is not executable',
    );
  });
});

describe('the tools folder', () => {
  it('follows XDG_DATA_HOME, unless that is relative', () => {
    expect(toolsFolder({ HOME: '/h', XDG_DATA_HOME: '/data' })).toBe('/data/sim-profiler/tools');
    expect(toolsFolder({ HOME: '/h', XDG_DATA_HOME: 'data' })).toBe('/h/.local/share/sim-profiler/tools');
    expect(toolsFolder({ HOME: '/h' })).toBe('/h/.local/share/sim-profiler/tools');
  });
});

const from = (bytes: Buffer) => async (_: unknown, folder: string) => {
  writeFileSync(join(folder, 'py_spy.whl'), bytes);
  return 'py_spy.whl';
};

const folder = (): string => toolsFolder(env());

/** A `python3` whose pip does what the text says; the other ways to run pip are absent. */
const pip = (text: string): void => {
  script('bin/python3', `#!/bin/sh\nif [ "$3" = --version ]; then exit 0; fi\n${text}\n`);
};

describe('installing py-spy', () => {
  it('unpacks the binary, executable, and leaves nothing else', async () => {
    const { bytes, wheel } = wheelOf(FAKE_PYSPY);
    const tool = await installPySpy({ env: env(), arch: 'x64', wheel, download: from(bytes) });
    expect(tool).toEqual({ path: join(folder(), 'py-spy'), version: '0.4.3', sha256: wheel.sha256 });
    expect(readFileSync(tool.path, 'utf8')).toBe(FAKE_PYSPY);
    expect(statSync(tool.path).mode & 0o777).toBe(0o755);
    expect(readdirSync(folder())).toEqual(['py-spy']);
  });

  it('refuses a wheel with another checksum and keeps the old binary', async () => {
    const old = script('.local/share/sim-profiler/tools/py-spy', says('0.4.1'));
    const { bytes } = wheelOf(FAKE_PYSPY);
    const wheel = { platform: 'any', sha256: '0'.repeat(64) };
    const { finding } = await failure(
      installPySpy({ env: env(), arch: 'x64', wheel, download: from(bytes) }),
    );
    expect(finding.id).toBe('tool-checksum');
    expect(finding.what).toContain(wheelOf(FAKE_PYSPY).wheel.sha256);
    expect(readFileSync(old, 'utf8')).toBe(says('0.4.1'));
    expect(readdirSync(folder())).toEqual(['py-spy']);
  });

  it('says that a folder cannot be made', async () => {
    writeFileSync(join(home, '.local'), 'a file');
    const { bytes, wheel } = wheelOf(FAKE_PYSPY);
    const { finding } = await failure(
      installPySpy({ env: env(), arch: 'x64', wheel, download: from(bytes) }),
    );
    expect(finding).toMatchObject({ id: 'tool-folder' });
    expect(finding.what).toContain(folder());
  });

  it('says that the binary does not run', async () => {
    const { bytes, wheel } = wheelOf('#!/bin/sh\nexit 5\n');
    const { finding } = await failure(
      installPySpy({ env: env(), arch: 'x64', wheel, download: from(bytes) }),
    );
    expect(finding).toMatchObject({ id: 'tool-broken' });
  });

  it('says that the disk is full', async (context) => {
    const data = join(home, 'small');
    mkdirSync(data);
    const mounted = await execa('mount', ['-t', 'tmpfs', '-o', 'size=32k', 'none', data], { reject: false });
    if (mounted.exitCode !== 0) return context.skip();
    try {
      const { bytes, wheel } = wheelOf(`${FAKE_PYSPY}#${'x'.repeat(100_000)}\n`);
      const options = { env: env({ XDG_DATA_HOME: data }), arch: 'x64', wheel, download: from(bytes) };
      const { finding } = await failure(installPySpy(options));
      expect(finding).toMatchObject({ id: 'tool-disk-full' });
      expect(readdirSync(join(data, 'sim-profiler/tools'))).toEqual([]);
    } finally {
      await execa('umount', [data]);
    }
  });

  it('knows no wheel for other machines', async () => {
    expect((await failure(installPySpy({ env: env(), arch: 'riscv64' }))).finding.id).toBe('tool-no-wheel');
    expect((await failure(installPySpy({ env: env(), arch: 'constructor' }))).finding.id).toBe(
      'tool-no-wheel',
    );
    expect([wheelFor('x64').platform, wheelFor('arm64').platform]).toEqual([
      'manylinux2014_x86_64',
      'manylinux2014_aarch64',
    ]);
  });

  it('asks the user’s own pip for exactly the pinned wheel', async () => {
    pip(`echo "$@" > ${home}/args; exit 1`);
    await failure(installPySpy({ env: env(), arch: 'arm64' }));
    expect(
      readFileSync(join(home, 'args'), 'utf8')
        .replace(/--dest \S+/, '--dest DIR')
        .trim(),
    ).toBe(
      '-m pip download py-spy==0.4.3 --no-deps --only-binary :all: --platform manylinux2014_aarch64 --dest DIR ' +
        '--no-input --disable-pip-version-check --retries 2 --timeout 15',
    );
  });

  it.each([
    ['no network', 'NewConnectionError: [Errno -3] Temporary failure in name resolution', 'tool-no-network'],
    [
      'a full disk',
      'ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device',
      'tool-disk-full',
    ],
    ['something else', 'ERROR: No matching distribution found for py-spy==0.4.3', 'tool-download'],
  ])('tells %s from what pip says', async (_, said, id) => {
    pip(`echo '${said}' >&2; exit 1`);
    expect((await failure(installPySpy({ env: env(), arch: 'x64' }))).finding.id).toBe(id);
    expect(readdirSync(folder())).toEqual([]);
  });

  it('says that there is neither pip nor uv', async () => {
    expect((await failure(installPySpy({ env: env(), arch: 'x64' }))).finding).toMatchObject({
      id: 'tool-no-pip',
      why: 'Tried: python3 -m pip, pip3, pip, uv tool run pip.',
    });
  });

  it('runs pip through uv where there is no other', async () => {
    script(
      'bin/uv',
      `#!/bin/sh\n[ "$4" = --version ] && exit 0\necho "$1 $2 $3 $4" > ${home}/args; exit 1\n`,
    );
    await failure(installPySpy({ env: env(), arch: 'x64' }));
    expect(readFileSync(join(home, 'args'), 'utf8').trim()).toBe('tool run pip download');
  });
});

describe('zip', () => {
  const archive = zipOf({ 'a.txt': 'stored', 'b.txt': 'deflated '.repeat(50) });

  it('reads stored and deflated entries', () => {
    expect(readZipEntry(archive, (name) => name === 'a.txt')?.toString()).toBe('stored');
    expect(readZipEntry(archive, (name) => name === 'b.txt')?.toString()).toBe('deflated '.repeat(50));
    expect(readZipEntry(archive, (name) => name === 'c.txt')).toBeUndefined();
  });

  it.each([0, 10, 60, archive.length - 23, archive.length - 1])(
    'throws for one that is cut after %i bytes',
    (length) => {
      expect(() => readZipEntry(archive.subarray(0, length), () => true)).toThrow(RangeError);
    },
  );

  it('throws for an entry that is longer or shorter than announced', () => {
    const forged = Buffer.from(archive);
    const at = forged.lastIndexOf(Buffer.from('PK\u0001\u0002'));
    forged.writeUInt32LE(7, at + 24);
    expect(() => readZipEntry(forged, (name) => name === 'b.txt')).toThrow('another size');
  });
});

async function run(args: readonly string[], environment: Environment): Promise<{ out: string; err: string }> {
  const written = { out: '', err: '' };
  const io = {
    env: environment,
    out: async (text: string | Uint8Array) => {
      written.out += String(text);
    },
    err: (text: string | Uint8Array) => {
      written.err += String(text);
    },
  };
  await toolsCommand(io, 'riscv64').parseAsync([...args], { from: 'user' });
  return written;
}

describe('profiler tools', () => {
  it('lists what it found', async () => {
    const path = script('bin/py-spy', says('0.4.3'));
    expect(await run(['list'], env())).toEqual({ out: `py-spy  0.4.3  ${path}  (found in PATH)\n`, err: '' });
    expect(JSON.parse((await run(['list', '--json'], env())).out)).toEqual({
      schema: 'sim-profiler/v1',
      kind: 'tools',
      tools: [{ name: 'py-spy', state: 'found', path, version: '0.4.3', from: 'path', passedOver: [] }],
      findings: [],
    });
  });

  it('lists what is missing or broken, with the line to type', async () => {
    expect((await run([], env())).out).toContain('py-spy  missing: The sampler py-spy was not found.');
    script('bin/py-spy', '#!/bin/sh\nexit 1\n');
    const { out } = await run(['list'], env());
    expect(out).toContain('py-spy  broken: ');
    expect(out).toContain('\n  profiler tools install py-spy\n');
  });

  it('installs only what it knows', async () => {
    expect((await failure(run(['install', 'py-spy'], env()))).finding.id).toBe('tool-no-wheel');
  });
});
