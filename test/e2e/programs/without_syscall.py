"""Runs a command under a seccomp filter that refuses one system call: NUMBER COMMAND..."""

import ctypes
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, FILTER = 38, 22, 2
LOAD, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, REFUSE_EPERM = 0x7FFF0000, 0x00050001

number, command = int(sys.argv[1]), sys.argv[2:]
code = b"".join(
    struct.pack("HBBI", *row)
    for row in [
        (LOAD, 0, 0, 0),
        (JUMP_EQUAL, 0, 1, number),
        (RETURN, 0, 0, REFUSE_EPERM),
        (RETURN, 0, 0, ALLOW),
    ]
)
buffer = ctypes.create_string_buffer(code)
program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
libc = ctypes.CDLL(None, use_errno=True)
for call in [(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, FILTER, program, 0, 0)]:
    if libc.prctl(*call) != 0:
        sys.exit(os.strerror(ctypes.get_errno()))
os.execvp(command[0], command)
