import type { ContainerExec } from '../docker/exec.js';
import { pidOfContainer } from './container-pid.js';
import type { EngineRun, Stop } from './engine-process.js';
import { lifeOf, stopLife, type Life } from './running.js';

/**
 * A program that was started inside a container, as this machine sees it.
 * @param onLife told of it as soon as it is found here.
 * @param otherwise stops it where this machine cannot.
 */
export function execRun(
  started: ContainerExec,
  container: string,
  onLife: (life: Life) => unknown,
  otherwise?: (stop: Stop) => Promise<unknown>,
): EngineRun {
  const pid = started.pid.then((named) => pidOfContainer(named, container));
  const life = pid.then((here) => (here === undefined ? undefined : lifeOf(here)));
  void life.then((known) => (known === undefined ? undefined : onLife(known)));
  return {
    stdout: started.stdout,
    stderr: started.stderr,
    pid,
    exit: started.end.then(({ exitCode }) => exitCode ?? 'engine-gone'),
    signal: async (stop) => {
      const known = await life;
      if (known === undefined || !(await stopLife(known, stop))) await otherwise?.(stop);
    },
  };
}
