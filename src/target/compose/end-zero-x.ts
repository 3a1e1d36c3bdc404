import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import { ProfilerError } from '../../model/index.js';
import { inspectContainer, nameOf } from './instances.js';
import { lastLines } from './last-lines.js';
import { END_ZERO_X } from './zero-x-file.js';

export interface EndOptions {
  /** When the program has run for long enough. */
  readonly after: Promise<unknown>;
  readonly onEnding: () => void;
  readonly patienceS: number;
}

export interface EndedZeroX {
  readonly command: readonly string[];
  readonly log: readonly string[];
}

const ASK_AGAIN_MS = 2000;

/**
 * Waits, has the program that 0x started in a container end as Ctrl-C would, and waits until 0x has drawn and the container is at its end.
 * Earlier where it ends by itself. Gives what was run, as the container was told, and the last that it said. Throws ProfilerError
 * `0x-not-drawn`.
 */
export async function endZeroX(
  docker: Docker,
  id: string,
  { after, onEnding, patienceS }: EndOptions,
): Promise<EndedZeroX> {
  const container = docker.getContainer(id);
  const info = await inspectContainer(docker, id);
  const argv = [...[info?.Config.Entrypoint ?? []].flat(), ...(info?.Config.Cmd ?? [])];
  const command = argv.slice(argv.indexOf('--') + 1);
  let ended = false;
  const exit = container.wait().then(
    () => (ended = true),
    () => (ended = true),
  );
  const told = async (): Promise<EndedZeroX> => ({ command, log: await lastLines(docker, id, info) });
  await Promise.race([after, exit]);
  if (ended) return told();
  onEnding();
  const node = argv.find((one) => /(?:^|\/)node(?:js)?$/.test(one)) ?? 'node';
  const until = performance.now() + patienceS * 1000;
  const isEnded = (): boolean => ended;
  while (!isEnded() && performance.now() < until) {
    // Asked again: 0x may only be about to start it.
    await container
      .exec({ Cmd: [node, '-e', END_ZERO_X] })
      .then((asking) => asking.start({ Detach: true }))
      .catch(() => undefined);
    await Promise.race([exit, delay(ASK_AGAIN_MS, undefined, { ref: false })]);
  }
  if (ended) return told();
  throw new ProfilerError({
    id: '0x-not-drawn',
    what: `0x did not end within ${patienceS} s in container ${info === undefined ? id.slice(0, 12) : nameOf(info)}.`,
    why: 'The program did not end when it was asked to, or the log is too large to be drawn soon.',
    fix: 'profiler override --0x --service NAME --apply -d 5',
  });
}
