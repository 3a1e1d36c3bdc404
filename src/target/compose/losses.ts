import { constants } from 'node:os';
import type Docker from 'dockerode';
import { PROC, readProcText } from '../proc/file.js';
import { readContainer } from '../proc/container.js';
import { nameOf } from './instances.js';

const DEFAULT_GRACE_S = 10;
const MOST_FILES = 3;
/** The engine puts these into every container. */
const ENGINE_PATHS = [
  '/dev',
  '/proc',
  '/sys',
  '/etc/hosts',
  '/etc/hostname',
  '/etc/resolv.conf',
  '/.dockerenv',
];

/** What goes with a container that is made anew, one sentence each. */
export async function findLosses(
  docker: Docker,
  infos: readonly Docker.ContainerInspectInfo[],
  proc: string = PROC,
): Promise<readonly string[]> {
  const each = await Promise.all(infos.map((info) => lossesOf(docker, info, proc)));
  return [
    'The state of the simulation: it starts from its beginning, now and once more when the original is restored.',
    'Its container id, its process ids and its log so far.',
    ...each.flat(),
  ];
}

async function lossesOf(
  docker: Docker,
  info: Docker.ContainerInspectInfo,
  proc: string,
): Promise<readonly string[]> {
  const name = nameOf(info);
  const written = await writtenFiles(docker, info);
  const tmpfs = Object.keys((info.HostConfig.Tmpfs ?? {}) as object);
  const grace = graceS(info);
  return [
    ...(written.length === 0 ? [] : [`Files written inside ${name}: ${examples(written)}.`]),
    ...(tmpfs.length === 0 ? [] : [`What lies in its tmpfs: ${tmpfs.join(', ')}.`]),
    ...(ignoresStop(info, proc)
      ? [`Time: the first process of ${name} ignores ${stopSignal(info)}, so each stop takes ${grace} s.`]
      : []),
  ];
}

function examples(paths: readonly string[]): string {
  const shown = paths.slice(0, MOST_FILES).join(', ');
  return paths.length > MOST_FILES ? `${shown} and ${paths.length - MOST_FILES} more` : shown;
}

/** Paths in the container's own layer, without the folders that only hold mounts or other changed paths. */
async function writtenFiles(docker: Docker, info: Docker.ContainerInspectInfo): Promise<readonly string[]> {
  const found: unknown = await docker
    .getContainer(info.Id)
    .changes()
    .catch(() => []);
  const changed = (Array.isArray(found) ? found : []).flatMap((one: { Path?: unknown; Kind?: unknown }) =>
    // 2 is a path that was removed from the image's.
    typeof one.Path === 'string' && one.Kind !== 2 ? [one.Path] : [],
  );
  const mounted = [
    ...info.Mounts.map(({ Destination }) => Destination),
    ...Object.keys((info.HostConfig.Tmpfs ?? {}) as object),
    ...ENGINE_PATHS,
  ];
  const parents = new Set([...changed, ...mounted].map((path) => path.slice(0, path.lastIndexOf('/'))));
  return changed.filter((path) => !parents.has(path) && !mounted.some((mount) => within(path, mount))).sort();
}

function within(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** Seconds that a container has before it is killed. */
export function graceS({ Config }: Docker.ContainerInspectInfo): number {
  return (Config as { StopTimeout?: number }).StopTimeout ?? DEFAULT_GRACE_S;
}

/** `SIGTERM`, or what the container asks for. */
function stopSignal({ Config }: Docker.ContainerInspectInfo): string {
  const signal = (Config as { StopSignal?: string }).StopSignal ?? '';
  if (/^\d+$/.test(signal))
    return Object.entries(constants.signals).find(([, number]) => number === Number(signal))?.[0] ?? signal;
  return signal === '' ? 'SIGTERM' : `SIG${signal.toUpperCase().replace(/^SIG/, '')}`;
}

/** Number of the signal that stops it; undefined for a real-time signal, which is not in the list of names. */
export function stopSignalNumber(info: Docker.ContainerInspectInfo): number | undefined {
  return (constants.signals as Readonly<Record<string, number>>)[stopSignal(info)];
}

/** The kernel drops every signal that the first process of a pid namespace has no handler for. Only where /proc shows it. */
function ignoresStop(info: Docker.ContainerInspectInfo, proc: string): boolean {
  const pid = info.State.Pid;
  const number = stopSignalNumber(info);
  if (number === undefined || number === constants.signals.SIGKILL) return false;
  if (readContainer(pid, proc) !== info.Id.slice(0, 12)) return false;
  const status = readProcText(proc, String(pid), 'status') ?? '';
  const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  if (caught === undefined || !/^NSpid:.*\s1$/m.test(status)) return false;
  return ((BigInt(`0x${caught}`) >> BigInt(number - 1)) & 1n) === 0n;
}
