import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../tools/folder.js';
import { unreachable } from './engine-error.js';

/** Files that prove either side of a connection to the other. */
export interface Tls {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  /** Whether the engine's certificate must be good. */
  readonly verify: boolean;
}

/** What `DOCKER_CERT_PATH` holds. Throws `ProfilerError` `engine-unreachable` where a file is missing. */
export function tlsOfEnvironment(env: Environment): Tls {
  const folder = env['DOCKER_CERT_PATH'] ?? join(env['HOME'] ?? '/', '.docker');
  const file = (name: string): Buffer => {
    try {
      return readFileSync(join(folder, name));
    } catch (error) {
      throw unreachable(
        `DOCKER_TLS_VERIFY is set, and ${join(folder, name)} cannot be read.`,
        `${error instanceof Error ? error.message : String(error)}.`,
        'DOCKER_CERT_PATH=FOLDER profiler doctor  (the folder that holds ca.pem, cert.pem and key.pem)',
      );
    }
  };
  return { ca: file('ca.pem'), cert: file('cert.pem'), key: file('key.pem'), verify: true };
}
