import { setTimeout as delay } from 'node:timers/promises';
import { ProfilerError, type Finding } from '../../model/index.js';
import { statFile } from '../docker/archive.js';
import { statusOf } from '../docker/engine-error.js';
import { runExec } from '../docker/exec.js';
import type { Trace } from '../journal/journal.js';
import type { Inside } from './inside.js';
import { innerPythons, pythonCommand, UNLINK } from './inner-python.js';
import { unlinkFromOutside } from './unlink-from-outside.js';

/** How a file inside a container is written down. */
export function innerFileTrace({ engine, container }: Inside, path: string): Trace {
  return { kind: 'file', engine: engine.host, container: container.id, path };
}

const GOING_MS = 2000;
const POLL_MS = 50;

/** Whether the container is removed, and every file in it: an engine needs a moment for that, in which it refuses everything else. */
async function isGoing({ engine, container }: Inside): Promise<boolean> {
  for (let waited = 0; ; waited += POLL_MS) {
    try {
      const { State } = await engine.docker.getContainer(container.id).inspect();
      if (waited >= GOING_MS) return ['removing', 'dead'].includes(State.Status);
    } catch (error) {
      // Without an answer nothing is known, and waiting brings none.
      return statusOf(error) === 404;
    }
    await delay(POLL_MS);
  }
}

/** Removes a file of ours with what the container has to do so, and looks whether it is gone. */
export async function removeInnerFile(inside: Inside, path: string): Promise<readonly Finding[]> {
  const { context, engine, container } = inside;
  const ways = [
    ...innerPythons(context).map((python) => pythonCommand(python, UNLINK, [path])),
    ['rm', '-f', '--', path],
  ];
  let why = 'nothing there can remove a file';
  try {
    for (const user of [inside.user, '0:0']) {
      for (const command of ways) {
        if ((await statFile(engine, container.id, path)) === undefined) {
          context.journal.remove(innerFileTrace(inside, path));
          return [];
        }
        const { stderr, stdout } = await runExec(engine, container.id, { command, user });
        why = `${stderr}${stdout}`.trim().split('\n').at(-1) ?? why;
      }
    }
    await unlinkFromOutside(engine, container.id, path);
    if ((await statFile(engine, container.id, path)) === undefined) {
      context.journal.remove(innerFileTrace(inside, path));
      return [];
    }
  } catch (error) {
    if (!(error instanceof ProfilerError)) throw error;
    why = error.finding.what.replaceAll(container.id, container.name);
  }
  if (await isGoing(inside)) {
    context.journal.remove(innerFileTrace(inside, path));
    return [];
  }
  return [
    {
      level: 'warning',
      id: 'file-left',
      what: `${path} was left in container ${container.name}: ${why}`,
      why: 'It takes 8 MB there, and is gone when the container is removed.',
      fix: 'profiler cleanup',
    },
  ];
}
