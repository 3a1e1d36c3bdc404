"""Exit code 0 while the simulation steps: its truth ring counts rows. `healthy.py RING`"""

import struct
import sys
import time

# Position of the number of rows written so far; see sim/README.md.
COUNT = 32


def rows(path):
    with open(path, 'rb') as ring:
        ring.seek(COUNT)
        return struct.unpack('<Q', ring.read(8))[0]


try:
    before = rows(sys.argv[1])
    time.sleep(0.2)
    stepped = rows(sys.argv[1]) - before
except (OSError, struct.error) as error:
    sys.exit('no step yet: %s' % error)
if stepped <= 0:
    sys.exit('no step in 0.2 s')
