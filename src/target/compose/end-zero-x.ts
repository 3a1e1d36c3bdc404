import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import { ProfilerError } from '../../model/index.js';
import { inspectContainer, nameOf } from './instances.js';
import { END_ZERO_X } from './zero-x-file.js';

export interface EndOptions {
  /** When the program has run for long enough. */
  readonly after: Promise<unknown>;
  readonly onEnding: () => void;
  readonly patienceS: number;
}

/**
 * Waits, has the program that 0x started in a container end as Ctrl-C would, and waits until 0x has drawn and the container is at its end.
 * Earlier where it ends by itself. Gives what was run, as the container was told. Throws ProfilerError `0x-not-drawn`.
 */
export async function endZeroX(
  docker: Docker,
  id: string,
  { after, onEnding, patienceS }: EndOptions,
): Promise<{ readonly command: readonly string[] }> {
  const container = docker.getContainer(id);
  const info = await inspectContainer(docker, id);
  const argv = [...[info?.Config.Entrypoint ?? []].flat(), ...(info?.Config.Cmd ?? [])];
  const command = argv.slice(argv.indexOf('--') + 1);
  let ended = false;
  const exit = container.wait().then(
    () => (ended = true),
    () => (ended = true),
  );
  await Promise.race([after, exit]);
  if (ended) return { command };
  onEnding();
  const node = argv.find((one) => /(?:^|\/)node(?:js)?$/.test(one)) ?? 'node';
  const end = await container.exec({ Cmd: [node, '-e', END_ZERO_X] });
  await end.start({ Detach: true });
  await Promise.race([exit, delay(patienceS * 1000, undefined, { ref: false })]);
  if (ended) return { command };
  throw new ProfilerError({
    id: '0x-not-drawn',
    what: `0x did not end within ${patienceS} s in container ${info === undefined ? id.slice(0, 12) : nameOf(info)}.`,
    why: 'The program did not end when it was asked to, or the log is too large to be drawn soon.',
    fix: 'profiler override --0x --service NAME --apply -d 5',
  });
}
