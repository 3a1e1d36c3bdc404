import { ProfilerError } from '../../model/index.js';

/** HTTP status of an answer of the engine; `undefined` where no answer came. */
export function statusOf(error: unknown): number | undefined {
  return isRecord(error) && typeof error['statusCode'] === 'number' ? error['statusCode'] : undefined;
}

/** The engine's own words, raw, without the client's decoration. */
export function messageOf(error: unknown): string {
  if (!isRecord(error)) return String(error);
  const { json, message, statusCode } = error;
  if (isRecord(json) && typeof json['message'] === 'string') return json['message'].trim();
  const text = typeof message === 'string' ? message : undefined;
  if (typeof statusCode === 'number') return undecorated(text) ?? `HTTP ${statusCode}`;
  return text ?? String(error);
}

/** What dockerode says of an answer to a request for a stream, where the engine's words came as plain text. */
function undecorated(message: string | undefined): string | undefined {
  const said = /^\(HTTP code \d+\) [^-]*- (.+)$/s.exec(message ?? '')?.[1]?.trim() ?? '';
  return ['', 'null', 'undefined', '[object Object]'].includes(said) ? undefined : said;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Something that was named as the engine is none, or does not answer. */
export function unreachable(what: string, why: string, fix: string): ProfilerError {
  return new ProfilerError({ id: 'engine-unreachable', what, why, fix });
}

/**
 * What to say when a request about a container failed. `action` completes "the engine could not …". Ids: `no-such-container`,
 * `container-paused`, `container-exited`, `container-read-only`, `container-disk-full`, `container-no-folder`, `engine-unreachable`,
 * `engine-refused`.
 */
export function engineFailure(action: string, container: string, error: unknown): ProfilerError {
  if (error instanceof ProfilerError) return error;
  const status = statusOf(error);
  const said = messageOf(error);
  const name = container.slice(0, 64);
  if (status === undefined) {
    return new ProfilerError({
      id: 'engine-unreachable',
      what: `The container engine stopped answering: ${said}.`,
      why: `It ended, or the connection to it broke, while it was asked to ${action}.`,
      fix: 'docker version',
    });
  }
  const known = KNOWN.find(({ text, at }) => text.test(said) && (at === undefined || at === status));
  if (known === undefined) {
    return new ProfilerError({
      id: 'engine-refused',
      what: `The container engine could not ${action}: ${said}.`,
      why: 'These are its own words.',
      fix: `docker inspect ${name}`,
    });
  }
  return new ProfilerError({
    id: known.id,
    what: known.what.replace('NAME', () => name),
    why: `The engine said: ${said}.`,
    fix: known.fix.replace('NAME', () => name),
  });
}

const KNOWN: readonly {
  readonly id: string;
  readonly text: RegExp;
  readonly at?: number;
  readonly what: string;
  readonly fix: string;
}[] = [
  {
    id: 'no-such-container',
    text: /no such container/i,
    what: 'Container NAME is gone.',
    fix: 'docker ps -a',
  },
  {
    id: 'container-paused',
    text: /is paused/,
    what: 'Container NAME is paused.',
    fix: 'docker unpause NAME',
  },
  {
    id: 'container-exited',
    // The last are podman's words.
    text: /is not running|is restarting|container state improper/,
    what: 'Container NAME does not run.',
    fix: 'docker start NAME',
  },
  {
    id: 'container-read-only',
    text: /rootfs is marked read-only|read-only file system/,
    what: 'The root of container NAME is read-only, so no file can be put into it.',
    fix: 'profiler attach --container NAME --via sidecar',
  },
  {
    id: 'container-disk-full',
    text: /no space left on device|disk quota exceeded/,
    what: 'The disk of container NAME is full, so no file can be put into it.',
    fix: 'docker system df',
  },
  {
    id: 'container-no-folder',
    text: /could not find the file|no such file or directory|not a directory/i,
    what: 'Container NAME has no such folder.',
    fix: 'profiler attach --container NAME --via sidecar',
  },
];
