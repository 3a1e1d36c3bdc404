import { statSync } from 'node:fs';
import type Docker from 'dockerode';
import { type ProjectLine, projectArguments } from './command-line.js';
import { environmentOf } from './instances.js';
import { HASH_LABEL } from './origin.js';
import { type ComposePlace, runCompose } from './run-compose.js';

/**
 * What is not as it was when the container was made, one sentence each: Compose would bring that along. Empty where nothing was found.
 * Values of variables are left out, because they may be secrets.
 */
export async function findDrift(
  docker: Docker,
  line: ProjectLine,
  place: ComposePlace,
  info: Docker.ContainerInspectInfo,
): Promise<readonly string[]> {
  return [
    ...(await imageDrift(docker, info)),
    ...(await environmentDrift(line, place, info)),
    ...fileDrift(line, info),
    ...versionDrift(line),
  ];
}

/** An image that was built or pulled again under the same name. */
export async function imageDrift(
  docker: Docker,
  info: Docker.ContainerInspectInfo,
): Promise<readonly string[]> {
  const reference = info.Config.Image;
  const now = await docker
    .getImage(reference)
    .inspect()
    .then(({ Id }) => Id)
    .catch(() => undefined);
  if (now === info.Image) return [];
  return [
    now === undefined
      ? `Image ${reference} is not there any more.`
      : `Image ${reference} was built or pulled again: ${shortId(now)} now, ${shortId(info.Image)} in the container.`,
  ];
}

function shortId(id: string): string {
  return id.replace(/^sha256:/, '').slice(0, 12);
}

/**
 * The hash that the files give now. Compose v2 leaves env_file out of `config --hash`, but not where it is given the resolved files,
 * which is why it reads them twice. Undefined where it cannot tell.
 */
export async function resolvedHash(line: ProjectLine, place: ComposePlace): Promise<string | undefined> {
  const { origin, tool } = line;
  const hash = ['config', '--hash', origin.service];
  if (tool.generation === 'v1')
    return hashIn((await runCompose([...projectArguments(line), ...hash], place)).out, origin.service);
  const resolved = await runCompose([...projectArguments(line), 'config'], place);
  if (resolved.code !== 0) return undefined;
  const profiles = line.profiles.flatMap((profile) => ['--profile', profile]);
  const again = [
    ...tool.argv,
    '-p',
    origin.project,
    '--project-directory',
    origin.workingDir,
    '-f',
    '-',
    ...profiles,
    ...hash,
  ];
  return hashIn((await runCompose(again, place, resolved.out)).out, origin.service);
}

function hashIn(text: string, service: string): string | undefined {
  const row = text.split('\n').find((one) => one.startsWith(`${service} `));
  return row?.slice(service.length + 1).trim();
}

/** Names of variables whose value Compose would set otherwise: a changed shell variable, `.env`, env_file or --env-file. */
async function environmentDrift(
  line: ProjectLine,
  place: ComposePlace,
  info: Docker.ContainerInspectInfo,
): Promise<readonly string[]> {
  const run = await runCompose([...projectArguments(line), 'config'], place);
  const wanted = await serviceEnvironment(run.out, line.origin.service);
  const has = new Map(environmentOf(info).map((setting) => split(setting)));
  const differ = [...wanted].flatMap(([name, value]) => (has.get(name) === value ? [] : [name]));
  return differ.length === 0
    ? []
    : [
        `Compose would set ${differ.join(', ')} otherwise now: a variable of the shell, an env file, or --env-file has changed.`,
      ];
}

function split(setting: string): readonly [string, string] {
  const at = setting.indexOf('=');
  return at < 0 ? [setting, ''] : [setting.slice(0, at), setting.slice(at + 1)];
}

/** `services.NAME.environment` of what Compose resolved, a mapping there. */
async function serviceEnvironment(text: string, service: string): Promise<ReadonlyMap<string, string>> {
  const { parse } = await import('yaml');
  let environment: unknown;
  try {
    environment = field(field(field(parse(text), 'services'), service), 'environment');
  } catch {
    return new Map();
  }
  if (typeof environment !== 'object' || environment === null) return new Map();
  return new Map(
    Object.entries(environment).flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[name, String(value).replaceAll('$$', '$')] as const],
    ),
  );
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** Files of the project that were written after the container was made. */
function fileDrift({ origin }: ProjectLine, info: Docker.ContainerInspectInfo): readonly string[] {
  const made = Date.parse(info.Created);
  return [...origin.configFiles, ...origin.environmentFiles].flatMap((file) => {
    const written = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return written > made ? [`${file} was written after the container was made.`] : [];
  });
}

/** Another version may give another hash to the same files. */
function versionDrift({ origin, tool }: ProjectLine): readonly string[] {
  const made = origin.version.replace(/^v/, '');
  if (made === '' || made === tool.version) return [];
  return [
    `Compose ${made} made the container, and ${tool.version} is here: that alone may count as a change.`,
  ];
}

/** Whether the hash of the files is the one that the container was made with. */
export function hashIsAs(info: Docker.ContainerInspectInfo, hash: string | undefined): boolean {
  return hash !== undefined && hash === info.Config.Labels[HASH_LABEL];
}
