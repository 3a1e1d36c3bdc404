import { execaSync } from 'execa';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { globalAgent } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect as connectTo, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openEngine, type Environment } from '../../../src/target/index.js';
import { startDocker, whyNoDocker, type TestDocker } from '../../docker/daemon.js';
import { describeWhere, itWhere } from '../../only-where.js';
import { scratch } from '../scratch.js';
import { failureOf } from './failure.js';
import { fakeEngine } from './fake-engine.js';

const VERSION = {
  Version: '24.0.7',
  ApiVersion: '1.43',
  MinAPIVersion: '1.12',
  Components: [{ Name: 'Engine' }],
};
const INFO = { SecurityOptions: ['name=seccomp,profile=default'] };
const DOCKER = { 'GET /version': VERSION, 'GET /info': INFO };
const PODMAN = {
  'GET /version': {
    Version: '4.9.3',
    ApiVersion: '1.41',
    MinAPIVersion: '1.24',
    Components: [{ Name: 'Podman Engine' }, { Name: 'Conmon' }],
  },
  // Only in the version that it speaks: a newer one would be refused.
  'GET /v1.41/info': { SecurityOptions: ['name=seccomp,profile=default', 'name=rootless'] },
};

/** All but the client, which is no data. */
async function met(env: Environment, sockets?: readonly string[]) {
  const { docker, ...facts } = await openEngine(env, sockets === undefined ? {} : { sockets });
  return { ...facts, canAsk: typeof docker.ping === 'function' };
}

/** A configuration folder with one context, which is the current one where `current` says so. */
function configuration(name: string, host: string, current: boolean): string {
  const folder = scratch();
  writeMeta(name, { Host: host }, folder);
  if (current) writeFileSync(join(folder, 'config.json'), JSON.stringify({ currentContext: name }));
  return folder;
}

function writeMeta(name: string, docker: object, configFolder: string): void {
  const folder = join(configFolder, 'contexts/meta', digestOf(name));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'meta.json'), JSON.stringify({ Name: name, Endpoints: { docker } }));
}

const digestOf = (name: string): string => createHash('sha256').update(name).digest('hex');

describeWhere(whyNoDocker === undefined, whyNoDocker ?? '')('a real engine', (test) => {
  let daemon: TestDocker;
  beforeAll(async () => {
    if (whyNoDocker === undefined) daemon = await startDocker();
  });
  afterAll(() => daemon?.stop());

  test('is met where DOCKER_HOST says, in the version of its API', async () => {
    const { Version, ApiVersion } = await daemon.docker.version();
    expect(await met({ DOCKER_HOST: daemon.host })).toEqual({
      host: daemon.host,
      from: 'DOCKER_HOST',
      version: Version,
      apiVersion: ApiVersion,
      kind: 'docker',
      rootless: false,
      local: true,
      canAsk: true,
    });
    const { docker } = await openEngine({ DOCKER_HOST: daemon.host });
    expect(await docker.listContainers({ filters: { name: ['nonesuch'] } })).toEqual([]);
  });

  test('does not let another user in', async () => {
    const socket = daemon.host.slice('unix://'.length);
    const uid = process.geteuid?.() ?? 0;
    // Connections that are open already would be used again.
    globalAgent.destroy();
    process.seteuid?.(65_534);
    try {
      for (const attempt of [
        () => openEngine({ DOCKER_HOST: daemon.host }),
        () => openEngine({}, { sockets: ['/nonesuch/docker.sock', socket] }),
      ])
        expect(await failureOf(attempt)).toMatchObject({
          id: 'engine-denied',
          what: expect.stringContaining(socket),
          fix: expect.stringContaining('usermod -aG docker'),
        });
    } finally {
      process.seteuid?.(uid);
    }
  });
});

describe('what names an engine', () => {
  it('is DOCKER_HOST before any context, the chosen context before the current one', async () => {
    const socket = await fakeEngine(DOCKER);
    const host = `unix://${socket}`;
    const other = configuration('robot', 'unix:///nonesuch/other.sock', true);
    expect(await met({ DOCKER_HOST: host, DOCKER_CONTEXT: 'robot', DOCKER_CONFIG: other })).toMatchObject({
      host,
    });
    const chosen = configuration('cart', host, false);
    expect(await met({ DOCKER_CONTEXT: 'cart', DOCKER_CONFIG: chosen })).toMatchObject({
      host,
      from: 'context',
    });
    const current = configuration('cart', host, true);
    expect(await met({ DOCKER_CONFIG: current })).toMatchObject({ host, from: 'context' });
    expect(await met({ DOCKER_CONTEXT: 'default', DOCKER_CONFIG: other }, [socket])).toMatchObject({
      host,
      from: 'default',
    });
  });

  it('is the first of the usual sockets that answers', async () => {
    const socket = await fakeEngine(DOCKER);
    expect(await met({ DOCKER_HOST: '', HOME: '/nonesuch' }, ['/nonesuch/a.sock', socket])).toMatchObject({
      host: `unix://${socket}`,
      from: 'default',
      local: true,
    });
  });

  it('is no file that cannot be read', async () => {
    const folder = scratch();
    writeFileSync(join(folder, 'config.json'), '{"currentContext": ');
    const socket = await fakeEngine(DOCKER);
    expect(await met({ DOCKER_CONFIG: folder }, [socket])).toMatchObject({ from: 'default' });
  });

  it('must exist as a context', async () => {
    const DOCKER_CONFIG = configuration('robot', 'unix:///x.sock', false);
    expect(await failureOf(() => met({ DOCKER_CONTEXT: 'robt', DOCKER_CONFIG }))).toMatchObject({
      id: 'engine-unreachable',
      what: 'There is no Docker context "robt".',
      why: 'DOCKER_CONTEXT names one that does not exist.',
      fix: 'docker context ls',
    });
  });
});

describe('who answers', () => {
  it('may be a rootless Podman', async () => {
    const socket = await fakeEngine(PODMAN);
    expect(await met({ DOCKER_HOST: `unix://${socket}` })).toMatchObject({
      kind: 'podman',
      rootless: true,
      version: '4.9.3',
      apiVersion: '1.41',
    });
  });

  it.each([true, false])('may be a Podman that tells it only in its own words: %s', async (rootless) => {
    const socket = await fakeEngine({
      ...PODMAN,
      'GET /v1.41/info': { SecurityOptions: ['name=seccomp,profile=default'] },
      'GET /v4.0.0/libpod/info': { host: { security: { rootless } } },
    });
    expect(await met({ DOCKER_HOST: `unix://${socket}` })).toMatchObject({ kind: 'podman', rootless });
  });

  it('may keep its details to itself', async () => {
    const socket = await fakeEngine({ 'GET /version': VERSION });
    expect(await met({ DOCKER_HOST: `unix://${socket}` })).toMatchObject({ kind: 'docker', rootless: false });
  });

  it('may be too old', async () => {
    const socket = await fakeEngine({ 'GET /version': { Version: '1.11.2', ApiVersion: '1.23' } });
    expect(await failureOf(() => met({ DOCKER_HOST: `unix://${socket}` }))).toMatchObject({
      id: 'engine-too-old',
      what: `The container engine at unix://${socket} is version 1.11.2 and speaks API 1.23.`,
    });
  });

  it.each([
    ['a server of pages', '<html>hello</html>'],
    ['a server of something else', { ApiVersion: 7 }],
    ['a list', ['1.41']],
  ])('may be no engine: %s', async (_, answer) => {
    const socket = await fakeEngine({ 'GET /version': answer });
    expect(await failureOf(() => met({ DOCKER_HOST: `unix://${socket}` }))).toMatchObject({
      id: 'engine-unreachable',
      what: `unix://${socket}, named by DOCKER_HOST, answers, but is no container engine.`,
    });
  });

  it('may know no such request', async () => {
    const socket = await fakeEngine({});
    expect(await failureOf(() => met({ DOCKER_HOST: `unix://${socket}` }))).toMatchObject({
      id: 'engine-unreachable',
      why: 'Something else listens there; it said: page not found.',
    });
    const mute = await fakeEngine({ 'GET /version': 'refuse' });
    expect(await failureOf(() => met({ DOCKER_HOST: `unix://${mute}` }))).toMatchObject({
      why: 'Something else listens there; it said: HTTP 500.',
    });
  });

  it('may be silent, and is not waited for', async () => {
    const socket = await fakeEngine({ 'GET /version': 'silence' });
    const env = { DOCKER_HOST: `unix://${socket}` };
    expect(await failureOf(() => openEngine(env, { patienceMs: 50 }))).toMatchObject({
      id: 'engine-unreachable',
      why: 'It was silent for 0.05 s.',
    });
    expect(await failureOf(() => openEngine({}, { sockets: [socket], patienceMs: 50 }))).toMatchObject({
      id: 'engine-missing',
      why: 'The socket is there, and what listens is silent or speaks something else.',
    });
  });

  it('may be nobody', async () => {
    expect(await failureOf(() => met({ DOCKER_HOST: 'unix:///nonesuch/docker.sock' }))).toMatchObject({
      id: 'engine-unreachable',
      what: 'No container engine answers at unix:///nonesuch/docker.sock, which DOCKER_HOST names.',
      why: 'There is no such socket.',
      fix: 'DOCKER_HOST= profiler doctor',
    });
    const journalled = openEngine({ DOCKER_HOST: 'unix:///nonesuch/docker.sock' }, { writtenDown: true });
    expect(await failureOf(() => journalled)).toMatchObject({
      what: 'No container engine answers at unix:///nonesuch/docker.sock, written down by an earlier run.',
    });
    expect(await failureOf(() => met({}, ['/nonesuch/a.sock', '/nonesuch/b.sock']))).toMatchObject({
      id: 'engine-missing',
      what: 'No container engine was found on this machine.',
      why: 'None of its usual sockets exists: /nonesuch/a.sock, /nonesuch/b.sock.',
    });
  });

  it('may have ended and left its socket', async () => {
    const socket = join(scratch(), 'engine.sock');
    execaSync('python3', [
      '-c',
      `import socket; socket.socket(socket.AF_UNIX).bind(${JSON.stringify(socket)})`,
    ]);
    expect(await failureOf(() => met({}, ['/nonesuch/a.sock', socket]))).toMatchObject({
      id: 'engine-missing',
      what: `No container engine answers at ${socket}.`,
      why: 'The socket is there and nothing listens: the daemon does not run.',
      fix: 'sudo systemctl start docker',
    });
    expect(await failureOf(() => met({ DOCKER_HOST: `unix://${socket}` }))).toMatchObject({
      id: 'engine-unreachable',
      why: 'Nothing listens there: the engine does not run.',
    });
  });
});

describe('how a host is spelt', () => {
  it.each([
    [
      'ssh://me@robot:22/run/docker.sock',
      'engine-unsupported',
      'ssh me@robot:22 profiler attach --container NAME',
    ],
    [
      'npipe:////./pipe/docker_engine',
      'engine-unsupported',
      'DOCKER_HOST=unix:///var/run/docker.sock profiler doctor',
    ],
    ['fd://', 'engine-unsupported', 'DOCKER_HOST=unix:///var/run/docker.sock profiler doctor'],
    ['unix://docker.sock', 'engine-unreachable', 'DOCKER_HOST=unix:///var/run/docker.sock profiler doctor'],
    ['gopher://robot', 'engine-unreachable', 'docker context ls'],
    ['tcp://', 'engine-unreachable', 'docker context ls'],
    ['my robot', 'engine-unreachable', 'docker context ls'],
  ])('%s is refused', async (host, id, fix) => {
    expect(await failureOf(() => met({ DOCKER_HOST: host }))).toMatchObject({ id, fix, level: 'blocker' });
  });

  it('may be an address: its containers may be on another machine', async () => {
    const socket = await fakeEngine(DOCKER);
    const forward = createServer((client) => {
      const server = client.pipe(connectTo(socket));
      server.pipe(client);
      for (const end of [client, server]) end.on('error', () => end.destroy());
    });
    await new Promise<void>((resolve) => forward.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void forward.close());
    const { port } = forward.address() as AddressInfo;
    for (const host of [`tcp://127.0.0.1:${port}`, `127.0.0.1:${port}`, `http://127.0.0.1:${port}/`])
      expect(await met({ DOCKER_HOST: host })).toMatchObject({ host, local: false, version: '24.0.7' });
  });
});

const hasOpenssl = !execaSync('openssl', ['version'], { reject: false }).failed;

describe('an encrypted connection', () => {
  itWhere(hasOpenssl, 'no openssl to make certificates with')('proves both sides', async () => {
    const folder = certificates();
    const file = (name: string): Buffer => readFileSync(join(folder, name));
    const server = createTlsServer(
      {
        ca: file('ca.pem'),
        cert: file('cert.pem'),
        key: file('key.pem'),
        requestCert: true,
        rejectUnauthorized: true,
      },
      (request, response) =>
        response.end(JSON.stringify(request.url?.endsWith('/info') === true ? INFO : VERSION)),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const host = `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = { DOCKER_HOST: host, DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: folder };
    expect(await met(env)).toMatchObject({ host, local: false, version: '24.0.7' });

    const DOCKER_CONFIG = configuration('far', host, true);
    expect(await failureOf(() => met({ DOCKER_CONFIG }))).toMatchObject({ id: 'engine-unreachable' });
    const tls = join(DOCKER_CONFIG, 'contexts/tls', digestOf('far'), 'docker');
    mkdirSync(tls, { recursive: true });
    for (const name of ['ca.pem', 'cert.pem', 'key.pem']) writeFileSync(join(tls, name), file(name));
    expect(await met({ DOCKER_CONFIG })).toMatchObject({ host, from: 'context', local: false });

    // Another authority than the one that signed the engine's certificate.
    writeFileSync(join(tls, 'ca.pem'), readFileSync(join(certificates(), 'ca.pem')));
    expect(await failureOf(() => met({ DOCKER_CONFIG }))).toMatchObject({
      id: 'engine-unreachable',
      why: expect.stringMatching(/certificate/i),
    });
    // The user may not care who answers.
    writeMeta('far', { Host: host, SkipTLSVerify: true }, DOCKER_CONFIG);
    expect(await met({ DOCKER_CONFIG })).toMatchObject({ host, version: '24.0.7' });
  });

  it('needs its files', async () => {
    const folder = scratch();
    const env = { DOCKER_HOST: 'tcp://127.0.0.1', DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: folder };
    expect(await failureOf(() => met(env))).toMatchObject({
      id: 'engine-unreachable',
      what: `DOCKER_TLS_VERIFY is set, and ${join(folder, 'ca.pem')} cannot be read.`,
    });
  });
});

/** A certificate for 127.0.0.1 that is its own authority. */
function certificates(): string {
  const folder = scratch();
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const name = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execaSync('openssl', ['req', '-x509', ...kind, ...name, '-keyout', key, '-out', cert]);
  writeFileSync(join(folder, 'ca.pem'), readFileSync(cert));
  return folder;
}
