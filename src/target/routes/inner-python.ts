import { isPythonProgram } from '../python/interpreter.js';
import type { RouteContext } from './route.js';

/** Programs inside the container that may be a Python, likeliest first. */
export function innerPythons({ target }: Pick<RouteContext, 'target'>): readonly string[] {
  const [command = ''] = target.command;
  const candidates = [target.exe ?? '', command, 'python3'].filter(
    (path) => path !== '' && isPythonProgram(path),
  );
  return [...new Set(candidates)];
}

/**
 * A command line of the target's own Python. Slim images have no other program to do it with. Nothing of the user's is imported (`-S`)
 * and nothing written (`-B`); the code only uses what is built into the interpreter.
 */
export function pythonCommand(python: string, code: string, args: readonly string[]): readonly string[] {
  return [python, '-S', '-B', '-c', code, ...args];
}

/**
 * Takes a program of the given size from standard input into memory and becomes it: no file, so that neither a read-only root nor a
 * /tmp without exec is in its way. Python 3.8 and later. Arguments: size, then the program's own from argv[0] on.
 */
export const RUN_FROM_MEMORY = `
import posix, sys
try:
    fd = posix.memfd_create("py-spy", 16)
except OSError:
    fd = posix.memfd_create("py-spy", 0)
left = int(sys.argv[1])
while left:
    part = posix.read(0, min(left, 1 << 20))
    if not part:
        sys.exit("the program ended early")
    left -= len(part)
    while part:
        part = part[posix.write(fd, part):]
posix.execve(fd, sys.argv[2:], posix.environ)
`.trim();

/** Sends a signal to every process whose argv[0] is the given one, which must be unique. Arguments: argv[0], signal number. */
export const SIGNAL_BY_NAME = `
import posix, sys
for name in posix.listdir("/proc"):
    if name.isdigit():
        try:
            with open("/proc/%s/cmdline" % name) as file:
                command = file.read().split("\\0")
            if command[0] == sys.argv[1]:
                posix.kill(int(name), int(sys.argv[2]))
        except (OSError, ValueError):
            pass
`.trim();

/** Removes a file. Argument: its path. */
export const UNLINK = 'import posix, sys; posix.unlink(sys.argv[1])';
