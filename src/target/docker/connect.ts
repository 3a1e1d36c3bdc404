import { Agent } from 'node:https';
import type Docker from 'dockerode';
import { ProfilerError, errorCode } from '../../model/index.js';
import type { Environment } from '../tools/folder.js';
import { endpoint, namedEndpoint, usualSockets, type Endpoint } from './endpoint.js';
import type { Engine } from './engine.js';
import { isRecord, messageOf, statusOf, unreachable } from './engine-error.js';

export interface EngineSearch {
  /** Instead of the usual sockets. */
  readonly sockets?: readonly string[];
  /** What `DOCKER_HOST` says was not set by the user: a journal says so. */
  readonly writtenDown?: true;
  /** How long an engine may take to say who it is; default 5 s. */
  readonly patienceMs?: number;
}

/** Oldest API that all we ask for is in: container pid namespaces and label filters of 2016. */
const OLDEST_API = '1.24';
/** Until the first byte of any answer: an engine that is stuck must not hang us. */
const ANSWER_MS = 60_000;
const PATIENCE_MS = 5_000;

/**
 * The container engine that the environment names (`DOCKER_HOST`, else a Docker context), else the first of the usual sockets that
 * answers. Throws `ProfilerError`: `engine-missing`, `engine-denied`, `engine-unreachable`, `engine-unsupported`, `engine-too-old`.
 */
export async function openEngine(env: Environment, search: EngineSearch = {}): Promise<Engine> {
  const { sockets = usualSockets(env, process.geteuid?.() ?? 0), patienceMs = PATIENCE_MS } = search;
  const named = namedEndpoint(env);
  if (named !== undefined) {
    try {
      return await meet(named, patienceMs);
    } catch (error) {
      if (error instanceof ProfilerError) throw error;
      const by =
        search.writtenDown === true ? 'written down by an earlier run' : `which ${named.namedBy} names`;
      throw namedFailure(named, by, error, patienceMs);
    }
  }
  const failures: { readonly socket: string; readonly code: string | undefined }[] = [];
  for (const socket of sockets) {
    try {
      return await meet(endpoint(`unix://${socket}`, 'default', 'the usual socket', undefined), patienceMs);
    } catch (error) {
      if (error instanceof ProfilerError) throw error;
      failures.push({ socket, code: errorCode(error) });
    }
  }
  throw nobody(failures);
}

/** Asks an engine who it is. Throws a `ProfilerError` for one that will not do, else what the connection says. */
async function meet(at: Endpoint, patienceMs: number): Promise<Engine> {
  const plain = await client(at);
  const answer = await ask(plain, '/version', patienceMs);
  const { ApiVersion: apiVersion, Version: version, Components: components } = isRecord(answer) ? answer : {};
  // What listens there may be anything.
  if (typeof apiVersion !== 'string' || !/^\d+\.\d+$/.test(apiVersion) || typeof version !== 'string') {
    throw unreachable(
      `${at.host}, named by ${at.namedBy}, answers, but is no container engine.`,
      'Its answer tells no version of the Docker API.',
      'docker version',
    );
  }
  if (isOlder(apiVersion, OLDEST_API)) {
    throw new ProfilerError({
      id: 'engine-too-old',
      what: `The container engine at ${at.host} is version ${version} and speaks API ${apiVersion}.`,
      why: `API ${OLDEST_API} (Docker 1.12) is the oldest that can be used.`,
      fix: 'sudo profiler attach --pid PID  (the host pid of the simulation: docker top NAME)',
    });
  }
  const docker = await client(at, apiVersion);
  const isPodman =
    Array.isArray(components) && components.some((one) => isRecord(one) && one['Name'] === 'Podman Engine');
  return {
    docker,
    host: at.host,
    from: at.from,
    version,
    apiVersion,
    kind: isPodman ? 'podman' : 'docker',
    rootless:
      (await isRootless(docker, patienceMs)) ||
      (isPodman && (await isRootlessPodman(plain, version, patienceMs))),
    local: 'socket' in at.at,
  };
}

/** What the engine says of its users; it may be slow where it counts images, and is usable all the same without it. */
async function isRootless(docker: Docker, patienceMs: number): Promise<boolean> {
  const info = await ask(docker, '/info', patienceMs).catch(() => undefined);
  const options = isRecord(info) ? info['SecurityOptions'] : undefined;
  return Array.isArray(options) && options.includes('name=rootless');
}

/** Podman 4.3 tells it only in the words of its own interface, whose paths begin with its own version. */
async function isRootlessPodman(plain: Docker, version: string, patienceMs: number): Promise<boolean> {
  const path = `/v${version.split('.')[0] ?? ''}.0.0/libpod/info`;
  const info = await ask(plain, path, patienceMs).catch(() => undefined);
  const host = isRecord(info) ? info['host'] : undefined;
  const security = isRecord(host) ? host['security'] : undefined;
  return isRecord(security) && security['rootless'] === true;
}

/** A GET with a limit on the whole answer. */
function ask(docker: Docker, path: string, patienceMs: number): Promise<unknown> {
  const request = {
    path,
    method: 'GET',
    statusCodes: { 200: true },
    abortSignal: AbortSignal.timeout(patienceMs),
  };
  return new Promise((resolve, reject) => {
    docker.modem.dial(request, (error: unknown, answer: unknown) =>
      error === null || error === undefined ? resolve(answer) : reject(error),
    );
  });
}

async function client(at: Endpoint, apiVersion?: string): Promise<Docker> {
  // Only now: it takes longer to load than all of this program, and a process of this machine needs no engine.
  const { default: Client } = await import('dockerode');
  const tls = at.tls;
  const options = {
    // All are stated: what is left out, the client would read from this process's own environment.
    ...('socket' in at.at
      ? { socketPath: at.at.socket, host: undefined, port: undefined }
      : { socketPath: undefined, host: at.at.name, port: at.at.port }),
    protocol: tls === undefined ? ('http' as const) : ('https' as const),
    pathPrefix: '/',
    username: undefined,
    timeout: undefined,
    connectionTimeout: ANSWER_MS,
    ca: tls?.ca,
    cert: tls?.cert,
    key: tls?.key,
    ...(tls?.verify === false ? { agent: new Agent({ rejectUnauthorized: false }) } : {}),
    ...(apiVersion === undefined ? {} : { version: `v${apiVersion}` }),
  };
  return new Client(options);
}

function isOlder(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [thanMajor = 0, thanMinor = 0] = than.split('.').map(Number);
  return major < thanMajor || (major === thanMajor && minor < thanMinor);
}

function namedFailure(at: Endpoint, by: string, error: unknown, patienceMs: number): ProfilerError {
  const code = errorCode(error);
  if (code === 'EACCES' || code === 'EPERM') return denied('socket' in at.at ? at.at.socket : at.host);
  const what = `No container engine answers at ${at.host}, ${by}.`;
  const fix = at.from === 'context' ? 'docker context ls' : 'DOCKER_HOST= profiler doctor';
  if (statusOf(error) !== undefined)
    return unreachable(what, `Something else listens there; it said: ${messageOf(error)}.`, fix);
  if (code === 'ENOENT') return unreachable(what, 'There is no such socket.', fix);
  if (code === 'ECONNREFUSED')
    return unreachable(what, 'Nothing listens there: the engine does not run.', fix);
  if (code === 'ABORT_ERR' || (error instanceof Error && error.name === 'TimeoutError'))
    return unreachable(what, `It was silent for ${patienceMs / 1000} s.`, fix);
  return unreachable(what, `The connection said: ${messageOf(error)}.`, fix);
}

function denied(socket: string): ProfilerError {
  return new ProfilerError({
    id: 'engine-denied',
    what: `This user may not open ${socket}, the socket of the container engine.`,
    why: 'It belongs to root and the group docker.',
    fix: 'sudo profiler attach --container NAME  (or, for good: sudo usermod -aG docker $USER, then log in again)',
  });
}

function nobody(
  failures: readonly { readonly socket: string; readonly code: string | undefined }[],
): ProfilerError {
  const closed = failures.find(({ code }) => code === 'EACCES' || code === 'EPERM');
  if (closed !== undefined) return denied(closed.socket);
  const silent = failures.find(({ code }) => code !== 'ENOENT' && code !== 'ENOTDIR');
  if (silent !== undefined) {
    return new ProfilerError({
      id: 'engine-missing',
      what: `No container engine answers at ${silent.socket}.`,
      why:
        silent.code === 'ECONNREFUSED'
          ? 'The socket is there and nothing listens: the daemon does not run.'
          : 'The socket is there, and what listens is silent or speaks something else.',
      fix: 'sudo systemctl start docker',
    });
  }
  return new ProfilerError({
    id: 'engine-missing',
    what: 'No container engine was found on this machine.',
    why: `None of its usual sockets exists: ${failures.map(({ socket }) => socket).join(', ')}.`,
    fix: 'DOCKER_HOST=unix:///PATH/docker.sock profiler attach --container NAME  (without containers: profiler attach --pid PID)',
  });
}
