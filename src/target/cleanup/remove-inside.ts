import type { Engine } from '../docker/engine.js';
import { runExec } from '../docker/exec.js';
import { statFile } from '../docker/archive.js';
import { baseName, readExe } from '../proc/command.js';
import { unlinkFromOutside } from '../routes/unlink-from-outside.js';

const UNLINK = 'import os, sys; os.unlink(sys.argv[1])';

/**
 * Removes a file inside a running container: by its `rm`, else by a Python that is there. As root, who put it there; else as the user
 * that the container has; else from outside. Whether it is gone says the engine. Rejects with what the engine says; a program that is missing is no error.
 */
export async function removeInside(engine: Engine, container: string, path: string): Promise<boolean> {
  const { State } = await engine.docker.getContainer(container).inspect();
  const first = engine.local && State.Pid > 0 ? readExe(State.Pid)?.path : undefined;
  const pythons = [
    ...(first !== undefined && baseName(first).startsWith('python') ? [first] : []),
    'python3',
  ];
  const ways = [['rm', '-f', '--', path], ...pythons.map((python) => [python, '-c', UNLINK, path])];
  for (const user of ['0:0', undefined]) {
    for (const command of ways) {
      await runExec(engine, container, { command, ...(user === undefined ? {} : { user }) });
      if ((await statFile(engine, container, path)) === undefined) return true;
    }
  }
  await unlinkFromOutside(engine, container, path);
  return (await statFile(engine, container, path)) === undefined;
}
