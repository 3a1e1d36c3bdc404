import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../tools/folder.js';
import { isRecord, unreachable } from './engine-error.js';
import type { Tls } from './tls.js';

/** Folder of Docker's command line: its configuration and contexts. */
function configFolder(env: Environment): string {
  return env['DOCKER_CONFIG'] ?? join(env['HOME'] ?? '/', '.docker');
}

/** Name of the context in use; `undefined` for the default one, which is no file but the usual sockets. */
export function currentContext(env: Environment): string | undefined {
  const chosen = env['DOCKER_CONTEXT'];
  const name = chosen !== undefined && chosen !== '' ? chosen : configured(env);
  return name === undefined || name === '' || name === 'default' ? undefined : name;
}

function configured(env: Environment): string | undefined {
  // A file that cannot be read means none, as for Docker itself.
  const config = readJson(join(configFolder(env), 'config.json'));
  const name = isRecord(config) ? config['currentContext'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

/**
 * Endpoint of a context: `contexts/meta/SHA256/meta.json` with the TLS files beside it, as docs.docker.com/engine/manage-resources/contexts
 * describes. Throws `ProfilerError` `engine-unreachable` where there is no such context.
 */
export function readContext(name: string, env: Environment): { readonly host: string; readonly tls?: Tls } {
  const folder = join(configFolder(env), 'contexts');
  const digest = createHash('sha256').update(name).digest('hex');
  const meta = readJson(join(folder, 'meta', digest, 'meta.json'));
  const endpoints = isRecord(meta) ? meta['Endpoints'] : undefined;
  const docker = isRecord(endpoints) ? endpoints['docker'] : undefined;
  const host = isRecord(docker) ? docker['Host'] : undefined;
  if (typeof host !== 'string' || host === '') {
    throw unreachable(
      `There is no Docker context "${name}".`,
      env['DOCKER_CONTEXT'] === name
        ? 'DOCKER_CONTEXT names one that does not exist.'
        : `The configuration in ${configFolder(env)} names one that does not exist.`,
      'docker context ls',
    );
  }
  const tlsFolder = join(folder, 'tls', digest, 'docker');
  const skips = isRecord(docker) && docker['SkipTLSVerify'] === true;
  if (!existsSync(tlsFolder) && !skips) return { host };
  const [ca, cert, key] = ['ca.pem', 'cert.pem', 'key.pem'].map((file) => readBytes(join(tlsFolder, file)));
  return {
    host,
    tls: {
      verify: !skips,
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    },
  };
}

function readBytes(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
