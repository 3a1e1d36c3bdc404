import { runExec } from '../docker/exec.js';
import type { Container } from '../docker/container.js';
import type { Engine } from '../docker/engine.js';
import { environmentOf } from '../proc/environment.js';
import { innerPythons, pythonCommand } from '../routes/inner-python.js';
import { innerPid } from '../routes/namespaces.js';
import type { Target } from '../target.js';

/** Prints of a process's environment what was asked for, and nothing else: the rest may hold secrets. Arguments: pid, names. */
const TELL = `
import posix, sys
file = posix.open("/proc/%s/environ" % sys.argv[1], posix.O_RDONLY)
text = b""
while True:
    part = posix.read(file, 65536)
    if not part:
        break
    text += part
names = [name.encode() for name in sys.argv[2:]]
posix.write(1, b"\\0".join([one for one in text.split(b"\\0") if one.split(b"=")[0] in names]))
`.trim();

interface Inside {
  readonly target: Target;
  readonly engine: Engine;
  readonly container: Container;
  /** `UID:GID`, of the target itself; default: the container's own. */
  readonly user?: string;
}

/**
 * Some of what a target was started with, read beside it and as its own user, where this machine's /proc does not show it to us: with the
 * Docker socket alone, or an engine elsewhere. Undefined where that fails too. Never rejects.
 */
export async function readInside(
  { target, engine, container, user }: Inside,
  names: readonly string[],
): Promise<ReadonlyMap<string, string> | undefined> {
  const pid = String(innerPid({ target }));
  const commands = [
    ...innerPythons({ target }).map((python) => pythonCommand(python, TELL, [pid, ...names])),
    // A Python that finds its own library only with what is looked for here.
    ['grep', '-z', '-E', `^(${names.join('|')})=`, `/proc/${pid}/environ`],
  ];
  for (const command of commands) {
    const told = await runExec(engine, container.id, {
      command,
      ...(user === undefined ? {} : { user }),
    }).catch(() => undefined);
    if (told?.exitCode === 0) return environmentOf(told.stdout);
  }
  return undefined;
}
