import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { ProfilerError } from '../../model/index.js';
import { isThrowaway } from './throwaway.js';

/** Who made a container, as its labels tell. Paths are absolute. */
export interface ComposeOrigin {
  readonly project: string;
  readonly service: string;
  readonly number: number;
  readonly workingDir: string;
  /** The project's own files in their order, ours left out. */
  readonly configFiles: readonly string[];
  /** Ours, where the container was made with it. */
  readonly throwaway?: string;
  readonly environmentFiles: readonly string[];
  readonly configHash: string;
  readonly generation: 'v1' | 'v2';
  /** Empty for a plugin that was built without one. */
  readonly version: string;
}

interface Labelled {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

const PREFIX = 'com.docker.compose.';
export const PROJECT_LABEL = `${PREFIX}project`;
export const SERVICE_LABEL = `${PREFIX}service`;
export const NUMBER_LABEL = `${PREFIX}container-number`;
export const HASH_LABEL = `${PREFIX}config-hash`;
export const ONE_OFF_LABEL = `${PREFIX}oneoff`;
export const FILES_LABEL = `${PREFIX}project.config_files`;

/**
 * Reads the labels that Compose leaves on a container. Throws ProfilerError `override-not-compose`, `override-one-off`,
 * `override-stdin` for containers whose project cannot be brought up again.
 */
export function composeOrigin(
  container: Labelled,
  exists: (path: string) => boolean = existsSync,
): ComposeOrigin {
  const { labels } = container;
  const project = labels[PROJECT_LABEL];
  const service = labels[SERVICE_LABEL];
  if (labels['io.podman.compose.version'] !== undefined) throw madeByPodman(container);
  if (project === undefined || service === undefined || labels[FILES_LABEL] === undefined)
    throw notCompose(container);
  if (labels[ONE_OFF_LABEL] === 'True') throw oneOff(container, service);
  const workingDir = labels[`${PREFIX}project.working_dir`] ?? '/';
  const absolute = (path: string): string => (isAbsolute(path) ? path : resolve(workingDir, path));
  const files = splitPaths(labels[FILES_LABEL], (path) => exists(absolute(path)));
  if (files.includes('-')) throw fromStdin(container);
  const paths = files.map(absolute);
  const throwaway = paths.find(isThrowaway);
  const version = labels[`${PREFIX}version`] ?? '';
  return {
    project,
    service,
    number: Number(labels[NUMBER_LABEL] ?? 1),
    workingDir,
    configFiles: paths.filter((path) => !isThrowaway(path)),
    ...(throwaway === undefined ? {} : { throwaway }),
    environmentFiles: splitPaths(labels[`${PREFIX}project.environment_file`] ?? '', (path) =>
      exists(absolute(path)),
    ).map(absolute),
    configHash: labels[HASH_LABEL] ?? '',
    generation: /^v?1\./.test(version) ? 'v1' : 'v2',
    version,
  };
}

/** A label joins paths by commas, which a path may hold as well: pieces are put together again where that names a file. */
function splitPaths(text: string, exists: (path: string) => boolean): readonly string[] {
  const pieces = text === '' ? [] : text.split(',');
  const paths: string[] = [];
  while (pieces.length > 0) {
    const ends = pieces.map((_, index) => index + 1);
    const taken = ends.find((end) => exists(pieces.slice(0, end).join(','))) ?? 1;
    paths.push(pieces.splice(0, taken).join(','));
  }
  return paths;
}

function notCompose({ name, labels }: Labelled): ProfilerError {
  const swarm = labels['com.docker.swarm.service.name'];
  if (swarm !== undefined)
    return new ProfilerError({
      id: 'override-not-compose',
      what: `Container ${name} belongs to the swarm service ${swarm}, not to a compose project.`,
      why: 'An override is a compose file; a swarm gives its services capabilities itself.',
      fix: `docker service update --cap-add SYS_PTRACE ${swarm}`,
    });
  return new ProfilerError({
    id: 'override-not-compose',
    what: `Container ${name} was not made by Compose.`,
    why: 'An override is a compose file; without a project there is nothing to lay it over.',
    fix: 'docker run --cap-add SYS_PTRACE …  (the line that started it, with this flag)',
  });
}

function madeByPodman({ name, labels }: Labelled): ProfilerError {
  return new ProfilerError({
    id: 'override-not-compose',
    what: `Container ${name} was made by podman-compose ${labels['io.podman.compose.version'] ?? ''}.`,
    why: 'It cannot say beforehand what it would make anew, so nothing is applied behind your back.',
    fix: 'podman-compose -f FILES -f OVERRIDE up -d SERVICE  (cap_add: [SYS_PTRACE] in OVERRIDE)',
  });
}

function oneOff({ name }: Labelled, service: string): ProfilerError {
  return new ProfilerError({
    id: 'override-one-off',
    what: `Container ${name} was started by compose run.`,
    why: 'Compose never makes such a container anew; it is removed when its command ends.',
    fix: `docker compose run --cap-add SYS_PTRACE ${service}`,
  });
}

function fromStdin({ name }: Labelled): ProfilerError {
  return new ProfilerError({
    id: 'override-stdin',
    what: `The compose file of container ${name} came from standard input.`,
    why: 'Its text is kept nowhere, so the original could not be brought back.',
    fix: 'docker compose -f FILE up -d  (from a file), then again',
  });
}
