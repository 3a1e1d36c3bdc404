import { join } from 'node:path';
import { ProfilerError } from '../../model/index.js';
import type { Environment } from '../tools/folder.js';
import { currentContext, readContext } from './context.js';
import { unreachable } from './engine-error.js';
import type { Engine } from './engine.js';
import { tlsOfEnvironment, type Tls } from './tls.js';

/** Where an engine may listen. */
export interface Endpoint {
  /** As `DOCKER_HOST` spells it. */
  readonly host: string;
  readonly from: Engine['from'];
  /** The setting that named it, for messages: `DOCKER_HOST`, `the Docker context "robot"`, `the usual socket`. */
  readonly namedBy: string;
  /** Path of the socket, or address of a machine. */
  readonly at: { readonly socket: string } | { readonly name: string; readonly port: number };
  /** Files that prove either side to the other; present for a connection with TLS. */
  readonly tls?: Tls;
}

/**
 * The endpoint that the user's settings name, in Docker's own order: `DOCKER_HOST`, then the context (`DOCKER_CONTEXT`, or the current
 * one of the client's configuration). `undefined` where nothing is named and the usual sockets are meant. Throws `ProfilerError`:
 * `engine-unsupported`, `engine-unreachable`.
 */
export function namedEndpoint(env: Environment): Endpoint | undefined {
  const host = env['DOCKER_HOST'];
  if (host !== undefined && host !== '') {
    const tls = (env['DOCKER_TLS_VERIFY'] ?? '') === '' ? undefined : tlsOfEnvironment(env);
    return endpoint(host, 'DOCKER_HOST', 'DOCKER_HOST', tls);
  }
  const name = currentContext(env);
  if (name === undefined) return undefined;
  const context = readContext(name, env);
  return endpoint(context.host, 'context', `the Docker context "${name}"`, context.tls);
}

const UNENCRYPTED_PORT = 2375;
const ENCRYPTED_PORT = 2376;

/** Reads a host as Docker spells it. */
export function endpoint(
  host: string,
  from: Endpoint['from'],
  namedBy: string,
  tls: Tls | undefined,
): Endpoint {
  const base = { host, from, namedBy };
  const [, scheme = 'tcp', rest = host] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i.exec(host) ?? [];
  if (scheme === 'unix') {
    if (rest.startsWith('/')) return { ...base, at: { socket: rest } };
    throw unreachable(
      `${namedBy} is ${host}.`,
      'The path of a socket begins with a slash.',
      'DOCKER_HOST=unix:///var/run/docker.sock profiler doctor',
    );
  }
  if (scheme === 'ssh' || scheme === 'npipe' || scheme === 'fd')
    throw unsupported(host, scheme, namedBy, rest);
  const encrypted = tls !== undefined || scheme === 'https';
  const url = URL.canParse(`http://${rest}`) ? new URL(`http://${rest}`) : undefined;
  if (!['tcp', 'http', 'https'].includes(scheme) || url === undefined || url.hostname === '') {
    throw unreachable(
      `${namedBy} is ${host}, which names no container engine.`,
      'It is a socket (unix:///PATH) or an address (tcp://HOST:PORT).',
      'docker context ls',
    );
  }
  // Port 80 is the one that a URL leaves out.
  const stated = /:(\d+)(?:\/|$)/.exec(rest)?.[1];
  const port = Number(stated ?? (encrypted ? ENCRYPTED_PORT : UNENCRYPTED_PORT));
  const at = { name: url.hostname.replace(/^\[|\]$/g, ''), port };
  return { ...base, at, ...(encrypted ? { tls: tls ?? { verify: true } } : {}) };
}

function unsupported(host: string, scheme: string, namedBy: string, rest: string): ProfilerError {
  return new ProfilerError({
    id: 'engine-unsupported',
    what: `${namedBy} is ${host}; engines behind ${scheme}:// are not spoken to.`,
    why:
      scheme === 'ssh'
        ? 'A simulation on another machine is profiled there, where its processes are.'
        : 'Only sockets (unix://) and addresses (tcp://) are known.',
    fix:
      scheme === 'ssh'
        ? `ssh ${rest.replace(/\/.*$/, '')} profiler attach --container NAME`
        : 'DOCKER_HOST=unix:///var/run/docker.sock profiler doctor',
  });
}

/** The sockets of a machine that names none: Docker's, that of a rootless one, Docker Desktop's, Podman's. */
export function usualSockets(env: Environment, uid: number): readonly string[] {
  const runtime = env['XDG_RUNTIME_DIR'] ?? `/run/user/${uid}`;
  const home = env['HOME'];
  return [
    '/var/run/docker.sock',
    join(runtime, 'docker.sock'),
    ...(home === undefined ? [] : [join(home, '.docker/desktop/docker.sock')]),
    '/run/podman/podman.sock',
    join(runtime, 'podman/podman.sock'),
  ];
}
