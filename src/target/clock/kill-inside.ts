import { runExec } from '../docker/exec.js';
import type { Container } from '../docker/container.js';
import type { Engine } from '../docker/engine.js';
import { innerPythons, pythonCommand } from '../routes/inner-python.js';
import type { Target } from '../target.js';

/** Kills whatever has the given last argument, which must be unique. Slim images have no other program to do it with. */
const KILL = `
import posix, sys
for name in posix.listdir("/proc"):
    if name.isdigit():
        try:
            with open("/proc/%s/cmdline" % name, "rb") as file:
                command = file.read().split(b"\\0")
            if command[-2:-1] == [sys.argv[1].encode()]:
                posix.kill(int(name), 9)
        except OSError:
            pass
`.trim();

interface Inside {
  readonly target: Target;
  readonly engine: Engine;
  readonly container: Container;
  /** Its last argument. */
  readonly name: string;
  /** `UID:GID`; default: the container's own. */
  readonly user?: string;
}

/** Kills a subscriber that takes no notice of the end of its input, from beside it. Never rejects. */
export async function killInside({ target, engine, container, name, user }: Inside): Promise<void> {
  for (const python of innerPythons({ target })) {
    const killed = await runExec(engine, container.id, {
      // Not as the last argument: it would be killed itself.
      command: pythonCommand(python, KILL, [name, 'SIGKILL']),
      ...(user === undefined ? {} : { user }),
    }).catch(() => undefined);
    if (killed?.exitCode === 0) return;
  }
}
