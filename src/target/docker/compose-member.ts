import { realpathSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type Docker from 'dockerode';
import type { Container } from './container.js';
import { nameOf } from './find-container.js';
import { stateOf } from './inspect.js';
import { COMPOSE } from './labels.js';

/** A container that Compose made for a service, by its labels alone. All texts are raw. */
export interface ComposeMember {
  readonly id: string;
  readonly name: string;
  readonly state: Container['state'];
  readonly project: string;
  readonly service: string;
  /** 1 for the first container of a service. */
  readonly number: number;
  /** Seconds since 1970. */
  readonly createdAt: number;
  readonly workingDir: string;
  /** Absolute, with symbolic links resolved where the files are still there. */
  readonly files: readonly string[];
}

/** `undefined` for a container that Compose did not make, or made for a single command (`compose run`). */
export function composeMember(info: Docker.ContainerInfo): ComposeMember | undefined {
  const { [COMPOSE.project]: project, [COMPOSE.service]: service, [COMPOSE.oneOff]: oneOff } = info.Labels;
  if (project === undefined || service === undefined || oneOff?.toLowerCase() === 'true') return undefined;
  const workingDir = info.Labels[COMPOSE.workingDir] ?? '';
  const number = Number(info.Labels[COMPOSE.number]);
  return {
    id: info.Id,
    name: nameOf(info),
    state: stateOf(info.State),
    project,
    service,
    number: Number.isSafeInteger(number) && number > 0 ? number : 1,
    createdAt: info.Created,
    workingDir,
    files: filesOf(info.Labels[COMPOSE.configFiles] ?? '', workingDir),
  };
}

/** Version 1 writes the files as they were typed, relative to the working directory. */
function filesOf(label: string, workingDir: string): readonly string[] {
  if (label === '') return [];
  // A path may hold the comma that parts them: then the whole label is one.
  const whole = realPath(absolute(label, workingDir));
  if (whole !== undefined) return [whole];
  return label.split(',').map((file) => {
    const path = absolute(file, workingDir);
    return realPath(path) ?? path;
  });
}

function absolute(path: string, folder: string): string {
  return isAbsolute(path) ? path : resolve('/', folder, path);
}

/** Path without symbolic links; `undefined` where there is no such file here. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Whether it exists in memory: a container that can be attached to, now or once it is thawed. */
export function isAlive({ state }: ComposeMember): boolean {
  return state === 'running' || state === 'paused' || state === 'restarting';
}
