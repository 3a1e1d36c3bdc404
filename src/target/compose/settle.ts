import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { OverrideUndo, ServiceInstance } from '../journal/journal.js';
import { inspectContainer, inspectService, nameOf, numberOf } from './instances.js';
import { graceS, stopSignalNumber } from './losses.js';
import { isThrowawayMade } from './throwaway-made.js';

type Info = Docker.ContainerInspectInfo;

/** The one container of each number that is left, and whether one was put right. */
export interface Settled {
  readonly kept: readonly Info[];
}

/**
 * Makes an end to a recreation that was broken off: Compose creates `ID_NAME` beside the old container, stops that, removes it and
 * renames the new one (v1 renames the old one instead). Of two containers with one number the original stays, where it is still there;
 * else the one that ran. Compose's own `up` is not trusted with this: it runs into a conflict of names while the stop still goes on.
 * Only containers of ours are removed. Throws what the engine says.
 */
export async function settle(docker: Docker, undo: OverrideUndo): Promise<Settled> {
  const infos = await inspectService(docker, undo.project, undo.service);
  const numbers = [...new Set(infos.map(numberOf))];
  const kept: Info[] = [];
  for (const number of numbers) {
    const before = undo.before.find((one) => one.number === number);
    const same = infos.filter((info) => numberOf(info) === number);
    kept.push(await settleOne(docker, undo, same, before));
  }
  return { kept };
}

async function settleOne(
  docker: Docker,
  undo: OverrideUndo,
  infos: readonly Info[],
  before: ServiceInstance | undefined,
): Promise<Info> {
  const keep = infos.find(({ Id }) => Id === before?.id) ?? [...infos].sort(byLife)[0];
  if (keep === undefined) throw new Error('a number without a container');
  for (const other of infos) {
    if (other.Id === keep.Id || !isOurs(other, before, keep)) continue;
    await removeContainer(docker, other);
  }
  // Its stop may still be on the way: what asked for it is gone, but the engine finishes it.
  if (!undo.settled && keep.State.Running && (await isBeingStopped(docker, keep)))
    await untilStopped(docker, keep);
  if (before !== undefined && nameOf(keep) !== before.name && hasTemporaryName(keep, before))
    await docker.getContainer(keep.Id).rename({ name: before.name });
  return (await inspectContainer(docker, keep.Id)) ?? keep;
}

/** What runs first, then what ran, then what never did. */
function byLife(a: Info, b: Info): number {
  return rank(a) - rank(b);
}

function rank({ State }: Info): number {
  if (State.Running) return 0;
  return State.Status === 'created' ? 2 : 1;
}

/** `0123456789ab_NAME`, as both generations call the one of two that has to wait for its name. */
function hasTemporaryName(info: Info, before: ServiceInstance): boolean {
  return /^[0-9a-f]{12}_/.test(nameOf(info)) && nameOf(info).slice(13) === before.name;
}

/** Also the original that a restoring v1 had just made anew, under its right name, beside the overridden one. */
function isOurs(info: Info, before: ServiceInstance | undefined, keep: Info): boolean {
  if (isThrowawayMade(info) || (before !== undefined && hasTemporaryName(info, before))) return true;
  return info.State.Status === 'created' && isThrowawayMade(keep);
}

async function removeContainer(docker: Docker, info: Info): Promise<void> {
  const container = docker.getContainer(info.Id);
  // Its anonymous volumes are those of the original.
  await (info.State.Running ? container.stop() : Promise.resolve()).catch(ignoreGone);
  await container.remove({ force: true, v: false }).catch(ignoreGone);
}

function ignoreGone(error: unknown): void {
  const { statusCode } = error as { statusCode?: number };
  if (statusCode !== 404 && statusCode !== 304) throw error;
}

/** Whether its stop signal was sent to it since it started, as far as the engine remembers. */
async function isBeingStopped(docker: Docker, info: Info): Promise<boolean> {
  const signal = stopSignalNumber(info);
  const since = Math.floor(Date.parse(info.State.StartedAt) / 1000);
  const stream = await docker.getEvents({
    since,
    until: Math.ceil(Date.now() / 1000),
    filters: { type: ['container'], container: [info.Id], event: ['kill'] },
  });
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text.split('\n').some((line) => {
    const sent = /"signal":"(\d+)"/.exec(line)?.[1];
    return sent !== undefined && (signal === undefined || Number(sent) === signal);
  });
}

const LOOK_MS = 100;
const MARGIN_S = 5;

async function untilStopped(docker: Docker, info: Info): Promise<void> {
  const end = performance.now() + (graceS(info) + MARGIN_S) * 1000;
  while (performance.now() < end) {
    const now = await inspectContainer(docker, info.Id);
    if (now === undefined || !now.State.Running || now.State.StartedAt !== info.State.StartedAt) return;
    await delay(LOOK_MS);
  }
}
