"""The binary layout of a truth ring (README.md describes it); standard library only, Python 3.6 and newer.

File: a header of HEADER_SIZE bytes, then `capacity` rows of ROW.size bytes. Row number n lies in slot n % capacity.
"""

import json
import struct

MAGIC = b'RVRTRUTH'
VERSION = 1
HEADER_SIZE = 8192
# magic, version, header size, row size, fields per row, capacity, rows written so far, start (CLOCK_MONOTONIC ns)
HEADER = struct.Struct('<8sIIIIQQq')
COUNT_OFFSET = struct.calcsize('<8sIIIIQ')
# Length of the JSON text, then the text.
META_OFFSET = 64
META_LENGTH = struct.Struct('<I')

# Accounts: one per bucket, and a second one for the ray casts of the rear scanner.
PHYSICS, RAYCAST, RENDER, PUBLISHING, PLUGIN, PYTHON, PACER, RAYCAST_REAR = range(8)
ACCOUNTS = ('physics', 'raycast_front', 'render', 'publishing', 'plugin', 'python', 'pacer', 'raycast_rear')
BUCKETS = ('physics', 'raycast', 'render', 'publishing', 'plugin', 'python', 'pacer')
BUCKET_ACCOUNTS = {
    'physics': (PHYSICS,),
    'raycast': (RAYCAST, RAYCAST_REAR),
    'render': (RENDER,),
    'publishing': (PUBLISHING,),
    'plugin': (PLUGIN,),
    'python': (PYTHON,),
    'pacer': (PACER,),
}

# The order of MuJoCo's mjtTimer.
TIMERS = (
    'step', 'forward', 'inverse', 'position', 'velocity', 'actuation', 'constraint', 'advance',
    'pos_kinematics', 'pos_inertia', 'pos_collision', 'pos_make', 'pos_project', 'col_broad', 'col_narrow',
)
TIMER_BYTES = 8 * len(TIMERS)

FIELDS = tuple(
    [('t_ns', 'q'), ('step', 'q'), ('sim_time_s', 'd'), ('requested_sleep_ns', 'q'), ('sleeps', 'q'), ('resyncs', 'q')]
    + [('wall_ns_' + name, 'q') for name in ACCOUNTS]
    + [('cpu_ns_' + name, 'q') for name in ACCOUNTS]
    + [('entries_' + name, 'q') for name in ACCOUNTS]
    + [('mj_step_last_ns', 'q'), ('raycast_front_last_ns', 'q'), ('raycast_rear_last_ns', 'q')]
    + [('schedstat_cpu_ns', 'q'), ('schedstat_run_queue_ns', 'q'), ('schedstat_timeslices', 'q')]
    + [('executor_wait_ns', 'q'), ('executor_callbacks', 'q'), ('executor_cpu_ns', 'q'), ('hog_cpu_ns', 'q')]
    + [('published', 'q'), ('timer_step_calls', 'q')]
    + [('timer_s_' + name, 'd') for name in TIMERS]
)
NAMES = tuple(name for name, _ in FIELDS)
ROW = struct.Struct('<' + ''.join(code for _, code in FIELDS))
# The writer puts all timers in with one copy.
PACK_ROW = struct.Struct('<' + ''.join(code for _, code in FIELDS[:-len(TIMERS)]) + '%ds' % TIMER_BYTES)


class RingError(Exception):
    """The file is no usable ring, or does not hold the window asked for."""


def pack_header(capacity, start_ns, meta):
    """The first HEADER_SIZE bytes of a ring; `meta` is any JSON object. Raises RingError when it does not fit."""
    text = json.dumps(meta, sort_keys=True).encode('utf-8')
    if META_OFFSET + META_LENGTH.size + len(text) > HEADER_SIZE:
        raise RingError('the description of the run takes %d bytes, more than the header holds' % len(text))
    head = HEADER.pack(MAGIC, VERSION, HEADER_SIZE, ROW.size, len(FIELDS), capacity, 0, start_ns)
    head = head.ljust(META_OFFSET, b'\x00') + META_LENGTH.pack(len(text)) + text
    return head.ljust(HEADER_SIZE, b'\x00')


def read_header(data):
    """`(capacity, rows written, start ns, meta)` of a ring; raises RingError with the reason when it is none."""
    if len(data) < HEADER_SIZE:
        raise RingError('only %d bytes: a ring has a header of %d' % (len(data), HEADER_SIZE))
    magic, version, _, row_size, _, capacity, count, start_ns = HEADER.unpack_from(data, 0)
    if magic != MAGIC:
        raise RingError('it does not start with %s' % MAGIC.decode('ascii'))
    if version != VERSION or row_size != ROW.size:
        raise RingError('layout version %d with rows of %d bytes; this reader knows version %d with %d'
                        % (version, row_size, VERSION, ROW.size))
    (length,) = META_LENGTH.unpack_from(data, META_OFFSET)
    start = META_OFFSET + META_LENGTH.size
    meta = json.loads(bytes(data[start:start + length]).decode('utf-8'))
    return capacity, count, start_ns, meta
