import { afterAll, beforeAll, expect, vi } from 'vitest';
import {
  openEngine,
  putFile,
  readStat,
  runExec,
  startExec,
  getFile,
  statFile,
  type Engine,
  type ExecRequest,
} from '../../../src/target/index.js';
import { startDocker, whyNoDocker, type TestDocker } from '../../docker/daemon.js';
import { startSimulation, type SimulationContainer } from '../../docker/simulation-container.js';
import { describeWhere } from '../../only-where.js';
import { failureOf } from './failure.js';

const SLEEP = ['/usr/bin/sleep', 'infinity'];
const NOWHERE = 'f'.repeat(64);

describeWhere(whyNoDocker === undefined, whyNoDocker ?? '')('programs and files in a container', (it) => {
  let daemon: TestDocker;
  let engine: Engine;
  let box: SimulationContainer;
  let sealed: SimulationContainer;
  const run = (request: ExecRequest, container = box.id) => runExec(engine, container, request);
  beforeAll(async () => {
    if (whyNoDocker !== undefined) return;
    daemon = await startDocker();
    engine = await openEngine(daemon.env);
    const options = { command: SLEEP, noexecTmp: true };
    box = await startSimulation(daemon.docker, { name: 'a-exec', ...options });
    sealed = await startSimulation(daemon.docker, { name: 'a-sealed', ...options, readOnly: true });
  });
  afterAll(async () => {
    await box?.remove();
    await sealed?.remove();
    await daemon?.stop();
  });

  it('keeps the two outputs apart, and passes exit code, user and environment', async () => {
    const script = 'id -u; id -g; echo "$A" >&2; exit 7';
    const request = { command: ['/bin/sh', '-c', script], user: '77:88', env: { A: 'x y' } };
    expect(await run(request)).toEqual({ stdout: '77\n88\n', stderr: 'x y\n', exitCode: 7, refused: false });
  });

  it('holds an input open until its end is asked for', async () => {
    const command = ['/bin/sh', '-c', 'echo begun; read -r line; echo "$? $line"'];
    const exec = await startExec(engine, box.id, { command, holdsInput: true });
    let told = '';
    exec.stdout.setEncoding('utf8').on('data', (text: string) => (told += text));
    exec.stderr.resume();
    await vi.waitUntil(() => told === 'begun\n');
    exec.endInput();
    expect(await exec.end).toEqual({ exitCode: 0, refused: false });
    expect(told).toBe('begun\n1 \n');
  });

  it('gives the pid that this machine knows while the program runs', async () => {
    const exec = await startExec(engine, box.id, { command: SLEEP });
    const pid = (await exec.pid) ?? 0;
    // The engine's own program becomes this one a moment later.
    await vi.waitFor(() => expect(readStat(pid)?.comm).toBe('sleep'));
    process.kill(pid, 'SIGKILL');
    exec.stdout.resume();
    exec.stderr.resume();
    expect(await exec.end).toEqual({ exitCode: 137, refused: false });
    expect(await exec.pid).toBe(pid);
  });

  it('carries many bytes in and out, however they are cut', async () => {
    const input = Buffer.alloc(3_000_001, 'abcdefghij');
    const { stdout, stderr, exitCode } = await run({ command: ['/usr/bin/tee', '/dev/stderr'], input });
    expect(exitCode).toBe(0);
    expect(stdout === input.toString() && stderr === input.toString()).toBe(true);
  });

  it('lets a program end without reading its input', async () => {
    const input = Buffer.alloc(3_000_000);
    expect(await run({ command: ['/bin/sh', '-c', 'echo done'], input })).toEqual({
      stdout: 'done\n',
      stderr: '',
      exitCode: 0,
      refused: false,
    });
  });

  for (const [what, request, words] of [
    ['no such program', { command: ['/nonesuch'] }, 'no such file or directory'],
    ['a folder', { command: ['/usr'] }, 'permission denied'],
    ['no such user', { command: SLEEP, user: 'nobody-here' }, 'unable to find user nobody-here'],
  ] as const)
    it(`tells a program that the engine could not start: ${what}`, async () => {
      const end = await run(request);
      expect(end).toMatchObject({ exitCode: 126, refused: true });
      expect(`${end.stdout}${end.stderr}`).toContain(words);
      const exec = await startExec(engine, box.id, request);
      exec.stdout.resume();
      exec.stderr.resume();
      expect(await exec.pid).toBeUndefined();
    });

  it('tells a program that ends with 126 by itself from one that could not be started', async () => {
    expect(await run({ command: ['/bin/sh', '-c', 'exit 126'] })).toMatchObject({
      exitCode: 126,
      refused: false,
    });
  });

  it('refuses what has no running program', async () => {
    expect(await failureOf(() => run({ command: SLEEP }, NOWHERE))).toMatchObject({
      id: 'no-such-container',
    });
    await box.container.pause();
    expect(await failureOf(() => run({ command: SLEEP }))).toMatchObject({
      id: 'container-paused',
      fix: `docker unpause ${box.id}`,
    });
    await box.container.unpause();
    const idle = await startSimulation(daemon.docker, { name: 'a-idle', command: SLEEP, start: false });
    expect(await failureOf(() => run({ command: SLEEP }, idle.id))).toMatchObject({ id: 'container-exited' });
    await idle.remove();
  });

  it('puts a file that can be run, finds and fetches it', async () => {
    const content = Buffer.from('#!/bin/sh\necho from the file\n');
    await putFile(engine, box.id, { folder: '/run/sim', name: 'tool', content });
    expect(await run({ command: ['/run/sim/tool'], user: '77:88' })).toMatchObject({
      stdout: 'from the file\n',
    });
    expect(await statFile(engine, box.id, '/run/sim/tool')).toMatchObject({
      name: 'tool',
      size: content.length,
    });
    expect(await getFile(engine, box.id, '/run/sim/tool')).toEqual(content);
    expect(await failureOf(() => getFile(engine, box.id, '/run/sim/tool', 5))).toMatchObject({
      id: 'container-file-large',
      what: expect.stringContaining(`has ${content.length} bytes; 5 are taken at most`),
    });
  });

  it('knows a file that is not there from a container that is not there', async () => {
    expect(await statFile(engine, box.id, '/run/sim/nonesuch')).toBeUndefined();
    expect(await getFile(engine, box.id, '/run/sim/nonesuch')).toBeUndefined();
    expect(await getFile(engine, box.id, '/run/sim')).toBeUndefined();
    expect(await failureOf(() => statFile(engine, NOWHERE, '/x'))).toMatchObject({ id: 'no-such-container' });
    expect(await failureOf(() => getFile(engine, NOWHERE, '/x'))).toMatchObject({ id: 'no-such-container' });
  });

  it('puts a file under a mount where nobody sees it: only running it tells', async () => {
    await putFile(engine, box.id, { folder: '/tmp', name: 'hidden', content: Buffer.from('#!/bin/sh\n') });
    expect(await run({ command: ['/tmp/hidden'] })).toMatchObject({ refused: true });
  });

  for (const [what, container, folder, id] of [
    ['a read-only root', () => sealed.id, '/', 'container-read-only'],
    ['no such folder', () => box.id, '/nonesuch', 'container-no-folder'],
    ['a file in the place of the folder', () => box.id, '/usr/bin/env', 'container-no-folder'],
    ['no such container', () => NOWHERE, '/', 'no-such-container'],
  ] as const)
    it(`says why it cannot put a file: ${what}`, async () => {
      const file = { folder, name: 'tool', content: Buffer.from('x') };
      expect(await failureOf(() => putFile(engine, container(), file))).toMatchObject({
        id,
        level: 'blocker',
      });
    });

  it('says that the disk is full', async () => {
    const options = { type: 'tmpfs', device: 'tmpfs', o: 'size=16k' };
    const volume = { Type: 'volume', Source: '', Target: '/full', ReadOnly: false } as const;
    const full = await startSimulation(daemon.docker, {
      name: 'a-full',
      command: SLEEP,
      mounts: [
        {
          ...volume,
          VolumeOptions: { DriverConfig: { Name: 'local', Options: options }, NoCopy: true, Labels: {} },
        },
      ],
    });
    const file = { folder: '/full', name: 'tool', content: Buffer.alloc(100_000) };
    expect(await failureOf(() => putFile(engine, full.id, file))).toMatchObject({
      id: 'container-disk-full',
      why: expect.stringContaining('no space left on device'),
    });
    await full.remove();
  });
});
