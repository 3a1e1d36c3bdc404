"""Runs a command in a real pseudo-terminal and writes what it prints to standard output, byte by byte.

    in_pty.py COLUMNS ROWS STEPS COMMAND...

STEPS is a JSON list of [text to wait for, keys to press then]; each text is looked for in what came after the one before. The exit code
is the command's; of one that a signal ended, 256 less the signal. In place of keys, null closes the terminal. A command that stays silent,
or without a terminal, for a minute is killed, and 124 returned.
"""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios

SILENT_S = 60

columns, rows = int(sys.argv[1]), int(sys.argv[2])
steps = [(wait.encode(), keys) for wait, keys in json.loads(sys.argv[3])]
pid, terminal = pty.fork()
if pid == 0:
    # Of the right size before the command looks.
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    os.execvp(sys.argv[4], sys.argv[4:])

unseen = b""
open_ = True
while open_:
    ready, _, _ = select.select([terminal], [], [], SILENT_S)
    if not ready:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        sys.exit(124)
    try:
        got = os.read(terminal, 65536)
    except OSError:
        break
    if not got:
        break
    sys.stdout.buffer.write(got)
    unseen += got
    while steps and steps[0][0] in unseen:
        wait, keys = steps.pop(0)
        unseen = unseen[unseen.index(wait) + len(wait) :]
        if keys is None:
            os.close(terminal)
            open_ = False
            break
        os.write(terminal, keys.encode())
sys.stdout.buffer.flush()
if not open_:

    def kill(_signal, _frame):
        os.kill(pid, signal.SIGKILL)
        sys.exit(124)

    signal.signal(signal.SIGALRM, kill)
    signal.alarm(SILENT_S)
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) & 255)
