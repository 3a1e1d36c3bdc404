"""`cpu_of.py COMMAND…` runs a command and says on standard error how much CPU it took, in seconds."""

import resource
import subprocess
import sys

code = subprocess.call(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
sys.stderr.write('\ncpu %.6f\n' % (used.ru_utime + used.ru_stime))
sys.exit(code)
